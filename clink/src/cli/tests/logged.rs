//! Runs jobs whose authors log, and reads what comes out with what the command says.

use tracing::Level;
use tracing::level_filters::LevelFilter;

use super::{COUNT, typed};
use crate::Job;
use crate::cli::log::{self, LogFormat, LogOptions, written};
use crate::cli::verbs;
use crate::prelude::*;

/// Logs what it does not let pass, as a package of that name would.
fn picky() -> Job {
    let build = |pipeline: &Pipeline| {
        pipeline
            .generate(6, |n| n)
            .uid("numbers")
            .filter(|n| {
                match n {
                    5 => tracing::warn!(target: "picky", n, "last"),
                    3 => tracing::info!(target: "picky", n, kind = "odd", "left out"),
                    _ => tracing::debug!(target: "picky", n, "looked at"),
                }
                n % 2 == 0
            })
            .sink(blackhole());
        Ok(())
    };
    Job::build("picky", build).unwrap()
}

/// The simulation runs on the thread of this test, whose subscriber is the test's own.
#[test]
fn what_an_author_logs_comes_out_with_what_the_command_says() {
    let invocation = typed(&[&COUNT], "--scheduler simulation").unwrap();
    let (options, job) = (invocation.options().unwrap(), picky());
    let says = written(Level::INFO, || {
        let exit = verbs::run(&job, &options, invocation.matches());
        assert_eq!(exit, crate::cli::Exit::Done);
    });
    let (logged, ended) = says.split_at(says.find("finished in ").unwrap());
    assert_eq!(
        logged,
        "left out n=3 kind=odd operator=op_1 subtask=0\n\
         warning: last n=5 operator=op_1 subtask=0\n"
    );
    assert!(ended.contains(": 6 records read") && ended.ends_with(", 3 written\n"), "{ended}");
}

#[test]
fn a_process_that_has_a_log_keeps_it() {
    let silent = LogOptions { level: LevelFilter::OFF, format: LogFormat::Text };
    log::start(silent);
    // Another, as a second test of one binary starts it, neither fails nor takes the lines over.
    log::start(LogOptions { format: LogFormat::Json, ..LogOptions::default() });
    assert!(log::is_for_people());
}
