//! Compares what the job prints with a loop over the flights of that day.
#![allow(clippy::panic, missing_docs, reason = "a test that panics says where")]

use std::collections::BTreeMap;

use lesson_tests::{flights, printed, sorted};

/// The first departure to a destination is number 1, and so on, from either airport.
fn by_hand() -> Vec<String> {
    let mut seen = BTreeMap::<String, u64>::new();
    let mut lines = Vec::new();
    for row in flights() {
        let [scheduled_at, departed_at, _, _, _, origin, dest, ..] = &row[..] else { panic!() };
        let either = origin == "EWR" || origin == "JFK";
        if either && scheduled_at.starts_with("2013-01-01") && !departed_at.is_empty() {
            let flights = seen.entry(dest.clone()).or_default();
            *flights += 1;
            lines.push(format!(r#"{{"dest":"{dest}","flights":{flights}}}"#));
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
            printed(env!("CARGO_BIN_EXE_union"), parallelism),
            expected,
            "parallelism {parallelism}"
        );
    }
}
