//! Runs an operator inside a chain behind one erased interface, one virtual call per batch.
//!
//! A stage never calls the next one. It puts what it emits into an outbox, and the subtask moves
//! that on: so a chain of any length uses no stack, and a stage whose output is not wanted yet is
//! simply not turned. So an operator sees the same calls in the same order, chained or not.

mod co;
mod core;
mod join;
mod keyed;
mod keyed_co;
mod logic;
mod operator;
mod sink;
mod source;

pub use co::CoStage;
pub use join::JoinStage;
pub use keyed::KeyedStage;
pub use keyed_co::{KeyedCoStage, TwoLookups};
pub use operator::{FieldsOf, OperatorStage};
pub use sink::SinkStage;
pub use source::{SPLITS, SourceStage};

use crate::channel::{Barrier, ErasedBatch, Probe, StreamElement};
use crate::error::Result;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::Watermark;

use super::contract::{Produced, Progress};
use super::runtime_context::RuntimeContext;

/// What a stage emitted, in order.
#[derive(Debug, Default)]
pub struct Outbox {
    /// To its main output.
    pub main: Vec<StreamElement>,
    /// To side outputs, by their port.
    pub side: Vec<(u32, ErasedBatch)>,
}

impl Outbox {
    /// Adds an element of the main output.
    pub fn push(&mut self, element: StreamElement) {
        self.main.push(element);
    }
}

/// What a turn of a stage came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Turn {
    /// What was asked is done.
    Done,
    /// The outbox has enough: ask again once it is empty.
    More,
    /// It waits for something outside the job, or for a time: ask again after the next wake-up.
    Waiting,
}

/// One operator of a chain.
pub trait Stage: Send {
    /// Loads restored state, then opens the operator.
    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()>;

    /// Takes a batch of that input in; the one before has been used up.
    fn accept(&mut self, input: usize, batch: ErasedBatch);

    /// Handles accepted records.
    fn run(&mut self, out: &mut Outbox) -> Result<Turn>;

    /// Gives the emptied input batch back for its memory.
    fn take_spare(&mut self) -> Option<ErasedBatch>;

    /// Takes an emptied output batch for its memory.
    fn recycle(&mut self, batch: ErasedBatch);

    /// Finishes what it has begun, because a barrier or the end must pass.
    fn quiesce(&mut self, out: &mut Outbox) -> Result<Turn> {
        let _ = out;
        Ok(Turn::Done)
    }

    /// Moves out what waits in the emitter, because a control element must pass or nothing more
    /// comes for now. A sink makes its output visible.
    fn settle(&mut self, out: &mut Outbox) -> Result<()>;

    /// Event time has moved; the watermark to forward is put into the outbox.
    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<Turn>;

    /// A barrier passes, and [`snapshot`](Self::snapshot) follows.
    fn on_barrier(&mut self, barrier: Barrier, out: &mut Outbox) -> Result<()> {
        let _ = (barrier, out);
        Ok(())
    }

    /// The input is stopped before its end.
    fn on_drain(&mut self, out: &mut Outbox) -> Result<Turn> {
        let _ = out;
        Ok(Turn::Done)
    }

    /// The wave of an iteration has come; it is put into the outbox once it may pass.
    fn on_probe(&mut self, probe: Probe, out: &mut Outbox) -> Result<Turn> {
        out.push(StreamElement::Probe(probe));
        Ok(Turn::Done)
    }

    /// Captures the state at a barrier, or at the end.
    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()>;

    /// The input has come to its end.
    fn flush(&mut self, out: &mut Outbox) -> Result<Turn>;

    /// No record comes any more in this run, whether the input has ended or the job was stopped. A
    /// sink completes its output.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// When it wants a [`tick`](Self::tick) next, in milliseconds of processing time.
    fn deadline_ms(&self) -> Option<i64> {
        None
    }

    /// True if something may have come of what it waits for: it wants a [`tick`](Self::tick).
    fn is_awaiting(&self) -> bool {
        false
    }

    /// True while something outside the job, such as another thread, may still wake it.
    fn awaits_outside(&self) -> bool {
        false
    }

    /// Goes on with what it has begun while nothing can be emitted: a full output is no reason to
    /// let those wait that it waits for.
    fn attend(&mut self, now_ms: i64) -> Result<()> {
        let _ = now_ms;
        Ok(())
    }

    /// Does what is due without a record: timers fire, results that have come are emitted. Not
    /// asked for while an operator behind it has something to do.
    fn tick(&mut self, now_ms: i64, out: &mut Outbox) -> Result<()> {
        let _ = (now_ms, out);
        Ok(())
    }

    /// Lets go of everything.
    fn close(&mut self) -> Result<()>;

    /// Records emitted since the last call: to the main output, and to side outputs.
    fn take_emitted(&mut self) -> (u64, u64);
}

/// A source at the head of a chain.
pub trait SourceHead: Send {
    /// Looks whether the input is there.
    fn check(&self) -> Result<()>;

    /// Opens the source on its splits: the restored ones, or its share of freshly made ones.
    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()>;

    /// True if it needs a thread of its own.
    fn is_blocking(&self) -> bool;

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

    /// Records emitted since the last call: to the main output, and to side outputs.
    fn take_emitted(&mut self) -> (u64, u64);
}

/// The panic text for a batch of another type than the operator takes: the plan connects only
/// channels of one type, and the registry is keyed by it.
pub(super) const WRONG_TYPE: &str = "the plan connects channels of one type only";
