//! Runs the chosen job and says how it went.

use clink_runtime::local::Ending;

use super::command::Invocation;
use super::watcher::Watcher;
use super::{Exit, complain, complain_of, signals};

pub(super) fn run(invocation: &Invocation) -> Exit {
    // What was typed comes before what was built from it.
    let options = match invocation.options() {
        Ok(options) => options,
        Err(error) => return complain_of(&error, invocation),
    };
    let job = match invocation.job() {
        Ok(job) => job,
        Err(error) => return complain_of(&error, invocation),
    };
    let signals = match signals::listen() {
        Ok(signals) => signals,
        Err(error) => {
            complain(&format!("listen for Ctrl-C: {error}"));
            return Exit::Failed;
        }
    };
    let mut watcher = Watcher::for_job(job.graph(), invocation.quiet());
    let result = job.run_watched(&options, &signals, &mut watcher);
    watcher.clear();
    match result {
        Ok(report) => {
            watcher.ended(&report);
            match report.ending {
                Ending::Finished => Exit::Done,
                Ending::Stopped | Ending::Cancelled => Exit::Interrupted,
            }
        }
        Err(error) => complain_of(&error, invocation),
    }
}
