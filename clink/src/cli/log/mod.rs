//! Says on stderr what a run has to tell: lines for people, or a JSON object each.
//!
//! The front is `tracing`: what the command says of a run and what an author's operators log go
//! one way, under one level. A usage error is answered before there is a log.

mod event;
mod json;
mod lines;
mod options;
mod text;

use std::io::{self, Write};
use std::sync::{Mutex, OnceLock, PoisonError};

use clink_runtime::operator::place;
use indicatif::ProgressBar;
use tracing_subscriber::layer::SubscriberExt;

pub use options::{LogFormat, LogOptions};
pub(crate) use options::{format_parser, level_parser};

use lines::Lines;

/// The line of progress, if there is one on the terminal that lines go to.
static PROGRESS: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// How lines are written, once they are.
static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// Starts to write what is logged to stderr.
///
/// A process has one subscriber: who installed one before, an author's `main` or another test of
/// the same binary, gets the lines instead.
pub fn start(options: LogOptions) {
    let lines = Lines::new(options.format, super::style::on_stderr(), Box::new(put));
    let subscriber = tracing_subscriber::registry().with(options.level).with(lines);
    if tracing::subscriber::set_global_default(subscriber).is_ok() {
        place::asked_by_log();
        // One process sets one subscriber, so nobody was here before.
        let _ = FORMAT.set(options.format);
    }
}

/// True if lines for people are written, and by us.
pub(super) fn is_for_people() -> bool {
    FORMAT.get() == Some(&LogFormat::Text)
}

/// Keeps lines clear of the line of progress from here on; `None` once it is gone.
pub(super) fn keep_clear_of(progress: Option<ProgressBar>) {
    *PROGRESS.lock().unwrap_or_else(PoisonError::into_inner) = progress;
}

/// Takes the line of progress away where nobody else will; waits for nobody who writes.
pub(super) fn clear_progress() {
    if let Ok(mut progress) = PROGRESS.try_lock()
        && let Some(progress) = progress.take()
    {
        progress.finish_and_clear();
    }
}

/// Writes one line, or the few of one thing, at once.
fn put(line: &str) {
    // Nobody is left to be told if the stream is gone.
    let write = || drop(io::stderr().lock().write_all(line.as_bytes()));
    let progress = PROGRESS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match progress {
        Some(progress) => progress.suspend(write),
        None => write(),
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(super) use tests::written;
