//! Points at a place in the author's source.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;

/// A place in the author's source, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLocation {
    /// The file, as the compiler names it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// Where the author wrote each operator of a job, by operator id, as far as it is known.
pub type Locations = BTreeMap<String, SourceLocation>;

impl SourceLocation {
    /// Where the caller of the surrounding `#[track_caller]` functions stands.
    #[track_caller]
    pub const fn caller() -> SourceLocation {
        let location = Location::caller();
        SourceLocation { file: location.file(), line: location.line(), column: location.column() }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn author_calls_this() -> SourceLocation {
        SourceLocation::caller()
    }

    #[test]
    fn a_location_is_that_of_the_author() {
        let location = author_calls_this();
        assert_eq!(location.line, line!() - 1);
        assert!(location.to_string().ends_with(&format!("location.rs:{}:24", location.line)));
    }
}
