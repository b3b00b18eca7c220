//! Turns each record into any number of records.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::channel::{Batch, ErasedBatch, StreamElement};
use crate::config::OUTBOX_BATCHES;
use crate::data::Data;
use crate::error::Result;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::{EventTime, Watermark};

use super::RuntimeContext;
use super::emitter::Emitter;
use super::stage::{Outbox, Stage, Turn, WRONG_TYPE};

/// Emits all values that a closure makes of each value; each has the event time of its origin.
///
/// A stage of its own, since what one record makes may be more than memory holds: it keeps the
/// iterator at hand and goes on with it once the outbox has been emptied.
pub struct FlatMapStage<F, In, I: IntoIterator> {
    apply: Arc<F>,
    emitter: Emitter<I::Item>,
    input: Option<Box<Batch<In>>>,
    /// What the record at hand still makes, and its time.
    making: Option<(I::IntoIter, Option<EventTime>)>,
    types: PhantomData<fn(In) -> I>,
}

impl<F, In, I: IntoIterator<Item: Data>> FlatMapStage<F, In, I> {
    /// An instance around a closure that all instances share.
    pub fn new(apply: Arc<F>) -> Self {
        let emitter = Emitter::default();
        Self { apply, emitter, input: None, making: None, types: PhantomData }
    }

    /// Emits what the record at hand makes; false if the outbox has enough before it is done.
    fn make(&mut self) -> bool {
        let Some((values, time)) = &mut self.making else { return true };
        for value in values {
            self.emitter.push(value, *time);
            if self.emitter.full_batches() >= OUTBOX_BATCHES {
                return false;
            }
        }
        self.making = None;
        true
    }
}

impl<In, I, F> Stage for FlatMapStage<F, In, I>
where
    In: Data,
    I: IntoIterator<Item: Data, IntoIter: Send> + 'static,
    F: Fn(In) -> I + Send + Sync + 'static,
{
    fn open(&mut self, _ctx: &RuntimeContext, _restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        Ok(())
    }

    fn accept(&mut self, _input: usize, batch: ErasedBatch) {
        self.input = Some(batch.downcast().expect(WRONG_TYPE));
    }

    fn run(&mut self, out: &mut Outbox) -> Result<Turn> {
        let mut done = self.make();
        if done && let Some(mut input) = self.input.take() {
            let mut records = input.drain();
            while done && let Some((value, time)) = records.next() {
                self.making = Some(((self.apply)(value).into_iter(), time));
                done = self.make();
            }
            let rest: Batch<In> = records.collect();
            if !rest.is_empty() {
                *input = rest;
            }
            self.input = Some(input);
        }
        self.emitter.take_full(&mut out.main);
        Ok(if done { Turn::Done } else { Turn::More })
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        self.input.take().map(ErasedBatch::from)
    }

    fn recycle(&mut self, batch: ErasedBatch) {
        self.emitter.recycle(batch);
    }

    fn settle(&mut self, out: &mut Outbox) -> Result<()> {
        self.emitter.take_all(&mut out.main);
        Ok(())
    }

    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<Turn> {
        self.emitter.take_all(&mut out.main);
        out.push(StreamElement::Watermark(watermark));
        Ok(Turn::Done)
    }

    fn snapshot(&mut self, _writer: &mut SnapshotWriter<'_>) -> Result<()> {
        Ok(())
    }

    fn flush(&mut self, _out: &mut Outbox) -> Result<Turn> {
        Ok(Turn::Done)
    }

    fn close(&mut self) -> Result<()> {
        // What was not wanted any more must not outlive the operator.
        self.making = None;
        Ok(())
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        (self.emitter.take_count(), 0)
    }
}
