//! Says what is to be said where nothing is run: help, a version, a mistake in the command line.

use std::io::Write;

use super::Exit;
use super::say::complain;

/// What is said instead of running anything.
#[derive(Debug)]
pub(super) enum Answer {
    /// Help or a complaint, as clap words and colours it.
    Clap(clap::Error),
    /// What was asked for.
    Text(String),
    /// A mistake.
    Usage(String),
}

impl Answer {
    /// What it means for the exit code.
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Clap(error) if error.use_stderr() => Exit::Usage,
            Self::Usage(_) => Exit::Usage,
            Self::Clap(_) | Self::Text(_) => Exit::Done,
        }
    }

    /// Says it: an answer goes to stdout, a complaint to stderr; a closed stream is nobody's
    /// concern.
    pub(super) fn say(&self) -> Exit {
        match self {
            Self::Clap(error) => {
                let _ = error.print();
            }
            Self::Text(text) => {
                let _ = write!(std::io::stdout(), "{text}");
            }
            Self::Usage(problem) => drop(complain(problem)),
        }
        self.exit()
    }

    /// What is said, without colours.
    #[cfg(test)]
    pub(super) fn text(&self) -> String {
        match self {
            Self::Clap(error) => error.render().to_string(),
            Self::Text(text) => text.clone(),
            Self::Usage(problem) => format!("error: {problem}\n"),
        }
    }
}
