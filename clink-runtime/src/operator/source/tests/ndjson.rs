//! Lines and errors of NDJSON files.

use super::super::NdjsonSource;
use super::flight::{Flight, flight};
use super::{Input, Limits, read_all, read_with_restarts};

fn check(text: &str, expected: &[Flight]) {
    let input = Input::new("x.ndjson", text);
    assert_eq!(input.read::<NdjsonSource<Flight>>().unwrap(), expected, "{text:?}");
    for step in [1, 2] {
        let found =
            read_with_restarts::<NdjsonSource<Flight>>(&input.path, Limits::default(), step);
        assert_eq!(found, expected, "{text:?} with a restart each {step}");
    }
}

fn check_error(text: &str, expected: &str) {
    let input = Input::new("x.ndjson", text);
    assert_eq!(input.error::<NdjsonSource<Flight>>(), expected, "{text:?}");
}

const UA: &str = r#"{"carrier":"UA","dep_delay":5,"gate":1}"#;
const AA: &str = r#"{"gate":2,"more":[{}],"carrier":"AA"}"#;

#[test]
fn a_line_is_a_value() {
    let two = [flight("UA", Some(5), 1), flight("AA", None, 2)];
    check(&format!("{UA}\n{AA}\n"), &two);
    check(&format!("{UA}\n{AA}"), &two);
    check(&format!("{UA}\r\n{AA}\r\n"), &two);
    check(&format!("\u{feff}{UA}\n{AA}\n"), &two);
    check(&format!("\n \n{UA}\n\n\r\n\t\n  {AA} \n\n"), &two);
    check("", &[]);
    check("\n\n", &[]);
    check("\u{feff}", &[]);
    let numbers = Input::new("x.ndjson", "1\n-2\n9007199254740993\n");
    let found = numbers.read::<NdjsonSource<i64>>().unwrap();
    assert_eq!(found, [1, -2, 9_007_199_254_740_993]);
}

#[test]
fn a_bad_line_is_located() {
    check_error(
        &format!("{UA}\n\n{{\"carrier\":7}}\n"),
        "x.ndjson:3: column `carrier`: invalid type: integer `7`, expected a string (to keep the \
         digits of a number, write it in quotes, or put `#[data(decimal)]` on the field), at byte \
         12 of the line (byte 41)",
    );
    check_error(
        &format!("{UA}\n{{\"carrier\":\"x\"}}\n"),
        "x.ndjson:2: missing field `gate`, at byte 15 of the line (byte 40): {\"carrier\":\"x\"}",
    );
    check_error(
        &format!("{UA} {AA}\n"),
        &format!("x.ndjson:1: trailing characters, at byte 41 of the line (byte 0): {UA} {AA}"),
    );
    check_error(
        &format!("{AA}\n{{\"carrier\":"),
        "x.ndjson:2: EOF while parsing a value, at byte 11 of the line (byte 38): {\"carrier\":",
    );
    let two = r#"{"gate":1,"gate":2,"carrier":"x"}"#;
    check_error(
        two,
        &format!("x.ndjson:1: duplicate field `gate`, at byte 16 of the line (byte 0): {two}"),
    );
    let latin = Input::new("x.ndjson", b"{\"carrier\":\"\xff\",\"gate\":1}\n");
    assert_eq!(latin.fault::<NdjsonSource<Flight>>(1).line, Some(1));
}

#[test]
fn the_line_of_a_fault_is_exact_in_every_split() {
    let text = format!("\u{feff}{}", format!("{UA}\n").repeat(3_000));
    let input = Input::new("x.ndjson", format!("{text}x\n{UA}\n"));
    for wanted in [1, 2, 3, 8] {
        let fault = input.fault::<NdjsonSource<Flight>>(wanted);
        assert_eq!((fault.line, fault.byte), (Some(3_001), Some(text.len() as u64)), "{wanted}");
    }
}

#[test]
fn a_line_is_bounded() {
    for block_bytes in [64, 100_000] {
        let limits = Limits { block_bytes, record_bytes_max: 1024 };
        let read = |length: usize, end: &str| {
            let text = format!("1\n\n{}{end}", "7".repeat(length));
            let input = Input::new("x.ndjson", text);
            read_all::<NdjsonSource<f64>>(&input.path, limits, 1).map(|values| values.len())
        };
        for end in ["\n", "", "\n2\n"] {
            // Such numbers are out of range: the line is looked at as a whole all the same.
            let inside = read(1024, end).unwrap_err().to_string();
            assert!(inside.contains("x.ndjson:3: number out of range"), "{inside}");
            let error = read(1025, end).unwrap_err().to_string();
            assert!(error.contains("x.ndjson:3: expected a record of at most 1024 B"), "{error}");
        }
        assert!(read(5_000_000, "").is_err());
    }
}

#[test]
fn a_field_at_fault_is_named_by_its_path() {
    let input = Input::new("x.ndjson", "[[1,\"a\"],[2,3]]\n");
    let fault = input.fault::<NdjsonSource<((i64, String), (i64, String))>>(1);
    assert_eq!(fault.column.as_deref(), Some("[1][1]"));
}
