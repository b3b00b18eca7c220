//! Says where a JSON document is not what it should be, and what to write instead.

use std::fmt;

/// One place where a JSON document is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonProblem {
    /// The place in the document, as in `ops[3].parallelism`; empty for the document itself.
    pub path: String,
    /// What may stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
    /// What to do, where there is something to say.
    pub help: Option<String>,
}

impl fmt::Display for JsonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        write!(f, "expected {}, found {}", self.expected, self.found)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}
