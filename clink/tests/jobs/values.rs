//! Sends values through whole files: what a job wrote, the next one reads, and what it cannot hold
//! is an error with its place.

use std::fmt::Debug;
use std::path::Path;
use std::process::Command;

use clink::prelude::*;
use clink::{Job, JobError, RunOptions};

use crate::support::{Seen, folder};

/// Each kind of value that has a cell.
#[derive(Data, Clone, Debug, PartialEq)]
struct Reading {
    id: u64,
    delta: i64,
    wide: f64,
    narrow: f32,
    #[data(decimal)]
    price: String,
    at: Timestamp,
    #[data(epoch = "s")]
    sent: Timestamp,
    #[data(epoch = "ms")]
    stored: Timestamp,
    #[data(epoch = "us")]
    read: Option<Timestamp>,
    #[data(rename = "class of travel")]
    class: Option<Class>,
    note: Option<String>,
}

#[derive(Data, Clone, Copy, Debug, PartialEq)]
enum Class {
    First,
    #[data(rename = "2nd")]
    Second,
}

/// Values beyond what a double holds, odd floats, and instants at every border.
fn readings() -> Vec<Reading> {
    let ids = [(1 << 53) - 1, 1 << 53, (1 << 53) + 1, u64::MAX, i64::MAX as u64, 0];
    let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::from_bits(1), 0.1];
    let millis = [1_700_000_000_123, -1, 0, i64::MIN, i64::MAX, -377_705_116_800_001];
    let rows = ids.into_iter().zip(floats).zip(millis);
    let reading = |((id, wide), millis): ((u64, f64), i64)| {
        let at = Timestamp::from_millis(millis);
        let is_odd = id % 2 == 1;
        Reading {
            id,
            delta: millis,
            wide,
            narrow: wide as f32,
            price: format!("{id}.10"),
            at,
            sent: at,
            stored: at,
            read: is_odd.then_some(at),
            class: is_odd.then_some(Class::Second),
            note: is_odd.then(|| "a, \"b\"\r\n\u{feff}c".to_owned()),
        }
    };
    rows.map(reading).collect()
}

