//! Header, cells and errors of CSV files.

use crate::data::{Data, Timestamp};

use super::super::CsvSource;
use super::flight::{Flight, flight};
use super::{Input, Limits, read_all, read_with_restarts};

const HEADER: &str = "carrier,dep_delay,gate\n";

fn check(text: &str, expected: &[Flight]) {
    let input = Input::new("x.csv", text);
    assert_eq!(input.read::<CsvSource<Flight>>().unwrap(), expected, "{text:?}");
    for step in [1, 2] {
        let found = read_with_restarts::<CsvSource<Flight>>(&input.path, Limits::default(), step);
        assert_eq!(found, expected, "{text:?} with a restart each {step}");
    }
}

fn check_error(text: &str, expected: &str) {
    let input = Input::new("x.csv", text);
    assert_eq!(input.error::<CsvSource<Flight>>(), expected, "{text:?}");
}

#[test]
fn fields_are_found_by_name_in_any_order() {
    check(&format!("{HEADER}UA,5,1\n"), &[flight("UA", Some(5), 1)]);
    check("gate,more,carrier,dep_delay\n7,x,UA,-5\n", &[flight("UA", Some(-5), 7)]);
    check("gate,carrier,dep_delay,,\n7,UA,,,\n", &[flight("UA", None, 7)]);
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_only_i04() {
    check(&format!("\u{feff}{HEADER}UA,5,1\n"), &[flight("UA", Some(5), 1)]);
    check("\u{feff}\"carrier\",dep_delay,gate\nUA,5,1\n", &[flight("UA", Some(5), 1)]);
    let marked = [flight("\u{feff}UA", None, 1), flight("\u{feff}AA", None, 2)];
    check(&format!("{HEADER}\u{feff}UA,,1\n\u{feff}AA,,2\n"), &marked);
}

#[test]
fn line_ends_and_blank_lines_carry_nothing_i02() {
    let two = [flight("UA", None, 1), flight("AA", Some(3), 2)];
    check(&format!("{HEADER}UA,,1\nAA,3,2"), &two);
    check("carrier,dep_delay,gate\r\nUA,,1\r\nAA,3,2\r\n", &two);
    check("carrier,dep_delay,gate\r\nUA,,1\r\nAA,3,2", &two);
    check("\n\ncarrier,dep_delay,gate\n\r\n\nUA,,1\n\n\nAA,3,2\n\n\n", &two);
    check(HEADER, &[]);
    check(HEADER.trim_end(), &[]);
}

#[test]
fn quotes_may_hold_anything() {
    let rows = [flight("a,\"b\"\r\nc", Some(1), 2), flight("d", None, 3), flight("", None, 4)];
    check(&format!("{HEADER}\"a,\"\"b\"\"\r\nc\",1,2\r\n\"d\",\"\",\"3\"\n\"\",,4\n"), &rows);
    let apart: [Flight; 2] = [flight("5\" pipe", None, 1), flight("x", None, 2)];
    check(&format!("{HEADER}5\" pipe,,1\nx,,2\n"), &apart);
}

#[test]
fn one_column_files_skip_empty_lines_and_keep_quoted_empties_i02() {
    let input = Input::new("x.csv", "name\na\n\n\"\"\n \n");
    assert_eq!(input.read::<CsvSource<String>>().unwrap(), ["a", "", " "]);
    assert_eq!(input.read::<CsvSource<Option<String>>>().unwrap().len(), 3);
}

#[test]
fn cells_are_read_as_the_documentation_says() {
    let input = Input::new("x.csv", "v\n2013-01-31T09:30:00Z\n 2013-01-31 04:30:00.5-05:00 \n");
    let found = input.read::<CsvSource<Timestamp>>().unwrap();
    assert_eq!(
        found.iter().map(|instant| instant.as_millis() % 86_400_000).collect::<Vec<_>>(),
        [34_200_000, 34_200_500]
    );
    let input = Input::new("x.csv", "v\n2013-01-31T09:30:00\n");
    assert!(input.error::<CsvSource<Timestamp>>().contains("expected an RFC 3339 instant"));
    let input = Input::new("x.csv", "v,w\ntrue,-inf\n false ,2e9\n");
    let found = input.read::<CsvSource<(bool, f64)>>().unwrap();
    assert_eq!(found, [(true, f64::NEG_INFINITY), (false, 2e9)]);
    for cell in ["True", "1", "yes", "\"\""] {
        let input = Input::new("x.csv", format!("v\n{cell}\n"));
        assert!(input.error::<CsvSource<bool>>().contains("expected true or false"), "{cell}");
    }
    let input = Input::new("x.csv", "v,w\n,\"\"\n7, \n");
    let found = input.read::<CsvSource<(Option<i64>, Option<String>)>>().unwrap();
    assert_eq!(found, [(None, None), (Some(7), Some(" ".to_owned()))]);
    let input = Input::new("x.csv", "v,w\n ,1\n");
    assert!(input.error::<CsvSource<(Option<i64>, i64)>>().contains("expected an integer"));
}

#[test]
fn tuples_and_single_values_go_by_position() {
    let input = Input::new("x.csv", "n,text,more\n1,a,x\n2,,y\n");
    let pairs = input.read::<CsvSource<(i64, Option<String>)>>().unwrap();
    assert_eq!(pairs, [(1, Some("a".to_owned())), (2, None)]);
    assert_eq!(input.read::<CsvSource<i64>>().unwrap(), [1, 2]);
    let narrow = Input::new("x.csv", "n\n1\n");
    let error = narrow.error::<CsvSource<(i64, i64)>>();
    assert_eq!(error, "read x.csv: the header has no column `1`; it is: `n`");
    assert_eq!(narrow.error::<CsvSource<(i64, Option<i64>)>>(), error);
}

#[test]
fn a_header_that_does_not_fit_is_shown() {
    check_error("", "read x.csv: expected a header line, found an empty file");
    check_error("\n\r\n", "read x.csv: expected a header line, found an empty file");
    check_error(
        "carrier,dep_delay\nUA,1\n",
        "read x.csv: the header has no column `gate`; it is: `carrier`, `dep_delay`",
    );
    // An optional field may have empty cells, not no column: the header may be misspelt.
    check_error(
        "carrier,delay,gate\nUA,1,2\n",
        "read x.csv: the header has no column `dep_delay`; it is: `carrier`, `delay`, `gate`",
    );
    check_error(
        "gate,carrier,gate\n1,UA,2\n",
        "read x.csv: the header names the column `gate` twice; it is: `gate`, `carrier`, `gate`",
    );
    let input = Input::new("x.csv", "a\n1\n");
    let error = input.splits::<CsvSource<Flight>>(1).unwrap_err();
    assert_eq!(error.retry(), crate::error::Retry::Never);
    let nested = input.error::<CsvSource<((i64, i64), i64)>>();
    assert_eq!(
        nested,
        "read x.csv: the field `0` is a struct, and a CSV cell holds a single value"
    );
}

#[test]
fn a_bad_cell_is_located() {
    let good = "UA,1,1\n";
    let (text, empty) = (i64::from_text(b"abc").unwrap_err(), u32::from_text(b"").unwrap_err());
    check_error(
        &format!("{HEADER}{good}UA,abc,1\n{good}"),
        &format!("x.csv:3: column `dep_delay`: {text} (byte 30)"),
    );
    check_error(
        &format!("{HEADER}\n\r\n\"a\nb\",1,1\n{good}UA,1,\n"),
        &format!("x.csv:7: column `gate`: {empty} (byte 43)"),
    );
    check_error(
        &format!("{HEADER}{good}UA,1\n"),
        "x.csv:3: expected 3 cells, as in the header, found 2 (byte 30): UA,1",
    );
    check_error(
        &format!("{HEADER}UA,1,1,1\n"),
        "x.csv:2: expected 3 cells, as in the header, found 4 (byte 23): UA,1,1,1",
    );
    let input = Input::new("x.csv", [HEADER.as_bytes(), b"\xff,1,1\n"].concat());
    let fault = input.fault::<CsvSource<Flight>>(1);
    assert_eq!((fault.line, fault.column.as_deref()), (Some(2), Some("carrier")));
}

#[test]
fn the_line_of_a_fault_is_exact_in_every_split() {
    let mut text = HEADER.to_owned();
    for row in 0..500 {
        text.push_str(&format!("\"quoted\n{row}\",1,{row}\n"));
    }
    let input = Input::new("x.csv", text.clone() + "UA,1,x\n");
    for wanted in [1, 2, 8] {
        let fault = input.fault::<CsvSource<Flight>>(wanted);
        assert_eq!((fault.line, fault.byte), (Some(1002), Some(text.len() as u64)), "{wanted}");
        assert_eq!(fault.preview, "UA,1,x");
    }
}

#[test]
fn a_record_is_bounded() {
    let limits = Limits { block_bytes: 64, record_bytes_max: 1024 };
    let read = |length: usize, end: &str| {
        let input = Input::new("x.csv", format!("a\n1\n{}{end}", "x".repeat(length)));
        read_all::<CsvSource<String>>(&input.path, limits, 1).map(|values| values.len())
    };
    for end in ["\n", "", "\n2\n"] {
        assert!(read(1023, end).is_ok() && read(1024, end).is_ok(), "{end:?}");
        let error = read(1025, end).unwrap_err().to_string();
        assert!(
            error.contains("x.csv:3: expected a record of at most 1024 B (--max-record-bytes), "),
            "{error}"
        );
    }
    assert!(read(5_000_000, "").is_err());
    let input = Input::new("x.csv", format!("a\n\"1{}", "\n2".repeat(1024)));
    let error = read_all::<CsvSource<String>>(&input.path, limits, 1).unwrap_err().to_string();
    assert!(error.contains("x.csv:2:") && error.contains("with a quote still open"), "{error}");
}
