//! Holds back a whole stream until it has ended, then gives it out in order: the border between two
//! stages of a batch job.
//!
//! Limit:  what is beyond a number of bytes waits in a file that vanishes with the process.

use std::path::PathBuf;

use crate::channel::spill::{SpillError, SpillQueue};
use crate::channel::{Barrier, ErasedBatch, Probe, StreamElement};
use crate::config::{EXCHANGE_MEMORY_BYTES, OUTBOX_BATCHES};
use crate::data::Data;
use crate::error::{Error, Result, Retry};
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::{EventTime, Watermark};

use super::RuntimeContext;
use super::stage::{Outbox, Stage, Turn, WRONG_TYPE};

/// Where an exchange keeps what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeOptions {
    /// Bytes that each subtask keeps in memory.
    pub memory_bytes: usize,
    /// The folder of the file for the rest; `None` for the system's temporary folder.
    pub spill_dir: Option<PathBuf>,
}

impl Default for ExchangeOptions {
    fn default() -> Self {
        Self { memory_bytes: EXCHANGE_MEMORY_BYTES, spill_dir: None }
    }
}

impl ExchangeOptions {
    /// 64 MiB in memory for each subtask, the rest in the system's temporary folder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps at most so many bytes in memory, in each subtask.
    #[must_use]
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Keeps the rest in this folder.
    #[must_use]
    pub fn spill_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.spill_dir = Some(folder.into());
        self
    }
}

/// Takes everything in, and gives it out once its input has ended or was stopped.
///
/// Watermarks do not pass while records are held, for these would be late: the last one passes
/// after them. A barrier cannot pass at all, so such a job takes no checkpoints; it is refused
/// before it starts. In the body of an iteration each round ends with what was held.
pub struct ExchangeStage<T: Data> {
    held: SpillQueue<T>,
    input: Option<ErasedBatch>,
    /// The last word on event time.
    watermark: Option<EventTime>,
    emitted: u64,
}

impl<T: Data> ExchangeStage<T> {
    /// An empty one.
    pub fn new(options: &ExchangeOptions) -> Self {
        let held = SpillQueue::new(options.memory_bytes, options.spill_dir.clone());
        Self { held, input: None, watermark: None, emitted: 0 }
    }

    /// Gives out what is held, a few batches at a time.
    fn give_out(&mut self, out: &mut Outbox) -> Result<Turn> {
        for _ in 0..OUTBOX_BATCHES {
            let Some(batch) = self.held.pop().map_err(spilled)? else {
                let last = self.watermark.take().map(Watermark::At);
                out.main.extend(last.map(StreamElement::Watermark));
                return Ok(Turn::Done);
            };
            self.emitted += batch.len() as u64;
            out.push(StreamElement::Data(ErasedBatch::new(batch)));
        }
        Ok(Turn::More)
    }
}

impl<T: Data> Stage for ExchangeStage<T> {
    fn open(&mut self, _ctx: &RuntimeContext, _restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        Ok(())
    }

    fn accept(&mut self, _input: usize, batch: ErasedBatch) {
        self.input = Some(batch);
    }

    fn run(&mut self, _out: &mut Outbox) -> Result<Turn> {
        if let Some(batch) = self.input.take() {
            self.held.push(*batch.downcast().expect(WRONG_TYPE)).map_err(spilled)?;
        }
        Ok(Turn::Done)
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        None
    }

    fn recycle(&mut self, _batch: ErasedBatch) {}

    fn settle(&mut self, _out: &mut Outbox) -> Result<()> {
        Ok(())
    }

    fn on_watermark(&mut self, watermark: Watermark, _out: &mut Outbox) -> Result<Turn> {
        if let Watermark::At(time) = watermark {
            self.watermark = Some(time);
        }
        Ok(Turn::Done)
    }

    fn on_barrier(&mut self, barrier: Barrier, _out: &mut Outbox) -> Result<()> {
        Err(Error::new(format!(
            "barrier {} came to a blocking exchange, which no checkpoint can pass",
            barrier.id.0
        ))
        .terminal())
    }

    fn on_drain(&mut self, out: &mut Outbox) -> Result<Turn> {
        self.give_out(out)
    }

    fn on_probe(&mut self, probe: Probe, out: &mut Outbox) -> Result<Turn> {
        let turn = self.give_out(out)?;
        if turn == Turn::Done {
            out.push(StreamElement::Probe(probe));
        }
        Ok(turn)
    }

    fn snapshot(&mut self, _writer: &mut SnapshotWriter<'_>) -> Result<()> {
        Ok(())
    }

    fn flush(&mut self, out: &mut Outbox) -> Result<Turn> {
        self.give_out(out)
    }

    fn close(&mut self) -> Result<()> {
        self.held = SpillQueue::new(0, None);
        Ok(())
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.emitted), 0)
    }
}

/// What went wrong with the file, and whether another attempt may help.
pub(super) fn spilled(error: SpillError) -> Error {
    let retry = error.retry();
    let error = Error::from(error);
    if retry == Retry::Never { error.terminal() } else { error }
}
