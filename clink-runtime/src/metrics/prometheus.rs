//! Writes the series of a job as text that Prometheus reads (pure).
//!
//! Source: the text-based exposition format, version 0.0.4.

use std::fmt::{self, Write};

use super::series::{CheckpointReading, OperatorReading, Read, SERIES, SubtaskReading, Value};

/// What a reply over HTTP says that the text is.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Who an operator instance is.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// Its id in the graph.
    pub operator: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The author's uid; empty when none was given.
    pub uid: &'a str,
    /// Index of the instance.
    pub subtask_index: u32,
}

/// A job at some moment.
#[derive(Clone, Debug)]
pub struct Reading<'a> {
    /// Its name.
    pub job: &'a str,
    /// Every operator instance.
    pub operators: Vec<(Labels<'a>, OperatorReading<'a>)>,
    /// Every subtask, with the first operator of its chain.
    pub subtasks: Vec<(Labels<'a>, SubtaskReading<'a>)>,
    /// Its checkpoints; `None` if it takes none.
    pub checkpoints: Option<CheckpointReading>,
}

/// The text: for each series of the table that has a value, what it is and its values.
pub fn text(reading: &Reading<'_>) -> String {
    let mut text = String::new();
    for series in SERIES {
        let mut head = Some(series);
        let mut sample = |labels: Option<&Labels<'_>>, value: Option<Value>| -> fmt::Result {
            let Some(value) = value else { return Ok(()) };
            if let Some(series) = head.take() {
                writeln!(text, "# HELP {} {}", series.name, Escaped::help(series.help))?;
                writeln!(text, "# TYPE {} {}", series.name, series.kind.as_str())?;
            }
            write!(text, "{}{{job=\"{}\"", series.name, Escaped::value(reading.job))?;
            if let Some(Labels { operator, name, uid, subtask_index }) = labels {
                for (label, value) in [("operator", operator), ("name", name), ("uid", uid)] {
                    write!(text, ",{label}=\"{}\"", Escaped::value(value))?;
                }
                write!(text, ",subtask=\"{subtask_index}\"")?;
            }
            writeln!(text, "}} {value}")
        };
        // A string takes whatever is written to it.
        let _ = match series.read {
            Read::Operator(read) => (reading.operators.iter())
                .try_for_each(|(labels, operator)| sample(Some(labels), read(operator))),
            Read::Subtask(read) => (reading.subtasks.iter())
                .try_for_each(|(labels, subtask)| sample(Some(labels), read(subtask))),
            Read::Checkpoints(read) => sample(None, reading.checkpoints.as_ref().and_then(read)),
        };
    }
    text
}

/// Text with what would end it, or its line, escaped.
struct Escaped<'a> {
    text: &'a str,
    quotes: bool,
}

impl<'a> Escaped<'a> {
    fn value(text: &'a str) -> Self {
        Self { text, quotes: true }
    }

    fn help(text: &'a str) -> Self {
        Self { text, quotes: false }
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.chars().try_for_each(|character| match character {
            '\\' => f.write_str("\\\\"),
            '\n' => f.write_str("\\n"),
            '"' if self.quotes => f.write_str("\\\""),
            other => f.write_char(other),
        })
    }
}

#[cfg(test)]
mod tests;
