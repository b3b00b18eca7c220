//! Says everything that keeps a document from being a chain spec.

use std::fmt;

use crate::strict_json::{JsonProblem, fmt_problems};

/// Every place where a document is not a chain spec; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainJsonError {
    /// The places, those of one operator, edge or group together.
    pub problems: Vec<JsonProblem>,
}

impl fmt::Display for ChainJsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_problems(f, "read chain spec:", &self.problems)
    }
}

impl std::error::Error for ChainJsonError {}
