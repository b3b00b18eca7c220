//! Gives records their event time and tells the operators after it how far time has come.

use std::sync::Arc;

use crate::channel::{Batch, ErasedBatch, StreamElement};
use crate::data::Data;
use crate::error::Result;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::watermark::WatermarkGenerator;
use crate::time::{EventTime, IntoEventTime, Watermark, WatermarkStrategy};

use super::RuntimeContext;
use super::stage::{Outbox, Stage, Turn, WRONG_TYPE};

/// Reads the event time out of each value and makes watermarks.
///
/// Batches pass through without being copied. A watermark goes out when the input runs dry or the
/// subtask ends its turn, not per batch: it makes every later shuffle send its buffers, full or
/// not. Watermarks from upstream end here, but for the end of time and for an input that has
/// nothing.
pub struct EventTimeStage<F, T> {
    extract: Arc<F>,
    generator: WatermarkGenerator,
    input: Option<Box<Batch<T>>>,
    passed: u64,
}

impl<F, T> EventTimeStage<F, T> {
    /// An instance around a closure that all instances share.
    pub fn new(extract: Arc<F>, strategy: WatermarkStrategy) -> Self {
        Self { extract, generator: WatermarkGenerator::new(strategy), input: None, passed: 0 }
    }
}

impl<T, E, F> Stage for EventTimeStage<F, T>
where
    T: Data,
    E: IntoEventTime,
    F: Fn(&T) -> E + Send + Sync + 'static,
{
    fn open(&mut self, _ctx: &RuntimeContext, _restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        Ok(())
    }

    fn accept(&mut self, _input: usize, batch: ErasedBatch) {
        self.input = Some(batch.downcast().expect(WRONG_TYPE));
    }

    fn run(&mut self, out: &mut Outbox) -> Result<Turn> {
        if let Some(mut batch) = self.input.take() {
            batch.assign_times(|value| (self.extract)(value).into_event_time());
            if let Some(latest) = batch.known_times().max() {
                self.generator.observe(latest);
            }
            self.passed += batch.len() as u64;
            out.push(StreamElement::Data(batch.into()));
        }
        Ok(Turn::Done)
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        None
    }

    fn recycle(&mut self, _batch: ErasedBatch) {}

    fn settle(&mut self, out: &mut Outbox) -> Result<()> {
        out.main.extend(self.generator.advance().map(StreamElement::Watermark));
        Ok(())
    }

    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<Turn> {
        match watermark {
            Watermark::Idle => out.push(StreamElement::Watermark(watermark)),
            Watermark::At(EventTime::MAX) => {
                // Nothing to say after the end of time.
                self.generator.end();
                out.push(StreamElement::Watermark(watermark));
            }
            Watermark::At(_) => {}
        }
        Ok(Turn::Done)
    }

    fn snapshot(&mut self, _writer: &mut SnapshotWriter<'_>) -> Result<()> {
        Ok(())
    }

    fn flush(&mut self, _out: &mut Outbox) -> Result<Turn> {
        Ok(Turn::Done)
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.passed), 0)
    }
}
