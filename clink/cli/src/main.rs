//! Is the stand-alone command `clink`: it plans and runs job graphs that were written by hand.
//!
//! Results go to stdout, everything else to stderr; exit codes are those of [`clink::cli::Exit`].
#![forbid(unsafe_code)]

mod flags;
mod graph_file;
mod list;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::ArgMatches;
use clink::cli::verbs::LogOptions;
use clink::cli::{Exit, verbs};
use clink::{Job, JobError, RunOptions};

fn main() -> ExitCode {
    dispatch(std::env::args_os()).code().into()
}

fn dispatch(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut command = flags::command();
    let matches = match command.try_get_matches_from_mut(&arguments) {
        Ok(matches) => matches,
        Err(mut error) => {
            verbs::explain(&mut error, &command, &arguments);
            flags::explain_graph(&mut error);
            // A closed stream is nobody's concern.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Done };
        }
    };
    match matches.subcommand() {
        Some((flags::PLAN, matches)) => match prepare(matches) {
            Ok((job, options)) => verbs::plan(&job, &options, matches),
            Err(error) => verbs::refuse_plan(&error, matches),
        },
        Some((flags::LIST, _)) => list::list(),
        Some((flags::COMPLETIONS, matches)) => {
            verbs::completions(flags::command(), flags::PROGRAM, matches)
        }
        Some((_, matches)) => match prepare(matches) {
            Ok((job, options)) => verbs::run(&job, &options, matches),
            Err(error) => verbs::refuse(&error),
        },
        None => Exit::Usage,
    }
}

/// The job that the command line names, and how to run it; what comes after it is logged.
fn prepare(matches: &ArgMatches) -> Result<(Job, RunOptions), JobError> {
    // What was typed comes before what is read.
    let log = LogOptions::from_flags(matches).map_err(JobError::Options)?;
    let options = RunOptions::from_flags(matches).map_err(JobError::Options)?;
    verbs::start_log(log);
    Ok((graph_file::job(matches)?, options))
}
