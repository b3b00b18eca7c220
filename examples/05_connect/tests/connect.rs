//! Compares what the job prints with a loop over the flights of that day.
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
    let mut job = Command::new(env!("CARGO_BIN_EXE_connect"));
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
        assert_eq!(printed(parallelism), expected, "parallelism {parallelism}");
    }
}
