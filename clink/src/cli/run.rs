//! Runs the chosen job and says how it went.

use std::io::Write;

use clink_runtime::local::{Ending, JobReport, NoObserver, Observer};

use super::command::Invocation;
use super::progress::ProgressLine;
use super::{Exit, complain, complain_of, signals};

pub(super) fn run(invocation: &Invocation) -> Exit {
    let job = match invocation.job() {
        Ok(job) => job,
        Err(error) => return complain_of(&error),
    };
    let options = match invocation.options() {
        Ok(options) => options,
        Err(error) => return complain_of(&error),
    };
    let signals = match signals::listen() {
        Ok(signals) => signals,
        Err(error) => {
            complain(&format!("listen for Ctrl-C: {error}"));
            return Exit::Failed;
        }
    };
    let mut line = ProgressLine::for_job(job.graph(), invocation.quiet());
    let mut nobody = NoObserver;
    let observer: &mut dyn Observer = match &mut line {
        Some(line) => line,
        None => &mut nobody,
    };
    let result = job.run_watched(&options, &signals, observer);
    if let Some(line) = &line {
        line.clear();
    }
    match result {
        Ok(report) => {
            if !invocation.quiet() {
                summarise(&report);
            }
            match report.ending {
                Ending::Finished => Exit::Done,
                Ending::Stopped | Ending::Cancelled => Exit::Interrupted,
            }
        }
        Err(error) => complain_of(&error),
    }
}

/// What a person should know of a run that ended well.
fn summarise(report: &JobReport) {
    let mut err = std::io::stderr().lock();
    for warning in &report.view.warnings {
        let _ = writeln!(err, "{warning}");
    }
    if let Some(id) = report.view.restored_from {
        let _ = writeln!(err, "restored from checkpoint {}", id.0);
    }
    if let Some((id, _)) = report.view.last_checkpoint {
        let _ = writeln!(err, "last checkpoint: {}", id.0);
    }
    match report.ending {
        Ending::Finished => {}
        Ending::Stopped => {
            let _ = writeln!(err, "stopped: what was in flight has been processed");
        }
        Ending::Cancelled => {
            let _ = writeln!(err, "cancelled");
        }
    }
}
