//! Runs a [`KeyedOperator`] over batches: one key look-up per record, then plain calls.

use crate::channel::{Batch, ErasedBatch, StreamElement};
use crate::config::OUTBOX_BATCHES;
use crate::error::Result;
use crate::operator::OperatorFields;
use crate::state::KeyIndex;
use crate::state::compaction::Compaction;
use crate::time::Watermark;

use super::super::context::{Context, KeyedContext, RuntimeContext};
use super::super::contract::KeyedOperator;
use super::super::emitter::Emitter;
use super::operator::{FieldsOf, opened};
use super::{Outbox, Stage, WRONG_TYPE};
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};

/// A keyed operator with its keys, its emitter and the batch at hand.
pub struct KeyedStage<O: KeyedOperator> {
    operator: O,
    keys: Box<dyn KeyIndex<O::In, O::Key>>,
    emitter: Emitter<O::Out>,
    input: Option<Box<Batch<O::In>>>,
    /// Key index of each record at hand.
    indices: Vec<u32>,
    ctx: Option<RuntimeContext>,
    fields: FieldsOf<O>,
    compaction: Compaction,
}

impl<O: KeyedOperator> KeyedStage<O> {
    /// A stage for an annotated operator, with the index of its keys.
    pub fn new(operator: O, keys: Box<dyn KeyIndex<O::In, O::Key>>) -> Self
    where
        O: OperatorFields,
    {
        Self::with_fields(operator, keys, O::visit_state)
    }

    /// A stage for a keyed operator of the engine's own, which shows its state itself.
    pub fn with_fields(
        operator: O,
        keys: Box<dyn KeyIndex<O::In, O::Key>>,
        fields: FieldsOf<O>,
    ) -> Self {
        Self {
            operator,
            keys,
            emitter: Emitter::default(),
            input: None,
            indices: Vec::new(),
            ctx: None,
            fields,
            compaction: Compaction::default(),
        }
    }
}

impl<O: KeyedOperator> Stage for KeyedStage<O> {
    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        let ctx = self.ctx.insert(ctx.clone());
        if let Some(restored) = restored {
            let mut loader = restored.keyed_loader(self.keys.as_mut());
            (self.fields)(&mut self.operator, &mut loader)?;
        }
        self.operator.open(ctx)
    }

    fn accept(&mut self, batch: ErasedBatch) {
        self.input = Some(batch.downcast().expect(WRONG_TYPE));
    }

    fn run(&mut self, out: &mut Outbox) -> Result<bool> {
        let Self { operator, keys, emitter, input, indices, ctx, .. } = self;
        let runtime = opened(ctx);
        let Some(input) = input else { return Ok(true) };
        let mut done = true;
        indices.clear();
        keys.resolve(input.values(), indices)?;
        let table = keys.table();
        let mut records = input.drain().zip(indices.iter());
        while let Some(((value, time), index)) = records.next() {
            let mut ctx = KeyedContext {
                key: table.key(*index),
                index: *index,
                context: Context { emitter, runtime, time },
            };
            operator.process(value, &mut ctx)?;
            if emitter.full_batches() >= OUTBOX_BATCHES {
                let rest: Batch<O::In> = records.map(|(record, _)| record).collect();
                done = rest.is_empty();
                **input = rest;
                break;
            }
        }
        emitter.take_full(out);
        Ok(done)
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        self.input.take().map(ErasedBatch::from)
    }

    fn recycle(&mut self, batch: ErasedBatch) {
        self.emitter.recycle(batch);
    }

    fn settle(&mut self, out: &mut Outbox) -> Result<()> {
        self.emitter.take_all(out);
        let Self { operator, keys, fields, compaction, input, .. } = self;
        // Records at hand have been given their index already.
        if input.as_ref().is_none_or(|batch| batch.is_empty()) {
            compaction.run(keys.as_mut(), |visitor| fields(operator, visitor))?;
        }
        Ok(())
    }

    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<()> {
        let Self { operator, emitter, ctx, .. } = self;
        let mut ctx = Context { emitter, runtime: opened(ctx), time: None };
        operator.on_watermark(watermark, &mut ctx)?;
        emitter.take_all(out);
        out.push(StreamElement::Watermark(watermark));
        Ok(())
    }

    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()> {
        let mut saver = writer.keyed_saver(self.keys.table());
        Ok((self.fields)(&mut self.operator, &mut saver)?)
    }

    fn flush(&mut self, out: &mut Outbox) -> Result<()> {
        let Self { operator, emitter, ctx, .. } = self;
        operator.flush(&mut Context { emitter, runtime: opened(ctx), time: None })?;
        emitter.take_all(out);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        self.operator.close()
    }

    fn take_emitted(&mut self) -> u64 {
        self.emitter.take_count()
    }
}
