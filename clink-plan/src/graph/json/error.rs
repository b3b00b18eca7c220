//! Says everything that keeps a document from being a job graph.

use std::fmt;

use crate::strict_json::{JsonProblem, fmt_problems};
use crate::validate::{Diagnostic, Rule, Severity};

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

/// What only the reading of a document can find wrong; the rules of the graph it describes are
/// [`crate::validate::RULES`].
pub const RULES: &[Rule] =
    &[Rule { code: "P0700", meaning: "a document holds what the JSON of a job graph may hold" }];

impl GraphJsonError {
    /// The places as diagnostics, for those who list them with others.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let diagnostic = |problem: &JsonProblem| Diagnostic {
            code: "P0700",
            severity: Severity::Error,
            operator: None,
            location: None,
            message: JsonProblem { help: None, ..problem.clone() }.to_string(),
            help: problem.help.clone(),
        };
        self.problems.iter().map(diagnostic).collect()
    }
}
