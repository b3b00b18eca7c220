//! Sorts the records of a batch by the subtask they go to.
#![expect(clippy::vec_box, reason = "a box moves on as it is, into the channel")]

use std::any::Any;

use crate::data::Data;

use super::batch::{Batch, ErasedBatch};

/// One buffer of records per target, behind an erased type.
pub trait Shuffle: Send {
    /// Moves each record of `batch` to the buffer of its target and hands out buffers that are
    /// full; `targets` has one entry per record, each below the number of buffers.
    fn scatter(
        &mut self,
        batch: ErasedBatch,
        targets: &[u32],
        full: &mut dyn FnMut(u32, ErasedBatch),
    );
    /// Hands out all records that wait in buffers.
    fn flush(&mut self, full: &mut dyn FnMut(u32, ErasedBatch));
    /// True while there is a use for more emptied batches.
    fn wants_spares(&self) -> bool;
    /// Gives back a batch whose records have been taken, for its memory.
    fn recycle(&mut self, batch: ErasedBatch);
}

/// Spare batches kept per shuffle; enough for every target to swap once per turn.
const SPARES: usize = 64;

pub(super) struct TypedShuffle<T> {
    buffers: Vec<Box<Batch<T>>>,
    buffer_records: usize,
    waiting: usize,
    spares: Vec<Box<Batch<T>>>,
}

impl<T: Data> TypedShuffle<T> {
    pub(super) fn new(targets: usize, buffer_records: usize) -> Self {
        let buffers = (0..targets).map(|_| Box::new(Batch::default())).collect();
        Self { buffers, buffer_records: buffer_records.max(1), waiting: 0, spares: Vec::new() }
    }
}

impl<T: Data> Shuffle for TypedShuffle<T> {
    fn scatter(
        &mut self,
        batch: ErasedBatch,
        targets: &[u32],
        full: &mut dyn FnMut(u32, ErasedBatch),
    ) {
        let mut batch = batch
            .downcast::<T>()
            .expect("the shuffle was made from the first batch of this output");
        self.waiting += batch.len();
        for ((value, time), target) in batch.drain().zip(targets) {
            let buffer = self
                .buffers
                .get_mut(*target as usize)
                .expect("a partitioner answers with an index below its number of targets");
            buffer.push(value, time);
            if buffer.len() >= self.buffer_records {
                let next = fresh(&mut self.spares, self.buffer_records);
                self.waiting -= buffer.len();
                full(*target, std::mem::replace(buffer, next).into());
            }
        }
        if self.spares.len() < SPARES {
            self.spares.push(batch);
        }
    }

    fn flush(&mut self, full: &mut dyn FnMut(u32, ErasedBatch)) {
        if self.waiting == 0 {
            return;
        }
        self.waiting = 0;
        for (target, buffer) in (0u32..).zip(&mut self.buffers) {
            if !buffer.is_empty() {
                let next = self.spares.pop().unwrap_or_default();
                full(target, std::mem::replace(buffer, next).into());
            }
        }
    }

    fn wants_spares(&self) -> bool {
        self.spares.len() < SPARES
    }

    fn recycle(&mut self, batch: ErasedBatch) {
        if self.spares.len() < SPARES
            && let Ok(batch) = batch.downcast::<T>()
        {
            self.spares.push(batch);
        }
    }
}

/// An empty batch with room for a full buffer.
fn fresh<T: Data>(spares: &mut Vec<Box<Batch<T>>>, records: usize) -> Box<Batch<T>> {
    spares.pop().unwrap_or_else(|| Box::new(Batch::with_capacity(records)))
}

/// Finds the target of each record of a batch by its key: an index below the parallelism of the
/// keyed operator.
pub trait Partitioner: Any + Send {
    /// Appends one target per record to `targets`.
    fn targets(&mut self, batch: &ErasedBatch, targets: &mut Vec<u32>);
}
