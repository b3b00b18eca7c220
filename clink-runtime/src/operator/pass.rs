//! Passes batches through as they are, where several streams, or a split, need an operator.

use std::marker::PhantomData;

use crate::channel::{ErasedBatch, StreamElement};
use crate::data::Data;
use crate::error::Result;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::Watermark;

use super::RuntimeContext;
use super::stage::{Outbox, Stage, Turn};

/// Emits what it takes, batch by batch.
pub struct PassStage<T> {
    input: Option<ErasedBatch>,
    passed: u64,
    types: PhantomData<fn(T)>,
}

impl<T> Default for PassStage<T> {
    fn default() -> Self {
        Self { input: None, passed: 0, types: PhantomData }
    }
}

impl<T: Data> Stage for PassStage<T> {
    fn open(&mut self, _ctx: &RuntimeContext, _restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        Ok(())
    }

    fn accept(&mut self, _input: usize, batch: ErasedBatch) {
        self.input = Some(batch);
    }

    fn run(&mut self, out: &mut Outbox) -> Result<Turn> {
        if let Some(batch) = self.input.take() {
            self.passed += batch.len() as u64;
            out.push(StreamElement::Data(batch));
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

    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<Turn> {
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
        Ok(())
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.passed), 0)
    }
}
