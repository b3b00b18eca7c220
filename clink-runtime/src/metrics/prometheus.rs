//! Writes the series of a job as text that Prometheus reads (pure).
//!
//! Source: the text-based exposition format, version 0.0.4.

use std::fmt::{self, Write};

use super::Accumulated;
use super::series::{
    CheckpointReading, OperatorReading, Read, SERIES, Series, SubtaskReading, Value,
};

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
    /// Every accumulator.
    pub accumulators: &'a [Accumulated],
    /// Its checkpoints; `None` if it takes none.
    pub checkpoints: Option<CheckpointReading>,
}

/// The text: for each series of the table that has a value, what it is and its values.
pub fn text(reading: &Reading<'_>) -> String {
    let mut text = String::new();
    for series in SERIES {
        // A string takes whatever is written to it.
        let _ = each(reading, series, &mut Samples::of(series, reading.job, &mut text));
    }
    text
}

fn each(reading: &Reading<'_>, series: &Series, samples: &mut Samples<'_>) -> fmt::Result {
    let Reading { operators, subtasks, accumulators, checkpoints, .. } = reading;
    match series.read {
        Read::Operator(read) => (operators.iter())
            .try_for_each(|(labels, operator)| samples.of_instance(labels, None, read(operator))),
        Read::Custom(read) => operators.iter().try_for_each(|(labels, operator)| {
            read(operator.counters.custom()).into_iter().try_for_each(|(metric, value)| {
                samples.of_instance(labels, Some(("metric", &metric)), Some(value))
            })
        }),
        Read::Accumulator(read) => accumulators.iter().try_for_each(|accumulated| {
            let Accumulated { operator, name, .. } = accumulated;
            let labels = [("operator", operator.as_str()), ("accumulator", name)];
            samples.add(&labels, Some(read(accumulated)))
        }),
        Read::Subtask(read) => (subtasks.iter())
            .try_for_each(|(labels, subtask)| samples.of_instance(labels, None, read(subtask))),
        Read::Checkpoints(read) => samples.add(&[], checkpoints.as_ref().and_then(read)),
    }
}

/// Writes the values of one series.
struct Samples<'t> {
    text: &'t mut String,
    job: &'t str,
    series: &'static Series,
    told: bool,
}

impl<'t> Samples<'t> {
    fn of(series: &'static Series, job: &'t str, text: &'t mut String) -> Self {
        Self { text, job, series, told: false }
    }

    fn of_instance(
        &mut self,
        labels: &Labels<'_>,
        more: Option<(&str, &str)>,
        value: Option<Value>,
    ) -> fmt::Result {
        let Labels { operator, name, uid, subtask_index } = *labels;
        let subtask = subtask_index.to_string();
        let own = [("operator", operator), ("name", name), ("uid", uid), ("subtask", &subtask)];
        self.add(&own.into_iter().chain(more).collect::<Vec<_>>(), value)
    }

    /// Adds a value, if it is one; the first one after what the series is.
    fn add(&mut self, labels: &[(&str, &str)], value: Option<Value>) -> fmt::Result {
        let Some(value) = value else { return Ok(()) };
        let Self { text, job, series: Series { name, kind, help, .. }, told } = self;
        if !std::mem::replace(told, true) {
            writeln!(text, "# HELP {name} {}", Escaped::help(help))?;
            writeln!(text, "# TYPE {name} {}", kind.as_str())?;
        }
        write!(text, "{name}{{job=\"{}\"", Escaped::value(job))?;
        for (label, value) in labels {
            write!(text, ",{label}=\"{}\"", Escaped::value(value))?;
        }
        writeln!(text, "}} {value}")
    }
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
