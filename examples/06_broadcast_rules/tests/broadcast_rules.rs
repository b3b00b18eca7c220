//! Compares what the job prints with a loop over the rows of its input.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a test that panics says where"
)]

use lesson_tests::{flights, printed, sorted};

/// The limits of the file and those before it, at one airport after the other.
const LIMITS: [(&str, [i64; 3]); 3] =
    [("EWR", [240, 180, 300]), ("JFK", [240, 240, 200]), ("LGA", [240, 300, 240])];

/// The alarms under one of the limits of each airport.
fn alarms(limit_of: impl Fn([i64; 3]) -> i64) -> Vec<String> {
    let mut lines = Vec::new();
    for row in flights() {
        let [at, _, carrier, flight, _, origin, _, dep_delay, ..] = &row[..] else { panic!() };
        let (_, limits) = LIMITS.into_iter().find(|(airport, _)| airport == origin).unwrap();
        if dep_delay.parse().is_ok_and(|minutes: i64| minutes > limit_of(limits)) {
            let who = format!(r#""carrier":"{carrier}","flight":{flight},"origin":"{origin}""#);
            lines.push(format!(r#"{{"scheduled_at":"{at}",{who},"minutes":{dep_delay}}}"#));
        }
    }
    lines.sort();
    lines
}

/// An alarm without its limit, and the limit.
fn without_limit(line: &str) -> (String, i64) {
    let (alarm, limit) = line.split_once(r#","limit":"#).unwrap();
    (format!("{alarm}}}"), limit.trim_end_matches('}').parse().unwrap())
}

#[test]
fn alarms_that_no_limit_allows_are_printed_and_none_that_each_limit_does() {
    let certain = sorted(include_str!("expected.ndjson"));
    assert_eq!(alarms(|limits| limits.into_iter().max().unwrap()), certain);
    let possible = alarms(|limits| limits.into_iter().min().unwrap());
    for parallelism in ["1", "4"] {
        let found = printed(env!("CARGO_BIN_EXE_broadcast-rules"), parallelism);
        let found: Vec<_> = found.iter().map(|line| without_limit(line)).collect();
        for alarm in &certain {
            assert!(found.iter().any(|(line, _)| line == alarm), "{alarm} is missing");
        }
        for (alarm, limit) in &found {
            assert!(possible.contains(alarm), "{alarm} is no alarm");
            let of = |(airport, _): &&(&str, [i64; 3])| alarm.contains(*airport);
            let (_, limits) = LIMITS.iter().find(of).unwrap();
            assert!(limits.contains(limit), "{alarm}: the limit was never {limit}");
        }
        assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0), "an alarm comes twice");
    }
}
