//! Runs an [`Operator`] over batches.

use crate::channel::{Barrier, Batch, ErasedBatch};
use crate::error::Result;
use crate::operator::OperatorFields;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::timers::Timers;
use crate::time::{EventTime, Watermark};

use super::super::context::Context;
use super::super::contract::Operator;
use super::super::runtime_context::RuntimeContext;
use super::super::services::Services;
use super::WRONG_TYPE;
use super::core::Core;
use super::logic::{Logic, LogicStage};

/// An [`Operator`] with its emitter and the batch at hand.
pub type OperatorStage<O> = LogicStage<Unkeyed<O>>;

/// Shows the state slots of an operator to a visitor.
pub type FieldsOf<O> = fn(
    &mut O,
    &mut dyn crate::state::StateVisitor,
) -> std::result::Result<(), crate::state::StateError>;

/// What is an [`Operator`]'s own.
pub struct Unkeyed<O: Operator> {
    operator: O,
    input: Option<Box<Batch<O::In>>>,
    /// How to show the operator's state; inline operators have none.
    fields: Option<FieldsOf<O>>,
}

impl<O: Operator> OperatorStage<O> {
    /// A stage for an operator without state: a closure.
    pub fn inline(operator: O) -> Self {
        Self::of(Unkeyed { operator, input: None, fields: None })
    }

    /// A stage for an annotated operator.
    pub fn new(operator: O) -> Self
    where
        O: OperatorFields,
    {
        Self::of(Unkeyed { operator, input: None, fields: Some(O::visit_state) })
    }
}

/// Loads the state and timers of an operator without a key.
pub(super) fn load_unkeyed<O>(
    fields: Option<FieldsOf<O>>,
    operator: &mut O,
    restored: &RestoredSlots<'_>,
    timers: &mut Timers,
) -> Result<()> {
    let mut loader = restored.operator_loader();
    if let Some(fields) = fields {
        fields(operator, &mut loader)?;
    }
    Ok(timers.visit_unkeyed(&mut loader)?)
}

/// Captures the state and timers of an operator without a key.
pub(super) fn save_unkeyed<O>(
    fields: Option<FieldsOf<O>>,
    operator: &mut O,
    writer: &mut SnapshotWriter<'_>,
    timers: &mut Timers,
) -> Result<()> {
    let mut saver = writer.operator_saver();
    if let Some(fields) = fields {
        fields(operator, &mut saver)?;
    }
    if !timers.is_empty() {
        timers.visit_unkeyed(&mut saver)?;
    }
    Ok(())
}

impl<O: Operator> Logic for Unkeyed<O> {
    type Out = O::Out;

    fn load(&mut self, restored: &RestoredSlots<'_>, services: &mut Services) -> Result<()> {
        load_unkeyed(self.fields, &mut self.operator, restored, &mut services.timers)
    }

    fn save(&mut self, writer: &mut SnapshotWriter<'_>, services: &mut Services) -> Result<()> {
        save_unkeyed(self.fields, &mut self.operator, writer, &mut services.timers)
    }

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        self.operator.open(ctx)
    }

    fn accept(&mut self, _input: usize, batch: ErasedBatch) {
        self.input = Some(batch.downcast().expect(WRONG_TYPE));
    }

    fn run(&mut self, core: &mut Core<O::Out>) -> Result<bool> {
        let Self { operator, input, .. } = self;
        let Some(input) = input else { return Ok(true) };
        let mut records = input.drain();
        while let Some((value, time)) = records.next() {
            operator.process(value, &mut core.context(time))?;
            if core.is_full() {
                let rest: Batch<O::In> = records.collect();
                let done = rest.is_empty();
                **input = rest;
                return Ok(done);
            }
        }
        Ok(true)
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        self.input.take().map(ErasedBatch::from)
    }

    fn on_event_time_timer(&mut self, at: i64, _key: u32, core: &mut Core<O::Out>) -> Result<()> {
        let time = EventTime::from_millis(at);
        self.operator.on_event_time_timer(time, &mut core.context(Some(time)))
    }

    fn on_processing_time_timer(
        &mut self,
        at: i64,
        _key: u32,
        core: &mut Core<O::Out>,
    ) -> Result<()> {
        self.operator.on_processing_time_timer(at, &mut core.context(None))
    }

    fn on_watermark(&mut self, at: Watermark, ctx: &mut Context<'_, O::Out>) -> Result<()> {
        self.operator.on_watermark(at, ctx)
    }

    fn on_barrier(&mut self, barrier: Barrier, ctx: &mut Context<'_, O::Out>) -> Result<()> {
        self.operator.on_barrier(barrier, ctx)
    }

    fn flush(&mut self, ctx: &mut Context<'_, O::Out>) -> Result<()> {
        self.operator.flush(ctx)
    }

    fn close(&mut self) -> Result<()> {
        self.operator.close()
    }
}
