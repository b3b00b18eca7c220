//! Compares what the job prints with a loop over the rows of its input.
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

/// What the program prints, sorted: the lines of several subtasks come in any order.
fn printed(parallelism: &str) -> Vec<String> {
    let mut job = Command::new(env!("CARGO_BIN_EXE_broadcast-rules"));
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

/// The rows of the flights file.
fn flights() -> Vec<Vec<String>> {
    let packed = File::open(root().join("examples/data/flights-2013-01.csv.gz")).unwrap();
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
}

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
        let found = printed(parallelism);
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
