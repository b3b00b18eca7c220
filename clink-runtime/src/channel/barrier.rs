//! Is the cut line of a checkpoint in a channel.

use clink_plan::id::CheckpointId;

/// How a subtask with several inputs makes one line of those in its channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarrierMode {
    /// Inputs that have delivered the barrier are held back until all have.
    #[default]
    Aligned,
    /// The barrier goes on with its first arrival and nobody waits; what it overtakes on the other
    /// inputs belongs into the checkpoint.
    Unaligned,
}

/// Everything before it belongs to checkpoint `id`, everything after it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// The checkpoint; they count from 1.
    pub id: CheckpointId,
    /// How inputs agree on it.
    pub mode: BarrierMode,
    /// Nothing is cut after this one: it ends the data, and what was prepared for it is final.
    pub terminal: bool,
}

impl Barrier {
    /// The aligned barrier of a checkpoint that others follow.
    pub const fn aligned(id: CheckpointId) -> Self {
        Self { id, mode: BarrierMode::Aligned, terminal: false }
    }

    /// What an operator is shown before its last capture, which is its part of every checkpoint
    /// from then on: terminal at the end of its input, not so at a stop. It is never sent.
    pub const fn last(terminal: bool) -> Self {
        Self { terminal, ..Self::aligned(CheckpointId(u64::MAX)) }
    }
}
