//! Collects what an event and the spans around it say, whatever it is written as.

use std::fmt;

use clink_runtime::operator::place::Place;
use serde_json::{Number, Value};
use tracing::Level;
use tracing::field::{Field, Visit};

/// Where what the command says comes from, and the spans of the engine.
pub(super) const OURS: &str = "clink";

/// The span around a whole run, and the job's name in it; any other span of ours is an operator's.
pub(super) const RUN: &str = "job";

/// The field whose value stands for the message in text.
pub(super) const SHOWN: &str = "shown";

/// Named values, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    pub(super) message: Option<String>,
    /// What a person reads instead of the level and the message.
    pub(super) shown: Option<String>,
    pub(super) named: Vec<(&'static str, Value)>,
}

/// One line to be.
#[derive(Debug)]
pub(super) struct Said<'a> {
    /// Milliseconds since the epoch.
    pub(super) at_ms: i64,
    pub(super) level: Level,
    /// The module it comes from.
    pub(super) target: &'a str,
    pub(super) fields: Fields,
    /// The spans around it by name, the outermost first.
    pub(super) spans: Vec<&'static str>,
    /// What they hold, the outermost first.
    pub(super) around: Vec<(&'static str, Value)>,
    /// What the run as a whole holds: which job it is.
    pub(super) run: Vec<(&'static str, Value)>,
    /// The operator that said it, and in which of its subtasks.
    pub(super) place: Option<Place>,
}

impl Said<'_> {
    /// True if the command or the engine said it, and not the author of a job.
    pub(super) fn is_ours(&self) -> bool {
        let root = self.target.split("::").next().unwrap_or_default();
        ["clink", "clink_plan", "clink_runtime"].contains(&root)
    }

    /// Where in the job it was said, as values.
    pub(super) fn place(&self) -> Vec<(&'static str, Value)> {
        self.place.as_ref().map_or_else(Vec::new, |place| {
            let Place { operator, subtask_index, .. } = place;
            vec![("operator", operator.as_str().into()), ("subtask", (*subtask_index).into())]
        })
    }

    /// Its own values after those of the spans around it; of two with one name the inner one.
    pub(super) fn values(&self) -> Vec<&(&'static str, Value)> {
        let mut all: Vec<&(&'static str, Value)> = Vec::new();
        for value in self.around.iter().chain(&self.fields.named) {
            match all.iter_mut().find(|other| other.0 == value.0) {
                Some(outer) => *outer = value,
                None => all.push(value),
            }
        }
        all
    }
}

impl Fields {
    fn add(&mut self, field: &Field, value: Value) {
        let text = match (field.name(), &value) {
            ("message", Value::String(text)) => return self.message = Some(text.clone()),
            (SHOWN, Value::String(text)) => Some(text.clone()),
            _ => None,
        };
        match text {
            // Not said twice, and nothing where it is empty: the message says it all.
            Some(text) => self.shown = Some(text).filter(|text| !text.is_empty()),
            None => {
                self.named.retain(|(name, _)| *name != field.name());
                self.named.push((field.name(), value));
            }
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, Value::String(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, Value::String(value.to_owned()));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value.into());
    }

    /// JSON has no word for what is no number: it gets the word as text.
    fn record_f64(&mut self, field: &Field, value: f64) {
        let number = Number::from_f64(value).map(Value::Number);
        self.add(field, number.unwrap_or_else(|| Value::String(value.to_string())));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.add(field, Value::String(value.to_string()));
    }
}
