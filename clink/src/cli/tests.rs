//! Types command lines and reads what is said of them.

mod choice;
mod flags;
mod logged;
mod options;

use std::ffi::OsString;

use clap::{Arg, Command};
use clink_plan::descriptor::SourceLocation;

use crate::job::JobEntry;

use super::answer::Answer;
use super::command::Invocation;

const fn job(name: &'static str, line: u32, arguments: fn(Command) -> Command) -> JobEntry {
    JobEntry {
        name,
        version: "1.2.0",
        description: "Counts.",
        location: SourceLocation { file: "src/lib.rs", line, column: 1 },
        arguments,
        build: |_, _| Err(crate::Error::new("no such file")),
    }
}

static COUNT: JobEntry = job("count", 7, |command| command.arg(Arg::new("input").long("input")));
static ROWS: JobEntry = job("rows", 9, |command| command.arg(Arg::new("file")));

type Jobs<'a> = &'a [&'static JobEntry];

fn typed(jobs: Jobs<'_>, line: &str) -> Result<Invocation, Answer> {
    let arguments = ["target/program"].into_iter().chain(line.split_whitespace());
    Invocation::parse(jobs.to_vec(), arguments.map(OsString::from))
}

/// What is said of a line that runs nothing, and with which exit code.
#[track_caller]
fn said(jobs: Jobs<'_>, line: &str) -> (u8, String) {
    let answer = typed(jobs, line).expect_err("nothing is run");
    (answer.exit().code(), answer.text())
}

#[track_caller]
fn check(jobs: Jobs<'_>, line: &str, code: u8, parts: &[&str]) {
    let (found, text) = said(jobs, line);
    assert_eq!(found, code, "{line}: {text}");
    parts.iter().for_each(|part| assert!(text.contains(part), "{line}: no `{part}` in:\n{text}"));
}
