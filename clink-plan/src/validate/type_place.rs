//! Says where in a graph operators of a registered type may stand.

use std::fmt;

/// A place that a type is registered for: its role and the element types it connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypePlace<'r> {
    /// Reads nothing.
    Source {
        /// What it emits.
        out: &'r str,
    },
    /// Reads one stream, or several of one type.
    Operator {
        /// What it reads.
        input: &'r str,
        /// What it emits.
        out: &'r str,
    },
    /// Emits nothing.
    Sink {
        /// What it reads.
        input: &'r str,
    },
    /// Matches the records of two streams.
    Join {
        /// What its first input carries.
        left: &'r str,
        /// What its second input carries.
        right: &'r str,
        /// What it emits.
        out: &'r str,
    },
    /// Reads two streams of two types.
    CoOperator {
        /// What one input carries.
        first: &'r str,
        /// What the other input carries.
        second: &'r str,
        /// What it emits.
        out: &'r str,
    },
}

impl fmt::Display for TypePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source { out } => write!(f, "a source of {out}"),
            Self::Operator { input, out } => write!(f, "an operator from {input} to {out}"),
            Self::Sink { input } => write!(f, "a sink of {input}"),
            Self::Join { left, right, out } => write!(f, "a join of {left} and {right} to {out}"),
            Self::CoOperator { first, second, out } => {
                write!(f, "a co-operator on {first} and {second} to {out}")
            }
        }
    }
}

/// All the places of a type, in words.
pub(super) fn registered_as(places: &[TypePlace<'_>]) -> String {
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    format!("registered as {}", places.join(", "))
}
