//! Puts the subtasks of a plan onto the slots of workers.
//!
//! In:     a plan and the slots of the workers that are there.
//! Out:    a [`Placement`]: one free slot for each subtask, the same one for the same arguments.
//! Limit:  one subtask takes one slot, so a plan needs as many as it has tasks.
//! Errors: every [`PlacementError`] there is; nothing is placed in part.

mod groups;
mod placement;
mod slots;

pub use placement::{Placement, PlacementError, RULES, place};
pub use slots::WorkerSlots;
