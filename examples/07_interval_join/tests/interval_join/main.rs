//! Runs the lesson and compares what it prints with the file beside this one.
#![allow(clippy::unwrap_used, reason = "a test that panics says where")]

use std::path::Path;
use std::process::Command;

/// What it prints, sorted: the order is that of arrival.
const EXPECTED: &str = include_str!("expected.ndjson");

fn printed(parallelism: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut job = Command::new(env!("CARGO_BIN_EXE_interval-join"));
    let output = job.args(["--parallelism", parallelism]).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n") + "\n"
}

#[test]
fn each_departure_has_the_report_of_its_hour() {
    for parallelism in ["1", "3"] {
        assert_eq!(printed(parallelism), EXPECTED, "parallelism {parallelism}");
    }
}
