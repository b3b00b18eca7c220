//! Compares what the job prints with a loop over the flights of that day.
#![allow(clippy::panic, missing_docs, reason = "a test that panics says where")]

use lesson_tests::{flights, printed, sorted};

fn by_hand() -> Vec<String> {
    let mut lines = Vec::new();
    for row in flights() {
        let [at, _, carrier, flight, _, origin, _, dep_delay, arr_delay, ..] = &row[..] else {
            panic!()
        };
        let delays = (dep_delay.parse::<i64>(), arr_delay.parse::<i64>());
        let (Ok(dep_delay), Ok(arr_delay)) = delays else { continue };
        let minutes = dep_delay - arr_delay;
        if at.starts_with("2013-01-01") && origin == "EWR" && minutes >= 10 {
            lines.push(format!(
                r#"{{"carrier":"{carrier}","flight":{flight},"minutes":{minutes}}}"#
            ));
        }
    }
    lines.sort();
    lines
}

#[test]
fn it_prints_what_a_loop_over_the_rows_does() {
    let expected = sorted(include_str!("expected.ndjson"));
    assert_eq!(by_hand(), expected);
    for parallelism in ["1", "4"] {
        assert_eq!(
            printed(env!("CARGO_BIN_EXE_connect"), parallelism),
            expected,
            "parallelism {parallelism}"
        );
    }
}
