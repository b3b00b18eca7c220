//! Says whose an error is and what may be done next; is what author code returns.

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

/// An error of author code: from any error type by `?`, and from text, `Err("no table".into())`.
///
/// It deliberately does not implement [`std::error::Error`]: that is what lets `?` convert every
/// error into it.
///
/// # Example
/// ```
/// fn parse(text: &str) -> clink_runtime::Result<u64> {
///     Ok(text.parse::<u64>()?)
/// }
/// fn positive(n: i64) -> clink_runtime::Result<i64> {
///     if n > 0 { Ok(n) } else { Err(format!("{n} is not positive").into()) }
/// }
/// assert_eq!(positive(-1).unwrap_err().to_string(), "-1 is not positive");
/// assert!(parse("seven").unwrap_err().to_string().contains("invalid digit"));
/// ```
pub struct Error {
    source: Box<dyn std::error::Error + Send + Sync>,
    retry: Retry,
    refusal: bool,
}

impl Error {
    /// An error with a message of its own.
    pub fn new(message: impl Into<String>) -> Self {
        Self { source: message.into().into(), retry: Retry::Restart, refusal: false }
    }

    /// Marks the error as one that a new attempt would only meet again.
    #[must_use]
    pub fn terminal(mut self) -> Self {
        self.retry = Retry::Never;
        self
    }

    /// Marks the error as a refusal of restored state, which a new attempt would only meet again.
    #[must_use]
    pub fn refusal(mut self) -> Self {
        self.refusal = true;
        self.terminal()
    }

    /// True if restored state was refused.
    pub fn is_refusal(&self) -> bool {
        self.refusal
    }

    /// What may be done next.
    pub fn retry(&self) -> Retry {
        self.retry
    }

    /// The error this one was made from.
    pub fn source(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        self.source.as_ref()
    }
}

impl<E: Into<Box<dyn std::error::Error + Send + Sync>>> From<E> for Error {
    fn from(source: E) -> Self {
        Self { source: source.into(), retry: Retry::Restart, refusal: false }
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
