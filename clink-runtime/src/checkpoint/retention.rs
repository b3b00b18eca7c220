//! Decides which checkpoints to delete (pure).

use clink_plan::id::CheckpointId;

/// The complete checkpoints beyond the newest `keep`, oldest first.
///
/// The newest is always kept, even if `keep` is 0: a job without a checkpoint cannot recover.
///
/// # Example
/// ```
/// use clink_runtime::checkpoint::retention::to_delete;
/// use clink_runtime::plan::id::CheckpointId;
/// let complete = [CheckpointId(4), CheckpointId(9), CheckpointId(7)];
/// assert_eq!(to_delete(&complete, 2), [CheckpointId(4)]);
/// ```
pub fn to_delete(complete: &[CheckpointId], keep: usize) -> Vec<CheckpointId> {
    let mut ids = complete.to_vec();
    ids.sort_unstable();
    ids.truncate(ids.len().saturating_sub(keep.max(1)));
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(complete: &[u64], keep: usize, deleted: &[u64]) {
        let ids = |numbers: &[u64]| numbers.iter().copied().map(CheckpointId).collect::<Vec<_>>();
        assert_eq!(to_delete(&ids(complete), keep), ids(deleted), "{complete:?} keep {keep}");
    }

    #[test]
    fn the_newest_stay() {
        check(&[], 3, &[]);
        check(&[1, 2, 3], 3, &[]);
        check(&[5, 1, 9, 3], 2, &[1, 3]);
        check(&[1, 2], 0, &[1]);
        check(&[1, 2], usize::MAX, &[]);
    }
}
