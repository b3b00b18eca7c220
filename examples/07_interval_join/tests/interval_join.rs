//! Compares what the job prints with a loop over the flights and the reports.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that panics says where; it reads files of a real disk"
)]

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;

/// What the program prints, sorted: the lines come in the order of arrival.
fn printed(parallelism: &str) -> Vec<String> {
    let mut job = Command::new(env!("CARGO_BIN_EXE_interval-join"));
    job.args(["--parallelism", parallelism]).current_dir(root()).env_clear();
    let output = job.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    sorted(str::from_utf8(&output.stdout).unwrap())
}

fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Where the workspace lies, and with it the input.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of a CSV text without quotes.
fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
}

fn flights() -> Vec<Vec<String>> {
    let packed = File::open(root().join("examples/data/flights-2013-01.csv.gz")).unwrap();
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    rows(&text)
}

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
        assert_eq!(printed(parallelism), expected, "parallelism {parallelism}");
    }
}
