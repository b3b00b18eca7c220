//! Compares what the job prints with a loop over days for each route.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that panics says where; it reads files of a real disk"
)]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;

/// What the program prints, sorted: the lines of several subtasks come in any order.
fn printed(parallelism: &str) -> Vec<String> {
    let mut job = Command::new(env!("CARGO_BIN_EXE_iteration"));
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

/// Day by day, what does not fit goes to the next one.
fn by_hand() -> Vec<String> {
    let mut asked = BTreeMap::<(String, String), BTreeMap<i32, u32>>::new();
    for row in flights() {
        let [at, departed_at, _, _, _, origin, dest, ..] = &row[..] else { panic!() };
        if departed_at.is_empty() {
            let (month, day) =
                (at[5..7].parse::<i32>().unwrap(), at[8..10].parse::<i32>().unwrap());
            let route = asked.entry((origin.clone(), dest.clone())).or_default();
            *route.entry((month - 1) * 31 + day).or_default() += 50;
        }
    }
    let mut lines = Vec::new();
    for ((origin, dest), days) in asked {
        let mut waiting = 0;
        // January and some of February.
        for day in 1..=31 + 28 {
            waiting += days.get(&day).unwrap_or(&0);
            if waiting >= 60 {
                let day = format!("2013-{:02}-{:02}", (day - 1) / 31 + 1, (day - 1) % 31 + 1);
                let route = format!(r#""origin":"{origin}","dest":"{dest}""#);
                lines.push(format!(r#"{{{route},"day":"{day}T00:00:00Z"}}"#));
            }
            waiting = waiting.saturating_sub(60);
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
