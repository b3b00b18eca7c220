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
mod progress;
mod signals;
pub mod verbs;
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
pub enum Exit {
    /// It did what was asked.
    Done,
    /// The job failed.
    Failed,
    /// The command line makes no sense.
    Usage,
    /// The job was refused before anything ran: its graph or its state.
    Refused,
    /// The job was stopped before its end.
    Interrupted,
}

impl Exit {
    /// The exit code of the process.
    pub fn code(self) -> u8 {
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
    if invocation.verb == Verb::List {
        return list::list(&invocation);
    }
    // What was typed comes before what is built from it.
    let built = invocation.options().and_then(|options| Ok((options, invocation.job()?)));
    match (built, invocation.verb) {
        (Ok((options, job)), Verb::Plan) => verbs::plan(&job, &options, invocation.matches()),
        (Ok((options, job)), _) => verbs::run(&job, &options, invocation.quiet()),
        (Err(error), _) => {
            complain(&message(&invocation, &error));
            verbs::exit_of(&error)
        }
    }
}

/// Why no job was built; what a build function returns knows neither job nor place.
fn message(invocation: &Invocation, error: &JobError) -> String {
    match (error, invocation.entry()) {
        (JobError::Build(error), Some(job)) => {
            format!("build job `{}` ({}): {error}", job.name, job.location)
        }
        _ => error.to_string(),
    }
}

/// Says what went wrong, on stderr.
fn complain(problem: &dyn Display) {
    // Nothing is left to be told if stderr is gone.
    let _ = writeln!(std::io::stderr(), "error: {problem}");
}
