//! Says what came of a command: results on stdout, complaints on stderr or in the log.

use std::fmt::Display;
use std::io::Write;

use clink_plan::validate::{Diagnostic, Severity};
use clink_runtime::RuntimeError;
use clink_runtime::operator::source::RecordError;

use crate::job::JobError;

use super::{Exit, style};

/// Writes a result to stdout.
pub fn print(text: &str) -> Exit {
    match writeln!(std::io::stdout(), "{}", text.trim_end()) {
        Ok(()) => Exit::Done,
        Err(error) => {
            // Who closes a pipe has seen enough.
            if error.kind() == std::io::ErrorKind::BrokenPipe {
                return Exit::Done;
            }
            // Not every verb has a log.
            complain(&format!("write to standard output: {error}"));
            Exit::Failed
        }
    }
}

/// Says what makes no sense about a command line, on stderr; there is no log yet, or none is meant.
pub fn complain(problem: &dyn Display) -> Exit {
    let line = format!("error: {problem}");
    let line = if style::on_stderr() { style::opening(&line) } else { line };
    // Nothing is left to be told if stderr is gone.
    let _ = writeln!(std::io::stderr(), "{line}");
    Exit::Usage
}

/// Logs that something went wrong.
pub(super) fn fail(problem: &dyn Display) -> Exit {
    tracing::error!(target: "clink", "{problem}");
    Exit::Failed
}

/// Logs what a person should know though a run goes on; a diagnostic opens with its severity.
pub(super) fn warn(warning: &str) {
    match coded(warning, Severity::Warning) {
        Some((code, message)) => {
            tracing::warn!(target: "clink", code, shown = warning, "{message}");
        }
        None => tracing::warn!(target: "clink", "{warning}"),
    }
}

/// The code and the message of a diagnostic that has become text.
fn coded(text: &str, severity: Severity) -> Option<(&str, &str)> {
    text.strip_prefix(&format!("{severity}["))?.split_once("] ")
}

/// Says why a job did not run and what that means for the exit code.
pub fn refuse(error: &JobError) -> Exit {
    refuse_with(error, "")
}

/// The same, with something to add for who typed the command line.
pub(super) fn refuse_with(error: &JobError, note: &str) -> Exit {
    if let Some(mut diagnostics) = error.diagnostics() {
        // What must be mended comes before what should be known.
        diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
        diagnostics.iter().for_each(log);
        return exit_of(error);
    }
    match error {
        JobError::Options(_) => drop(complain(error)),
        JobError::Run(RuntimeError::Refused { problems }) => {
            problems.iter().for_each(|problem| log_text(problem));
        }
        JobError::Run(failure) => {
            let (origin, help) = (origin(failure), help(failure));
            let shown = help.map(|help| format!("error: {error}{note}\n  help: {help}"));
            tracing::error!(
                target: "clink",
                operator = origin.map(|(operator, _)| operator),
                subtask = origin.map(|(_, subtask)| subtask),
                help,
                shown,
                "{error}{note}"
            );
        }
        _ => drop(fail(error)),
    }
    exit_of(error)
}

fn log(diagnostic: &Diagnostic) {
    let Diagnostic { code, severity, operator, message, help, .. } = diagnostic;
    let (operator, help) = (operator.as_deref(), help.as_deref());
    let location = diagnostic.location.as_ref().map(ToString::to_string);
    let (location, shown) = (location.as_deref(), diagnostic.to_string());
    let shown = shown.as_str();
    match severity {
        Severity::Error => tracing::error!(
            target: "clink", code, operator, location, help, shown, "{message}"
        ),
        Severity::Warning => tracing::warn!(
            target: "clink", code, operator, location, help, shown, "{message}"
        ),
    }
}

/// Logs a problem of a graph that has become text, and opens with its severity.
fn log_text(problem: &str) {
    if coded(problem, Severity::Warning).is_some() {
        return warn(problem);
    }
    match (coded(problem, Severity::Error), problem.strip_prefix("error: ")) {
        (Some((code, message)), _) => {
            tracing::error!(target: "clink", code, shown = problem, "{message}");
        }
        (None, message) => tracing::error!(target: "clink", "{}", message.unwrap_or(problem)),
    }
}

/// What may be done about a failure.
fn help(failure: &RuntimeError) -> Option<&'static str> {
    let RuntimeError::Operator { error, .. } = failure else { return None };
    error.source().downcast_ref::<RecordError>().map(|_| {
        "`--on-bad-record skip` counts such records and goes on, `--on-bad-record bad.ndjson` \
         keeps them in a file"
    })
}

/// The operator instance that a failure came from: the operator's id, and the subtask's index.
fn origin(failure: &RuntimeError) -> Option<(&str, u32)> {
    match failure {
        RuntimeError::Operator { origin, .. }
        | RuntimeError::Panic { origin, .. }
        | RuntimeError::Build { origin, .. } => Some((&origin.operator, origin.subtask_index)),
        _ => None,
    }
}

/// What an error means for the exit code.
pub fn exit_of(error: &JobError) -> Exit {
    match error {
        JobError::Options(_) => Exit::Usage,
        _ if error.is_refusal() => Exit::Refused,
        _ => Exit::Failed,
    }
}
