//! Runs the program of a lesson, and reads the lessons' input without clink.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that panics says where; it reads files of a real disk"
)]

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;

/// Where the workspace lies, and with it the input; programs run there.
///
/// # Panics
/// Never: this crate lies two folders below it.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// What a program prints, in the order of its lines; settings of the caller do not reach it.
///
/// # Panics
/// It fails, with what it said.
#[must_use]
pub fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(root()).env_clear().output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a program prints at a parallelism, sorted: the lines of several subtasks come in any order.
///
/// # Panics
/// It fails, with what it said.
#[must_use]
pub fn printed(program: &str, parallelism: &str) -> Vec<String> {
    sorted(&run(program, &["--parallelism", parallelism]))
}

/// The lines of a text, sorted.
#[must_use]
pub fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// The rows of a CSV text that has a header and no quotes.
#[must_use]
pub fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
}

/// The rows of the flights file.
///
/// # Panics
/// The file cannot be read.
#[must_use]
pub fn flights() -> Vec<Vec<String>> {
    let packed = File::open(root().join("examples/data/flights-2013-01.csv.gz")).unwrap();
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    rows(&text)
}
