//! Is one subtask's state at one barrier, captured and not yet written.

use clink_plan::id::{CheckpointId, SubtaskId};

pub use crate::state::snapshot::{OperatorIdentity, SlotScope, SlotSnapshot};

/// All that one subtask captured at one barrier.
#[derive(Clone, Debug)]
pub struct SubtaskSnapshot {
    /// The subtask.
    pub subtask: SubtaskId,
    /// The checkpoint.
    pub checkpoint: CheckpointId,
    /// Every slot of every operator of its chain.
    pub slots: Vec<SlotSnapshot>,
}
