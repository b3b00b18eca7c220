//! Names that things keep: operators by uid, subtasks by number, checkpoints by count.

use std::fmt;

use crate::key_group::fnv1a_64;

/// The longest uid, in bytes: it becomes a folder name, and most file systems stop at 255.
const UID_BYTES_MAX: usize = 128;

/// What an operator's state is filed under.
///
/// Derived from the author's uid where there is one, else from the operator's place in its job.
/// Zero is reserved for "unset" and never derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperatorId(pub u64);

impl OperatorId {
    /// The id of an operator: by its `uid` if it has one, else by its place in the graph and its
    /// `name` there.
    pub fn of(index: usize, uid: &str, name: &str) -> OperatorId {
        if uid.is_empty() { Self::from_stage(index, name) } else { Self::from_uid(uid) }
    }

    /// The id of the operator that the author named `uid`: it survives every other edit of the
    /// job.
    pub fn from_uid(uid: &str) -> OperatorId {
        OperatorId::from_text(&format!("uid/{uid}"))
    }

    /// The id of an operator without a uid: it changes when an operator before it comes or goes.
    pub fn from_stage(index: usize, name: &str) -> OperatorId {
        OperatorId::from_text(&format!("stage{index}/{name}"))
    }

    fn from_text(text: &str) -> OperatorId {
        OperatorId(fnv1a_64(text.as_bytes()).max(1))
    }
}

impl fmt::Display for OperatorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The stable name an author gives an operator; it becomes a folder name in checkpoints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperatorUid(String);

impl OperatorUid {
    /// Checks that `uid` can name a folder everywhere.
    ///
    /// # Errors
    /// [`UidError`] says which of its rules the text breaks.
    pub fn new(uid: impl Into<String>) -> Result<OperatorUid, UidError> {
        let uid = uid.into();
        if uid.is_empty() {
            return Err(UidError::Empty);
        }
        if uid.len() > UID_BYTES_MAX {
            return Err(UidError::TooLong { bytes: uid.len() });
        }
        if uid.starts_with('.') {
            return Err(UidError::LeadingDot);
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        match uid.chars().find(|&c| !allowed(c)) {
            Some(found) => Err(UidError::Character { found }),
            None => Ok(OperatorUid(uid)),
        }
    }

    /// The uid as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id that state of this uid is filed under.
    pub fn operator_id(&self) -> OperatorId {
        OperatorId::from_uid(&self.0)
    }
}

impl fmt::Display for OperatorUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text cannot be a uid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UidError {
    /// The text is empty.
    Empty,
    /// The text is longer than 128 bytes.
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// The text starts with a dot: the folder would be hidden.
    LeadingDot,
    /// The text holds something besides ASCII letters, digits, `.`, `_` and `-`.
    Character {
        /// The first such character.
        found: char,
    },
}

impl fmt::Display for UidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UidError::Empty => f.write_str("a uid cannot be empty"),
            UidError::TooLong { bytes } => {
                write!(f, "a uid has at most {UID_BYTES_MAX} bytes, this one has {bytes}")
            }
            UidError::LeadingDot => f.write_str("a uid cannot start with a dot"),
            UidError::Character { found } => write!(
                f,
                "a uid holds only ASCII letters, digits, `.`, `_` and `-`, found {found:?}"
            ),
        }
    }
}

impl std::error::Error for UidError {}

/// The number of a checkpoint within its job, counting up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckpointId(pub u64);

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A subtask's number in its plan, over all operators: a label for people, not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubtaskId(pub u32);

impl fmt::Display for SubtaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The name under which a worker registers, unique within its cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub String);

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Room for one subtask on a worker.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotId {
    /// The worker.
    pub worker: WorkerId,
    /// Its slot, from 0.
    pub index: u32,
}

impl fmt::Display for SlotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.worker, self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_id_is_the_hash_of_a_documented_text() {
        assert_eq!(OperatorId::from_uid("count"), OperatorId(fnv1a_64(b"uid/count")));
        assert_eq!(OperatorId::from_stage(3, "map"), OperatorId(fnv1a_64(b"stage3/map")));
        assert_eq!(OperatorId(255).to_string(), "00000000000000ff");
    }

    fn check(uid: &str, expect: Result<(), UidError>) {
        assert_eq!(OperatorUid::new(uid).map(|_| ()), expect, "{uid:?}");
    }

    #[test]
    fn a_uid_can_name_a_folder() {
        check("mean-delay", Ok(()));
        check("a.b_C-9", Ok(()));
        check(&"x".repeat(128), Ok(()));
        check("", Err(UidError::Empty));
        check(&"x".repeat(129), Err(UidError::TooLong { bytes: 129 }));
        check("..", Err(UidError::LeadingDot));
        check("a/b", Err(UidError::Character { found: '/' }));
        check("größe", Err(UidError::Character { found: 'ö' }));
    }
}
