//! Runs an [`Operator`] over batches.

use crate::channel::{Batch, ErasedBatch};
use crate::config::OUTBOX_BATCHES;
use crate::error::Result;
use crate::operator::OperatorFields;
use crate::time::Watermark;

use super::super::context::{Context, RuntimeContext};
use super::super::contract::Operator;
use super::super::emitter::Emitter;
use super::{Outbox, Stage, WRONG_TYPE};
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};

/// An operator with its emitter and the batch at hand.
pub struct OperatorStage<O: Operator> {
    operator: O,
    emitter: Emitter<O::Out>,
    input: Option<Box<Batch<O::In>>>,
    ctx: Option<RuntimeContext>,
    /// How to show the operator's state; inline operators have none.
    fields: Option<FieldsOf<O>>,
}

/// Shows the state slots of an operator to a visitor.
pub type FieldsOf<O> = fn(
    &mut O,
    &mut dyn crate::state::StateVisitor,
) -> std::result::Result<(), crate::state::StateError>;

impl<O: Operator> OperatorStage<O> {
    /// A stage for an operator without state: a closure.
    pub fn inline(operator: O) -> Self {
        Self { operator, emitter: Emitter::default(), input: None, ctx: None, fields: None }
    }

    /// A stage for an annotated operator.
    pub fn new(operator: O) -> Self
    where
        O: OperatorFields,
    {
        Self { fields: Some(O::visit_state), ..Self::inline(operator) }
    }
}

impl<O: Operator> Stage for OperatorStage<O> {
    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        let ctx = self.ctx.insert(ctx.clone());
        if let (Some(fields), Some(restored)) = (self.fields, restored) {
            fields(&mut self.operator, &mut restored.operator_loader())?;
        }
        self.operator.open(ctx)
    }

    fn accept(&mut self, batch: ErasedBatch) {
        self.input = Some(batch.downcast().expect(WRONG_TYPE));
    }

    fn run(&mut self, out: &mut Outbox) -> Result<bool> {
        let Self { operator, emitter, input, ctx, .. } = self;
        let runtime = opened(ctx);
        let Some(input) = input else { return Ok(true) };
        let mut done = true;
        let mut records = input.drain();
        while let Some((value, time)) = records.next() {
            operator.process(value, &mut Context { emitter, runtime, time })?;
            if emitter.full_batches() >= OUTBOX_BATCHES {
                let rest: Batch<O::In> = records.collect();
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
        Ok(())
    }

    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<()> {
        let Self { operator, emitter, ctx, .. } = self;
        let mut ctx = Context { emitter, runtime: opened(ctx), time: None };
        operator.on_watermark(watermark, &mut ctx)?;
        emitter.take_all(out);
        out.push(crate::channel::StreamElement::Watermark(watermark));
        Ok(())
    }

    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()> {
        if let Some(fields) = self.fields {
            fields(&mut self.operator, &mut writer.operator_saver())?;
        }
        Ok(())
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

/// The context an opened stage keeps.
pub(super) fn opened(ctx: &Option<RuntimeContext>) -> &RuntimeContext {
    ctx.as_ref().expect("a stage is opened before anything else is asked of it")
}
