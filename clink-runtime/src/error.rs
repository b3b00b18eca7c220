//! Says whose an error is, what may be done next, and which operator it came from.

use std::fmt;

/// What author code returns: a value, or an [`Error`] made from any error by `?`.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Who can mend an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The author of the job: their code, their input or their configuration.
    Author,
    /// The world outside: files, disks, peers.
    External,
    /// The engine itself; a bug in clink.
    Engine,
}

/// What may be done after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Nothing: the same would happen again.
    Never,
    /// Start a new attempt from the last checkpoint.
    Restart,
    /// Start a new attempt after a while.
    Backoff,
}

/// An error of author code, from any error type by `?`.
///
/// It deliberately does not implement [`std::error::Error`]: that is what lets `?` convert every
/// error into it.
///
/// # Example
/// ```
/// fn parse(text: &str) -> clink_runtime::Result<u64> {
///     Ok(text.parse::<u64>()?)
/// }
/// assert!(parse("seven").unwrap_err().to_string().contains("invalid digit"));
/// ```
pub struct Error {
    source: Box<dyn std::error::Error + Send + Sync>,
    retry: Retry,
}

impl Error {
    /// An error with a message of its own.
    pub fn new(message: impl Into<String>) -> Self {
        Self { source: message.into().into(), retry: Retry::Restart }
    }

    /// Marks the error as one that a new attempt would only meet again.
    #[must_use]
    pub fn terminal(mut self) -> Self {
        self.retry = Retry::Never;
        self
    }

    /// What may be done next.
    pub fn retry(&self) -> Retry {
        self.retry
    }

    /// True if restored state does not fit the operator that takes it.
    fn is_refused_state(&self) -> bool {
        let state = self.source.downcast_ref::<crate::state::StateError>();
        let checkpoint = self.source.downcast_ref::<crate::checkpoint::CheckpointError>();
        state.is_some_and(crate::state::StateError::is_refusal)
            || checkpoint.is_some_and(crate::checkpoint::CheckpointError::is_refusal)
    }

    /// The error this one was made from.
    pub fn source(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        self.source.as_ref()
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    fn from(source: E) -> Self {
        Self { source: Box::new(source), retry: Retry::Restart }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.source)?;
        let mut cause = self.source.source();
        while let Some(inner) = cause {
            write!(f, ": {inner}")?;
            cause = inner.source();
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

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
        origin: Origin,
        /// What it said.
        error: Error,
    },
    /// Author code panicked.
    #[error("{origin}: panicked: {message}{}", at(.location))]
    Panic {
        /// Where.
        origin: Origin,
        /// The panic's message.
        message: String,
        /// `file:line:column` of the panic, when it is known.
        location: Option<String>,
    },
    /// A planned operator could not be built from the graph.
    #[error("build {origin}: {message}")]
    Build {
        /// Which.
        origin: Origin,
        /// Why, and what to do.
        message: String,
    },
    /// A checkpoint could not be written or read.
    #[error(transparent)]
    Checkpoint(#[from] crate::checkpoint::CheckpointError),
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
    /// True if saved state was refused: nothing has run.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Checkpoint(error) => error.is_refusal(),
            Self::Operator { error, .. } => error.is_refused_state(),
            _ => false,
        }
    }

    /// Who can mend it.
    pub fn domain(&self) -> Domain {
        match self {
            Self::Operator { .. } | Self::Panic { .. } | Self::Build { .. } => Domain::Author,
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
            Self::Build { .. } | Self::Stalled { .. } => Retry::Never,
            Self::Checkpoint(error) => error.retry(),
            Self::System { .. } => Retry::Backoff,
        }
    }
}

