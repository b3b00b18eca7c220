//! Is the cut line of a checkpoint in a channel.

use clink_plan::id::CheckpointId;

/// Everything before it belongs to checkpoint `id`, everything after it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// The checkpoint.
    pub id: CheckpointId,
}
