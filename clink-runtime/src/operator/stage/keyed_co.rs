//! Runs a [`KeyedCoOperator`] over the batches of two inputs, whose keys share one table.

use clink_plan::key_group::KeyGroupRange;

use crate::channel::{Barrier, ErasedBatch};
use crate::error::Result;
use crate::operator::OperatorFields;
use crate::state::KeyLookup;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::time::{EventTime, Watermark};

use super::super::context::Context;
use super::super::contract::KeyedCoOperator;
use super::super::runtime_context::RuntimeContext;
use super::super::services::Services;
use super::co::TwoInputs;
use super::core::Core;
use super::keyed::{Keys, StateOf};
use super::logic::{Logic, LogicStage};
use super::operator::FieldsOf;

/// A [`KeyedCoOperator`] with its keys, its emitter and the batch at hand.
pub type KeyedCoStage<O> = LogicStage<CoKeyed<O>>;

/// How the key of a record of either input is found.
pub struct TwoLookups<O: KeyedCoOperator> {
    /// For the first input.
    pub first: Box<dyn KeyLookup<O::In1, O::Key>>,
    /// For the second.
    pub second: Box<dyn KeyLookup<O::In2, O::Key>>,
}

/// What is a [`KeyedCoOperator`]'s own.
pub struct CoKeyed<O: KeyedCoOperator> {
    operator: O,
    keys: Keys<O::Key>,
    lookups: TwoLookups<O>,
    input: TwoInputs<O::In1, O::In2>,
    state: StateOf<O>,
}

impl<O: KeyedCoOperator> KeyedCoStage<O> {
    /// A stage for an annotated operator that owns those key groups.
    pub fn new(operator: O, lookups: TwoLookups<O>, own: KeyGroupRange) -> Self
    where
        O: OperatorFields,
    {
        Self::with_state(operator, lookups, own, StateOf::annotated(O::STATE_BY_NAME))
    }

    /// A stage for a keyed operator of the engine's own, which shows its state itself.
    pub fn with_fields(
        operator: O,
        lookups: TwoLookups<O>,
        own: KeyGroupRange,
        fields: FieldsOf<O>,
    ) -> Self {
        Self::with_state(operator, lookups, own, StateOf::own(fields))
    }

    fn with_state(
        operator: O,
        lookups: TwoLookups<O>,
        own: KeyGroupRange,
        state: StateOf<O>,
    ) -> Self {
        let (keys, input) = (Keys::new(own), TwoInputs::Nothing);
        Self::of(CoKeyed { operator, keys, lookups, input, state })
    }
}

impl<O: KeyedCoOperator> Logic for CoKeyed<O> {
    type Out = O::Out;

    fn services(&self, ctx: &RuntimeContext) -> Services {
        self.state.services(ctx)
    }

    fn load(&mut self, restored: &RestoredSlots<'_>, services: &mut Services) -> Result<()> {
        self.keys.load(self.state, &mut self.operator, restored, services)
    }

    fn save(&mut self, writer: &mut SnapshotWriter<'_>, services: &mut Services) -> Result<()> {
        self.keys.save(self.state, &mut self.operator, writer, services)
    }

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        self.operator.open(ctx)
    }

    fn accept(&mut self, input: usize, batch: ErasedBatch) {
        self.input = TwoInputs::of(input, batch);
    }

    fn run(&mut self, core: &mut Core<O::Out>) -> Result<bool> {
        let Self { operator, keys, lookups, input, .. } = self;
        match input {
            TwoInputs::Nothing => Ok(true),
            TwoInputs::First(batch) => {
                keys.process(lookups.first.as_ref(), batch, core, |value, ctx| {
                    operator.process_element1(value, ctx)
                })
            }
            TwoInputs::Second(batch) => {
                keys.process(lookups.second.as_ref(), batch, core, |value, ctx| {
                    operator.process_element2(value, ctx)
                })
            }
        }
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        self.input.take()
    }

    fn on_event_time_timer(&mut self, at: i64, key: u32, core: &mut Core<O::Out>) -> Result<()> {
        let time = EventTime::from_millis(at);
        self.operator.on_event_time_timer(time, &mut self.keys.current(key, Some(time), core))
    }

    fn on_processing_time_timer(
        &mut self,
        at: i64,
        key: u32,
        core: &mut Core<O::Out>,
    ) -> Result<()> {
        self.operator.on_processing_time_timer(at, &mut self.keys.current(key, None, core))
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

    fn compact(&mut self, services: &mut Services) -> Result<()> {
        // Records at hand have been given their index already.
        if self.input.is_empty() {
            self.keys.compact(self.state, &mut self.operator, services)?;
        }
        Ok(())
    }
}
