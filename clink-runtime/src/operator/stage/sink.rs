//! Runs a [`Sink`] over batches.

use crate::channel::{Batch, ErasedBatch, StreamElement};
use crate::error::Result;
use crate::operator::OperatorFields;
use crate::time::Watermark;

use super::super::contract::Sink;
use super::super::runtime_context::RuntimeContext;
use super::operator::FieldsOf;
use super::{Outbox, Stage, Turn, WRONG_TYPE};
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};

/// A sink with the batch at hand.
pub struct SinkStage<S: Sink> {
    sink: S,
    input: Option<Box<Batch<S::In>>>,
    /// The sink's `open` has been called.
    opened: bool,
    fields: Option<FieldsOf<S>>,
}

impl<S: Sink> SinkStage<S> {
    /// A stage for a sink without state: a closure.
    pub fn inline(sink: S) -> Self {
        Self { sink, input: None, opened: false, fields: None }
    }

    /// A stage for an annotated sink.
    pub fn new(sink: S) -> Self
    where
        S: OperatorFields,
    {
        Self { fields: Some(S::visit_state), ..Self::inline(sink) }
    }
}

impl<S: Sink> Stage for SinkStage<S> {
    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        if let (Some(fields), Some(restored)) = (self.fields, restored) {
            fields(&mut self.sink, &mut restored.operator_loader())?;
        }
        self.opened = true;
        self.sink.open(ctx)
    }

    fn accept(&mut self, _input: usize, batch: ErasedBatch) {
        self.input = Some(batch.downcast().expect(WRONG_TYPE));
    }

    fn run(&mut self, _out: &mut Outbox) -> Result<Turn> {
        for (value, _time) in self.input.iter_mut().flat_map(|batch| batch.drain()) {
            self.sink.on_data(value)?;
        }
        Ok(Turn::Done)
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        self.input.take().map(ErasedBatch::from)
    }

    fn recycle(&mut self, _batch: ErasedBatch) {}

    fn settle(&mut self, _out: &mut Outbox) -> Result<()> {
        self.sink.flush()
    }

    /// Forwards it although nobody follows: how far time has come shows in what leaves an operator.
    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<Turn> {
        self.sink.on_watermark(watermark)?;
        out.push(StreamElement::Watermark(watermark));
        Ok(Turn::Done)
    }

    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()> {
        self.sink.on_barrier()?;
        if let Some(fields) = self.fields {
            fields(&mut self.sink, &mut writer.operator_saver())?;
        }
        Ok(())
    }

    fn flush(&mut self, _out: &mut Outbox) -> Result<Turn> {
        self.sink.flush()?;
        Ok(Turn::Done)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }

    fn close(&mut self) -> Result<()> {
        if self.opened { self.sink.close() } else { Ok(()) }
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        (0, 0)
    }
}
