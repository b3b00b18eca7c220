//! Sorts keys into 128 key groups and key groups onto subtasks.
//!
//! Shape:  key → canonical bytes ([`KeyEncode`]) → key group ([`key_group_of`]) → subtask
//!         ([`subtask_for_key_group`]).
//! Limit:  the number of groups is fixed for the life of every job's state.
//!
//! One encoding serves routing, state, timers, windows and restore, so a record always meets the
//! state that was written for its key.
//!
//! Spread: each run of 128 integers that starts at a multiple of 128 has one key in every group,
//! so of `n` integers from 0 on, each group gets `n / 128`, rounded down or up. A subtask owns
//! `128 / p` groups, rounded down or up, so at parallelism `p` it gets at most
//! `ceil(128 / p) × ceil(n / 128)` of them, and none stays idle from 128 keys on. Fewer keys than
//! that may leave subtasks without one: of 100 subtasks, 43 for the keys `0..64`.
//! How even the shares can get is set by the groups: of 10,000 keys, the busiest subtask has 1.04
//! times the mean at parallelism 7, 1.02 times at 10 and 1.58 times at 100, where some subtasks
//! own two groups and most own one.

mod assign;
mod encode;
mod hash;
mod partition;

use std::fmt;

pub use assign::{key_group_range_for_subtask, overlapping_subtasks, subtask_for_key_group};
pub use encode::{KeyEncode, KeyLen, KeyWrite, encode_part, encoded_part_len};
pub use hash::{Fnv1a64, KeyGroupHasher, fnv1a_64, key_group_of};
pub use partition::{KeyGroupPartitioner, OutputCountMismatch, make_key_group_partitioner};

/// How many key groups there are: small enough that a range is cheap to seek, large enough that
/// doubling a job hands every new subtask whole groups.
pub const KEY_GROUP_COUNT: u16 = 128;

/// A bucket of keys, `0..KEY_GROUP_COUNT`: the unit in which keyed state moves on a rescale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyGroup(pub u16);

impl fmt::Display for KeyGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The key groups `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyGroupRange {
    /// The first group in the range.
    pub start: u16,
    /// The first group past it.
    pub end: u16,
}

impl KeyGroupRange {
    /// Every key group.
    pub const ALL: KeyGroupRange = KeyGroupRange { start: 0, end: KEY_GROUP_COUNT };

    /// Whether `group` lies in the range.
    #[inline]
    pub const fn contains(self, group: KeyGroup) -> bool {
        self.start <= group.0 && group.0 < self.end
    }

    /// What two ranges share; an empty range where they share nothing.
    pub fn overlap(self, other: KeyGroupRange) -> KeyGroupRange {
        let start = self.start.max(other.start);
        KeyGroupRange { start, end: self.end.min(other.end).max(start) }
    }

    /// Whether no group lies in the range, as for some subtasks above parallelism 128.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// How many groups lie in the range.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }
}

impl fmt::Display for KeyGroupRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
