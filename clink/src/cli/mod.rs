//! Is what `cargo run -- …` offers inside a job package: `run`, `plan`, `list`.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 the job failed, 2 usage,
//! 3 refused (graph or state), 130 interrupted.

mod answer;
mod choice;
mod command;
mod flags;
mod list;
mod meter;
mod plan;
mod progress;
mod run;
mod signals;
mod watcher;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use crate::job::{JobError, jobs};

use command::{Invocation, Verb};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    Failed,
    Usage,
    Refused,
    Interrupted,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Interrupted => 130,
        }
    }
}

/// The `main` of a job package, called by [`clink::main!`](crate::main).
pub fn main() -> ExitCode {
    dispatch(std::env::args_os()).code().into()
}

fn dispatch(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let invocation = match Invocation::parse(jobs(), arguments) {
        Ok(invocation) => invocation,
        Err(answer) => return answer.say(),
    };
    match invocation.verb {
        Verb::Run => run::run(&invocation),
        Verb::Plan => plan::plan(&invocation),
        Verb::List => list::list(&invocation),
    }
}

/// Says what went wrong, on stderr.
fn complain(problem: &dyn Display) {
    // Nothing is left to be told if stderr is gone.
    let _ = writeln!(std::io::stderr(), "error: {problem}");
}

/// Says why a job did not run, on stderr, and what that means for the exit code.
fn complain_of(error: &JobError, invocation: &Invocation) -> Exit {
    let message = invocation.message(error);
    match error {
        // Diagnostics open with their severity themselves.
        JobError::Refused(_) => {
            let _ = writeln!(std::io::stderr(), "{message}");
        }
        _ => complain(&message),
    }
    match error {
        JobError::Options(_) => Exit::Usage,
        _ if error.is_refusal() => Exit::Refused,
        _ => Exit::Failed,
    }
}
