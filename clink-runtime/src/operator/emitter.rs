//! Collects what an operator emits into batches.
#![expect(clippy::vec_box, reason = "a box moves on as it is, into the channel")]

use crate::channel::{Batch, ErasedBatch, StreamElement};
use crate::config::BATCH_RECORDS;
use crate::data::Data;
use crate::time::EventTime;

/// Where an operator's output goes: batches that leave when they are full, when a control element
/// must pass, or when the input runs dry.
#[derive(Debug)]
pub struct Emitter<T> {
    batch: Box<Batch<T>>,
    full: Vec<Box<Batch<T>>>,
    spare: Option<Box<Batch<T>>>,
    emitted: u64,
}

impl<T: Data> Default for Emitter<T> {
    fn default() -> Self {
        Self { batch: Box::default(), full: Vec::new(), spare: None, emitted: 0 }
    }
}

impl<T: Data> Emitter<T> {
    /// Adds a record.
    #[inline]
    pub fn push(&mut self, value: T, time: Option<EventTime>) {
        self.batch.push(value, time);
        if self.batch.len() >= BATCH_RECORDS {
            self.seal();
        }
    }

    #[cold]
    fn seal(&mut self) {
        let fresh = || Box::new(Batch::with_capacity(BATCH_RECORDS));
        let next = self.spare.take().unwrap_or_else(fresh);
        self.emitted += self.batch.len() as u64;
        self.full.push(std::mem::replace(&mut self.batch, next));
    }

    /// Number of full batches that wait to be taken.
    #[inline]
    pub fn full_batches(&self) -> usize {
        self.full.len()
    }

    /// Moves full batches out.
    pub fn take_full(&mut self, out: &mut Vec<StreamElement>) {
        out.extend(self.full.drain(..).map(|batch| StreamElement::Data(batch.into())));
    }

    /// Moves everything out.
    pub fn take_all(&mut self, out: &mut Vec<StreamElement>) {
        self.seal_rest();
        self.take_full(out);
    }

    /// Makes a batch of what has not filled one.
    pub fn seal_rest(&mut self) {
        if !self.batch.is_empty() {
            self.seal();
        }
    }

    /// Hands out full batches without their type.
    pub fn drain_full(&mut self, out: impl FnMut(ErasedBatch)) {
        self.full.drain(..).map(ErasedBatch::from).for_each(out);
    }

    /// Takes an emptied batch for its memory.
    pub fn recycle(&mut self, batch: ErasedBatch) {
        if self.spare.is_none() {
            self.spare = batch.downcast().ok();
        }
    }

    /// Records that have left in batches since the last call.
    pub fn take_count(&mut self) -> u64 {
        std::mem::take(&mut self.emitted)
    }
}
