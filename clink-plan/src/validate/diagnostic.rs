//! One thing that is wrong with a job graph, and what to do about it.

use std::fmt;

use crate::descriptor::{Locations, SourceLocation};
use crate::plain::Plain;

/// Whether a graph can be planned in spite of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The graph is not planned.
    Error,
    /// The graph is planned, and the author should know.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// One thing that is wrong with a job graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that is broken: `P0001`, …, listed in [`super::RULES`].
    pub code: &'static str,
    /// Whether the graph can be planned all the same.
    pub severity: Severity,
    /// The id of the operator concerned; `None` if the graph as a whole is.
    pub operator: Option<String>,
    /// Where the author wrote that operator, if it is known.
    pub location: Option<SourceLocation>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// The same, with the place at which the author wrote the operator, if that is known.
    #[must_use]
    pub fn located(mut self, locations: &Locations) -> Self {
        let known = self.operator.as_ref().and_then(|operator| locations.get(operator));
        self.location = self.location.or(known.copied());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.severity, self.code)?;
        match &self.operator {
            Some(operator) => write!(f, " operator `{}`", Plain(operator))?,
            None => f.write_str(" graph")?,
        }
        if let Some(location) = &self.location {
            write!(f, " ({location})")?;
        }
        write!(f, ": {}", Plain(&self.message))?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {}", Plain(help)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}
