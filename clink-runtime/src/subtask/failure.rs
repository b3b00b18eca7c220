//! Says why a job did not run to its end, and which operator instance was at hand.

use std::fmt;

use crate::checkpoint::CheckpointError;
use crate::error::{Domain, Error, Retry};
use crate::state::StateError;

/// The operator instance an error came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Id of the operator in the graph, as `op_3`.
    pub operator: String,
    /// Its label: the display name, else the last part of its type's name.
    pub name: String,
    /// The author's uid; empty when none was given.
    pub uid: String,
    /// Index of the subtask among its siblings.
    pub subtask_index: u32,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operator `{}` ({}", self.name, self.operator)?;
        if !self.uid.is_empty() {
            write!(f, ", uid `{}`", self.uid)?;
        }
        write!(f, "), subtask {}", self.subtask_index)
    }
}

/// Why a job did not run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// Author code returned an error.
    #[error("{origin}: {error}")]
    Operator {
        /// Where.
        origin: Box<Origin>,
        /// What it said.
        error: Error,
    },
    /// Author code panicked.
    #[error("{origin}: panicked: {message}{}", at(.location))]
    Panic {
        /// Where.
        origin: Box<Origin>,
        /// The panic's message.
        message: String,
        /// `file:line:column` of the panic, when it is known.
        location: Option<String>,
    },
    /// A planned operator could not be built from the graph.
    #[error("build {origin}: {message}")]
    Build {
        /// Which.
        origin: Box<Origin>,
        /// Why, and what to do.
        message: String,
    },
    /// The graph asks for what the engine does not have, or gives built-in operators parameters
    /// that do not fit: nothing has run.
    #[error("{}", .problems.join("\n"))]
    Refused {
        /// Everything that is wrong with it, a problem each.
        problems: Vec<String>,
    },
    /// A checkpoint could not be written or read.
    #[error(transparent)]
    Checkpoint(Box<CheckpointError>),
    /// No subtask can make progress and the job has not ended: a bug in the engine.
    #[error("the job stands still: {subtasks} of its subtasks wait for each other ({detail})")]
    Stalled {
        /// How many subtasks have not finished.
        subtasks: usize,
        /// What each waits for.
        detail: String,
    },
    /// The operating system refused something the engine needs.
    #[error("{action}: {source}")]
    System {
        /// What was being done.
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

fn at(location: &Option<String>) -> String {
    location.as_ref().map(|place| format!(" (at {place})")).unwrap_or_default()
}

impl RuntimeError {
    /// True if the graph or saved state was refused: nothing has run.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Refused { .. } => true,
            Self::Checkpoint(error) => error.is_refusal(),
            Self::Operator { error, .. } => is_refused_state(error),
            _ => false,
        }
    }

    /// Who can mend it.
    pub fn domain(&self) -> Domain {
        match self {
            Self::Operator { .. }
            | Self::Panic { .. }
            | Self::Build { .. }
            | Self::Refused { .. } => Domain::Author,
            Self::Checkpoint(error) => error.domain(),
            Self::System { .. } => Domain::External,
            Self::Stalled { .. } => Domain::Engine,
        }
    }

    /// What may be done next.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Operator { error, .. } => error.retry(),
            Self::Panic { .. } => Retry::Restart,
            Self::Build { .. } | Self::Refused { .. } | Self::Stalled { .. } => Retry::Never,
            Self::Checkpoint(error) => error.retry(),
            Self::System { .. } => Retry::Backoff,
        }
    }
}

impl From<CheckpointError> for RuntimeError {
    fn from(error: CheckpointError) -> Self {
        Self::Checkpoint(Box::new(error))
    }
}

/// True if restored state does not fit the operator that takes it.
fn is_refused_state(error: &Error) -> bool {
    let state = error.source().downcast_ref::<StateError>();
    let checkpoint = error.source().downcast_ref::<CheckpointError>();
    error.is_refusal()
        || state.is_some_and(StateError::is_refusal)
        || checkpoint.is_some_and(CheckpointError::is_refusal)
}
