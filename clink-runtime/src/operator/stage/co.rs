//! Runs a [`CoOperator`] over the batches of two inputs.

use crate::channel::{Barrier, Batch, ErasedBatch};
use crate::data::Data;
use crate::error::Result;
use crate::operator::OperatorFields;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::{EventTime, Watermark};

use super::super::context::Context;
use super::super::contract::CoOperator;
use super::super::runtime_context::RuntimeContext;
use super::super::services::Services;
use super::WRONG_TYPE;
use super::core::Core;
use super::logic::{Logic, LogicStage};
use super::operator::{FieldsOf, load_unkeyed, save_unkeyed};

/// A [`CoOperator`] with its emitter and the batch at hand.
pub type CoStage<O> = LogicStage<CoUnkeyed<O>>;

/// What is a [`CoOperator`]'s own.
pub struct CoUnkeyed<O: CoOperator> {
    operator: O,
    input: TwoInputs<O::In1, O::In2>,
    /// How to show the operator's state; inline operators have none.
    fields: Option<FieldsOf<O>>,
}

/// The batch at hand of one of two inputs.
pub(super) enum TwoInputs<In1, In2> {
    Nothing,
    First(Box<Batch<In1>>),
    Second(Box<Batch<In2>>),
}

impl<In1: Data, In2: Data> TwoInputs<In1, In2> {
    /// The batch of that input: the first is 0.
    pub(super) fn of(input: usize, batch: ErasedBatch) -> Self {
        match input {
            0 => Self::First(batch.downcast().expect(WRONG_TYPE)),
            _ => Self::Second(batch.downcast().expect(WRONG_TYPE)),
        }
    }

    pub(super) fn take(&mut self) -> Option<ErasedBatch> {
        match std::mem::replace(self, Self::Nothing) {
            Self::Nothing => None,
            Self::First(batch) => Some(batch.into()),
            Self::Second(batch) => Some(batch.into()),
        }
    }

    /// True if no record is at hand.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::First(batch) => batch.is_empty(),
            Self::Second(batch) => batch.is_empty(),
        }
    }
}

impl<O: CoOperator> CoStage<O> {
    /// A stage for an operator that shows its state so, if it has any.
    pub fn with_fields(operator: O, fields: Option<FieldsOf<O>>) -> Self {
        Self::of(CoUnkeyed { operator, input: TwoInputs::Nothing, fields })
    }

    /// A stage for an annotated operator.
    pub fn new(operator: O) -> Self
    where
        O: OperatorFields,
    {
        Self::with_fields(operator, Some(O::visit_state))
    }
}

/// Handles records until they are used up (true) or enough was emitted (false).
fn process<In: Data, Out: Data>(
    batch: &mut Batch<In>,
    core: &mut Core<Out>,
    mut one: impl FnMut(In, &mut Context<'_, Out>) -> Result<()>,
) -> Result<bool> {
    let mut records = batch.drain();
    while let Some((value, time)) = records.next() {
        one(value, &mut core.context(time))?;
        if core.is_full() {
            let rest: Batch<In> = records.collect();
            let done = rest.is_empty();
            *batch = rest;
            return Ok(done);
        }
    }
    Ok(true)
}

impl<O: CoOperator> Logic for CoUnkeyed<O> {
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

    fn accept(&mut self, input: usize, batch: ErasedBatch) {
        self.input = TwoInputs::of(input, batch);
    }

    fn run(&mut self, core: &mut Core<O::Out>) -> Result<bool> {
        let Self { operator, input, .. } = self;
        match input {
            TwoInputs::Nothing => Ok(true),
            TwoInputs::First(batch) => {
                process(batch, core, |value, ctx| operator.process_element1(value, ctx))
            }
            TwoInputs::Second(batch) => {
                process(batch, core, |value, ctx| operator.process_element2(value, ctx))
            }
        }
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        self.input.take()
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
