//! Says everything that keeps a document from being a job graph.

use std::fmt;

use crate::strict_json::{JsonProblem, fmt_problems};

/// Every place where a document is not a job graph; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphJsonError {
    /// The places, those of one operator together.
    pub problems: Vec<JsonProblem>,
}

impl fmt::Display for GraphJsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_problems(f, "read job graph:", &self.problems)
    }
}

impl std::error::Error for GraphJsonError {}
