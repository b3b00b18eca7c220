//! Is what `cargo run -- …` offers inside a job package: `run`, `plan`, `list`,
//! `completions`.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 the job failed, 2 usage,
//! 3 refused (graph or state), 130 interrupted.

mod answer;
mod choice;
mod command;
mod completions;
mod counts;
mod examples;
mod fit;
mod flags;
mod list;
pub(crate) mod log;
mod meter;
mod numbers;
mod progress;
mod say;
mod signals;
mod style;
mod suggest;
mod summary;
mod verb_flags;
pub mod verbs;
mod watcher;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::job::{JobError, jobs};

use command::{Invocation, Verb};
use log::LogOptions;
use say::{complain, exit_of};

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
    match invocation.verb {
        Verb::List => return list::list(&invocation),
        Verb::Completions => return invocation.completions(),
        Verb::Run | Verb::Plan => {}
    }
    // What was typed comes before what is built from it.
    let typed = LogOptions::from_flags(invocation.matches());
    let typed = typed.and_then(|log| Ok((log, invocation.options()?)));
    let (log, options) = match typed {
        Ok(typed) => typed,
        Err(problem) => return complain(&problem),
    };
    log::start(log);
    match (invocation.job(), invocation.verb) {
        (Ok(job), Verb::Plan) => verbs::plan(&job, &options, invocation.matches()),
        (Ok(job), _) => verbs::run(&job, &options, invocation.matches()),
        (Err(error), _) => {
            say::fail(&message(&invocation, &error));
            exit_of(&error)
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
