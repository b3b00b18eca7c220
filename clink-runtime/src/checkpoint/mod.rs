//! Saves consistent cuts of a job and brings them back.
//!
//! The protocol, in the order things happen:
//!
//! 1. [`protocol`] decides that checkpoint *n* is due (pure: facts in, decisions out).
//! 2. Every source puts `Barrier(n)` into its output, with its position at that point.
//! 3. A subtask with several inputs holds back each input that has delivered the barrier until all
//!    have (`subtask::align`); then each of its operators captures its state ([`snapshot`]) on the
//!    runner, and the barrier goes on.
//! 4. The captured rows are written in the background ([`store`]): temporary file, fsync, rename,
//!    fsync of the folder. Only then is the subtask's part acknowledged.
//! 5. When every part is there the manifest is written, last: it makes the checkpoint exist.
//!    Older checkpoints beyond the retained number are deleted ([`retention`], pure).
//!
//! A checkpoint that is not complete in time is aborted and counted, and the next one starts.
//! [`restore`] reads a checkpoint back by overlap of key-group ranges, at any parallelism.

mod error;
pub mod layout;
pub mod manifest;
pub mod protocol;
pub mod restore;
pub mod retention;
pub mod snapshot;
pub mod store;

pub use error::CheckpointError;
pub use snapshot::{OperatorIdentity, SlotScope, SlotSnapshot, SubtaskSnapshot};