/// Equal in Debug form, which tells -0.0 from 0.0 and lets NaN be NaN.
#[track_caller]
fn same<T: Debug>(found: &[T], expected: &[T]) {
    assert_eq!(format!("{found:#?}"), format!("{expected:#?}"));
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs a job of one subtask each.
fn run(build: impl Fn(&Pipeline)) -> Result<(), JobError> {
    let job = Job::build_with("values", Some(1), |pipeline| {
        build(pipeline);
        Ok(())
    });
    job.unwrap().run(&RunOptions::default()).map(drop)
}

/// What a source of CSV finds in a file of these lines.
fn read_csv<T: Data>(lines: &str) -> Result<Vec<T>, String> {
    let folder = folder();
    let path = folder.path().join("in.csv");
    std::fs::write(&path, lines).unwrap();
    let seen = Seen::default();
    let result = run(|pipeline| {
        pipeline.source(files::csv::<T>(text(&path))).map(seen.tap()).sink(blackhole());
    });
    // The folder is another one each time.
    let shorter = |error: JobError| error.to_string().replace(text(folder.path()), "DIR");
    result.map(|()| seen.all()).map_err(shorter)
}

/// What a source of NDJSON finds in a file of these lines.
fn read_ndjson<T: Data>(lines: &str) -> Result<Vec<T>, String> {
    let folder = folder();
    let path = folder.path().join("in.ndjson");
    std::fs::write(&path, lines).unwrap();
    let seen = Seen::default();
    let result = run(|pipeline| {
        pipeline.source(files::ndjson::<T>(text(&path))).map(seen.tap()).sink(blackhole());
    });
    let shorter = |error: JobError| error.to_string().replace(text(folder.path()), "DIR");
    result.map(|()| seen.all()).map_err(shorter)
}

/// What sinks of CSV and of NDJSON write.
fn write<T: Data>(values: &[T]) -> (String, String) {
    let folder = folder();
    let (csv, ndjson) = (folder.path().join("out.csv"), folder.path().join("out.ndjson"));
    run(|pipeline| {
        let rows = pipeline.elements(values.to_vec());
        rows.clone().sink(files::csv_sink(text(&csv)));
        rows.sink(files::ndjson_sink(text(&ndjson)));
    })
    .unwrap();
    (std::fs::read_to_string(csv).unwrap(), std::fs::read_to_string(ndjson).unwrap())
}

#[test]
fn values_at_every_border_come_back_from_files_i05_i06() {
    let expected = readings();
    let (csv, ndjson) = write(&expected);
    same(&read_csv::<Reading>(&csv).unwrap(), &expected);
    same(&read_ndjson::<Reading>(&ndjson).unwrap(), &expected);
}

/// The text is compared, so that no reader can undo what a writer did wrong.
#[test]
fn files_hold_what_the_types_and_attributes_say_i16() {
    let (csv, ndjson) = write(&readings()[..2]);
    let expected = "id,delta,wide,narrow,price,at,sent,stored,read,class of travel,note\n\
        9007199254740991,1700000000123,NaN,NaN,9007199254740991.10,2023-11-14T22:13:20.123Z,\
        1700000000.123,1700000000123,1700000000123000,2nd,\"a, \"\"b\"\"\r\n\u{feff}c\"\n\
        9007199254740992,-1,Infinity,Infinity,9007199254740992.10,1969-12-31T23:59:59.999Z,\
        -0.001,-1,,,\n";
    assert_eq!(csv, expected);
    let second = ndjson.lines().nth(1).unwrap();
    let expected = [
        r#"{"id":9007199254740992,"delta":-1,"wide":"Infinity","narrow":"Infinity","#,
        r#""price":"9007199254740992.10","at":"1969-12-31T23:59:59.999Z","sent":-0.001,"#,
        r#""stored":-1,"read":null,"class of travel":null,"note":null}"#,
    ];
    assert_eq!(second, expected.concat());
}

/// Set in the processes that run the tests of this file under another zone.
const ELSEWHERE: &str = "CLINK_TEST_ELSEWHERE";

/// Runs the tests of this file, which compare with literal text, where local time is another.
#[test]
fn no_value_depends_on_the_local_zone_i16() {
    if std::env::var_os(ELSEWHERE).is_some() {
        return;
    }
    for zone in ["Asia/Tokyo", "America/St_Johns"] {
        let mut elsewhere = Command::new(std::env::current_exe().unwrap());
        elsewhere.args(["values::", "--test-threads=1"]).env("TZ", zone).env(ELSEWHERE, "1");
        let output = elsewhere.output().unwrap();
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{zone}: {out}\n{err}");
        assert!(!out.contains("running 0 tests"), "the file has another name now:\n{out}");
    }
}

#[derive(Data, Clone, Debug, PartialEq, Default)]
struct Trade {
    #[data(rename = "Symbol")]
    symbol: String,
    #[data(decimal, default)]
    price: Option<String>,
    #[data(default)]
    lots: u32,
    #[data(default, epoch = "ms")]
    at: Timestamp,
    venue: Option<String>,
}

#[test]
fn columns_may_be_renamed_added_and_where_there_is_a_default_missing() {
    let trade = Trade { symbol: "A".to_owned(), ..Trade::default() };
    assert_eq!(read_csv("Symbol,venue\nA,\n"), Ok(vec![trade.clone()]));
    let lines = "more,venue,lots,Symbol,,\nx,,7,A,,\n";
    assert_eq!(read_csv(lines), Ok(vec![Trade { lots: 7, ..trade.clone() }]));
    let price = Some("12.10".to_owned());
    let priced = Trade { price, at: Timestamp::from_millis(5), ..trade.clone() };
    let lines = "Symbol,venue,price,at\nA,, 12.10 ,5\nA,,,0\n";
    assert_eq!(read_csv(lines), Ok(vec![priced.clone(), trade.clone()]));
    let lines = "{\"Symbol\":\"A\"}\n{\"at\":5,\"more\":[{}],\"price\":12.10,\"Symbol\":\"A\"}\n";
    assert_eq!(read_ndjson(lines), Ok(vec![trade.clone(), priced]));

    // An `Option` is no default: a misspelt header is not a file full of nothing.
    let error = read_csv::<Trade>("Symbol,Venue\nA,\n").unwrap_err();
    let expected = "read DIR/in.csv: the header has no column `venue`; it is: `Symbol`, `Venue`";
    assert!(error.contains(expected), "{error}");
    // A column that is there has values.
    let error = read_csv::<Trade>("Symbol,venue,lots\nA,,1\nA,,\n").unwrap_err();
    let expected = "DIR/in.csv:3: column `lots`: expected an integer of 32 bits without a sign, \
                    found an empty cell (byte 23)";
    assert!(error.contains(expected), "{error}");
}

#[derive(Data, Clone, Debug, PartialEq)]
struct Event {
    #[data(epoch = "us")]
    at: Timestamp,
    #[data(decimal)]
    amount: String,
    count: i64,
}

#[test]
fn what_a_field_cannot_hold_is_an_error_with_its_place_i05() {
    for (row, reason) in [
        ("2013-01-01T00:00:00Z,1,1", "column `at`: expected microseconds since 1970 such as"),
        ("1e3,1,1", "column `at`: expected microseconds since 1970 such as"),
        ("9223372036854775808000,1,1", "column `at`: expected microseconds since 1970 from -92233"),
        ("1,\"1,5\",1", "column `amount`: expected a decimal number such as 12.10, found `1,5`"),
        ("1,,1", "column `amount`: expected a decimal number such as 12.10, found an empty cell"),
        ("1,1,9223372036854775808", "column `count`: expected an integer of 64 bits with a sign"),
        ("1,1,1.0", "column `count`: expected an integer of 64 bits with a sign, found `1.0`"),
    ] {
        let error = read_csv::<Event>(&format!("at,amount,count\n1,1,1\n{row}\n")).unwrap_err();
        assert!(error.contains(&format!("DIR/in.csv:3: {reason}")), "{row}: {error}");
    }
    for (fields, reason) in [
        (r#""at":"soon","amount":1,"count":1"#, "expected microseconds since 1970 such as"),
        (
            r#""at":1,"amount":[1],"count":1"#,
            "expected a decimal number such as 12.10, found `[1]`",
        ),
        (r#""at":1,"amount":1,"count":9223372036854775808"#, "invalid value: integer `9223372036"),
        (r#""at":1,"amount":1,"count":1e3"#, "expected an integer of 64 bits with a sign"),
        (r#""at":1,"amount":1"#, "missing field `count`"),
    ] {
        let good = r#"{"at":1,"amount":1,"count":1}"#;
        let error = read_ndjson::<Event>(&format!("{good}\n{{{fields}}}\n")).unwrap_err();
        assert!(error.contains("DIR/in.ndjson:2: ") && error.contains(reason), "{fields}: {error}");
    }
}

#[test]
fn epochs_and_amounts_are_read_as_they_are_written() {
    let event = |millis: i64, amount: &str| {
        let (at, amount) = (Timestamp::from_millis(millis), amount.to_owned());
        Event { at, amount, count: 1 }
    };
    let expected = [event(1_700_000_000_123, "12.10"), event(-1, "-0.10"), event(2, "1E2")];
    let lines = "at,amount,count\n1700000000123456,12.10,1\n-1, -0.10 ,1\n2999.9,1E2,1\n";
    assert_eq!(read_csv::<Event>(lines).unwrap(), expected);
    let lines = "{\"at\":1700000000123456,\"amount\":12.10,\"count\":1}\n\
                 {\"at\":\"-1\",\"amount\":\"-0.10\",\"count\":1}\n\
                 {\"at\":2999.9,\"amount\":1E2,\"count\":1}\n";
    assert_eq!(read_ndjson::<Event>(lines).unwrap(), expected);
}
