//! Deals key groups out to subtasks in contiguous ranges.

use super::{KEY_GROUP_COUNT, KeyGroup, KeyGroupRange};

/// The subtask that owns `group` at `parallelism`: `group * parallelism / 128`, and 0 at
/// parallelism 0.
///
/// # Example
/// ```
/// use clink_plan::key_group::{KeyGroup, subtask_for_key_group};
/// assert_eq!(subtask_for_key_group(KeyGroup(64), 3), 1);
/// ```
#[inline]
pub const fn subtask_for_key_group(group: KeyGroup, parallelism: u32) -> u32 {
    // A group below 128 times a u32, divided by 128, fits a u32 again.
    (group.0 as u64 * parallelism as u64 / KEY_GROUP_COUNT as u64) as u32
}

/// The groups that subtask `index` of `parallelism` owns: the inverse of
/// [`subtask_for_key_group`].
///
/// The ranges of all subtasks tile `0..128`; above parallelism 128 some are empty.
///
/// # Example
/// ```
/// use clink_plan::key_group::{KeyGroupRange, key_group_range_for_subtask};
/// let third = key_group_range_for_subtask(1, 3);
/// assert_eq!(third, KeyGroupRange { start: 43, end: 86 });
/// ```
pub const fn key_group_range_for_subtask(index: u32, parallelism: u32) -> KeyGroupRange {
    KeyGroupRange {
        start: first_group(index as u64, parallelism),
        end: first_group(index as u64 + 1, parallelism),
    }
}

/// Which of `old` subtasks hold the groups that subtask `index` of `new` owns, and which part of
/// its range each of them holds: what a restore at another parallelism has to read.
///
/// The parts tile the new subtask's range, in order, and none is empty. The work is that of the
/// answer: old subtasks that own nothing are never visited.
///
/// # Example
/// ```
/// use clink_plan::key_group::{KeyGroupRange, overlapping_subtasks};
/// let parts: Vec<_> = overlapping_subtasks(1, 3, 2).collect();
/// let range = |start, end| KeyGroupRange { start, end };
/// assert_eq!(parts, [(0, range(43, 64)), (1, range(64, 86))]);
/// ```
pub fn overlapping_subtasks(
    index: u32,
    new: u32,
    old: u32,
) -> impl Iterator<Item = (u32, KeyGroupRange)> {
    let mut left = key_group_range_for_subtask(index, new);
    std::iter::from_fn(move || {
        // Without old subtasks there is nobody to read from.
        if left.is_empty() || old == 0 {
            return None;
        }
        let owner = subtask_for_key_group(KeyGroup(left.start), old);
        let part = key_group_range_for_subtask(owner, old).overlap(left);
        left.start = part.end;
        Some((owner, part))
    })
}

/// The lowest group that maps to subtask `index` or one after it.
const fn first_group(index: u64, parallelism: u32) -> u16 {
    if parallelism == 0 {
        return 0;
    }
    let group = (index * KEY_GROUP_COUNT as u64).div_ceil(parallelism as u64);
    if group < KEY_GROUP_COUNT as u64 { group as u16 } else { KEY_GROUP_COUNT }
}
