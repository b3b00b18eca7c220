//! Is the cut line of a checkpoint in a channel.

use clink_plan::id::CheckpointId;

/// Everything before it belongs to checkpoint `id`, everything after it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// The checkpoint.
    pub id: CheckpointId,
}

impl Barrier {
    /// What operators are shown before their last capture, at the end of their input or at a stop:
    /// it is their part of every checkpoint from then on, and is never sent.
    pub const LAST: Self = Self { id: CheckpointId(u64::MAX) };
}
