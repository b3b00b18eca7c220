//! Runs an operator inside a chain behind one erased interface, one virtual call per batch.
//!
//! A stage never calls the next one. It puts what it emits into an outbox, and the subtask moves
//! that on: so a chain of any length uses no stack, and a stage whose output is not wanted yet is
//! simply not turned.

mod keyed;
mod operator;
mod sink;
mod source;

pub use keyed::KeyedStage;
pub use operator::{FieldsOf, OperatorStage};
pub use sink::SinkStage;
pub use source::{SPLITS, SourceStage};

use crate::channel::{ErasedBatch, StreamElement};
use crate::error::Result;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::Watermark;

use super::context::RuntimeContext;
use super::contract::{Produced, Progress};

/// What a stage emitted, in order.
pub type Outbox = Vec<StreamElement>;

/// One operator of a chain.
pub trait Stage: Send {
    /// Loads restored state, then opens the operator.
    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()>;

    /// Takes a batch in; the one before has been used up.
    fn accept(&mut self, batch: ErasedBatch);

    /// Handles accepted records until they are used up (true) or the outbox has enough (false).
    fn run(&mut self, out: &mut Outbox) -> Result<bool>;

    /// Gives the emptied input batch back for its memory.
    fn take_spare(&mut self) -> Option<ErasedBatch>;

    /// Takes an emptied output batch for its memory.
    fn recycle(&mut self, batch: ErasedBatch);

    /// Moves out what waits in the emitter, because a control element must pass or nothing more
    /// comes for now. A sink makes its output visible.
    fn settle(&mut self, out: &mut Outbox) -> Result<()>;

    /// Event time has moved; the watermark to forward is put into the outbox.
    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<()>;

    /// Captures the state at a barrier, or at the end.
    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()>;

    /// The input has come to its end.
    fn flush(&mut self, out: &mut Outbox) -> Result<()>;

    /// No record comes any more in this run, whether the input has ended or the job was stopped. A
    /// sink completes its output.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// Lets go of everything.
    fn close(&mut self) -> Result<()>;

    /// Records emitted since the last call.
    fn take_emitted(&mut self) -> u64;
}

/// A source at the head of a chain.
pub trait SourceHead: Send {
    /// Looks whether the input is there.
    fn check(&self) -> Result<()>;

    /// Opens the source on its splits: the restored ones, or its share of freshly made ones.
    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()>;

    /// True if this instance has been given something to read.
    fn has_splits(&self) -> bool;

    /// Produces about a batch.
    fn produce(&mut self, out: &mut Outbox) -> Result<Produced>;

    /// Moves out what waits in the emitter.
    fn settle(&mut self, out: &mut Outbox);

    /// Takes an emptied output batch for its memory.
    fn recycle(&mut self, batch: ErasedBatch);

    /// Captures the splits; nothing waits in the emitter.
    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()>;

    /// How far it has come.
    fn progress(&self) -> Option<Progress>;

    /// Lets go of everything.
    fn close(&mut self) -> Result<()>;

    /// Records emitted since the last call.
    fn take_emitted(&mut self) -> u64;
}

/// The panic text for a batch of another type than the operator takes: the plan connects only
/// channels of one type, and the registry is keyed by it.
pub(super) const WRONG_TYPE: &str = "the plan connects channels of one type only";
