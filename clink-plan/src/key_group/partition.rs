//! Sends key groups to the outputs of an edge, and refuses an edge of another width.

use std::fmt;

use super::{KEY_GROUP_COUNT, KeyGroup, subtask_for_key_group};

/// The output of each key group: that of the subtask which owns the group's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyGroupPartitioner {
    targets: [u32; KEY_GROUP_COUNT as usize],
}

impl KeyGroupPartitioner {
    /// The index of the output that a record of this group goes to.
    #[inline]
    pub fn target(&self, group: KeyGroup) -> u32 {
        *self.targets.get(usize::from(group.0)).expect("a key group is below their number")
    }
}

/// An edge has another number of outputs than the operator behind it has subtasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputCountMismatch {
    /// Subtasks of the keyed operator.
    pub parallelism: u32,
    /// Outputs of the edge that leads to it.
    pub output_count: usize,
}

impl fmt::Display for OutputCountMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parallelism, output_count } = self;
        write!(
            f,
            "an edge with {output_count} outputs cannot be partitioned for parallelism \
             {parallelism}: each subtask needs an output of its own, or records miss their state"
        )
    }
}

impl std::error::Error for OutputCountMismatch {}

/// The table that routes key groups over the `output_count` outputs of an edge to a keyed operator
/// with `parallelism` subtasks.
///
/// # Errors
/// [`OutputCountMismatch`] if the two differ: records would reach subtasks that do not own the
/// state of their key, or outputs that do not exist. So would they without any subtask.
///
/// # Example
/// ```
/// use clink_plan::key_group::{key_group_of, make_key_group_partitioner};
/// let partitioner = make_key_group_partitioner(4, 4)?;
/// assert_eq!(partitioner.target(key_group_of(&42i64)), 3);
/// assert!(make_key_group_partitioner(4, 3).is_err());
/// # Ok::<(), clink_plan::key_group::OutputCountMismatch>(())
/// ```
pub fn make_key_group_partitioner(
    parallelism: u32,
    output_count: usize,
) -> Result<KeyGroupPartitioner, OutputCountMismatch> {
    if parallelism == 0 || usize::try_from(parallelism) != Ok(output_count) {
        return Err(OutputCountMismatch { parallelism, output_count });
    }
    let mut group = 0;
    let targets = [(); KEY_GROUP_COUNT as usize].map(|()| {
        let target = subtask_for_key_group(KeyGroup(group), parallelism);
        group += 1;
        target
    });
    Ok(KeyGroupPartitioner { targets })
}
