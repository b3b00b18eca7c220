//! Compares what the job prints with a loop over the flights and the reports.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that panics says where; it reads files of a real disk"
)]

use lesson_tests::{flights, printed, root, rows, sorted};

/// For each report, the flights that left its airport in the same hour of the clock.
fn by_hand() -> Vec<String> {
    let path = root().join("examples/data/weather-sample.csv");
    let reports = rows(&std::fs::read_to_string(path).unwrap());
    let hour = |instant: &str| instant.get(.."2013-01-01T10".len()).map(str::to_owned);
    let mut lines = Vec::new();
    for row in flights() {
        let [_, departed_at, carrier, flight, _, origin, ..] = &row[..] else { panic!() };
        for report in &reports {
            let [at, observed_at, wind, visibility] = &report[..] else { panic!() };
            if at == origin && hour(observed_at) == hour(departed_at) {
                let left = format!(r#""origin":"{origin}","departed_at":"{departed_at}""#);
                let weather = format!(r#""wind_mph":{wind},"visibility_miles":{visibility}"#);
                lines.push(format!(r#"{{"flight":"{carrier}{flight}",{left},{weather}}}"#));
            }
        }
    }
    lines.sort();
    lines
}

#[test]
fn it_prints_what_a_loop_over_flights_and_reports_does() {
    let expected = sorted(include_str!("expected.ndjson"));
    assert_eq!(by_hand(), expected);
    for parallelism in ["1", "4"] {
        assert_eq!(
            printed(env!("CARGO_BIN_EXE_interval-join"), parallelism),
            expected,
            "parallelism {parallelism}"
        );
    }
}
