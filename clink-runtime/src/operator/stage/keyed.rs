//! Runs a [`KeyedOperator`] over batches: one key look-up per record, then plain calls.

use clink_plan::descriptor::SlotDescriptor;
use clink_plan::key_group::KeyGroupRange;

use crate::channel::{Barrier, Batch, ErasedBatch};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::operator::OperatorFields;
use crate::state::compaction::Compaction;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::state::{Key, KeyLookup, KeyTable, NamedSlots, StateError};
use crate::time::{EventTime, Watermark};

use super::super::context::{Context, KeyContext};
use super::super::contract::KeyedOperator;
use super::super::runtime_context::RuntimeContext;
use super::super::services::Services;
use super::WRONG_TYPE;
use super::core::Core;
use super::logic::{Logic, LogicStage};
use super::operator::FieldsOf;

/// A [`KeyedOperator`] with its keys, its emitter and the batch at hand.
pub type KeyedStage<O> = LogicStage<Keyed<O>>;

/// The keys of an operator instance, and the index of each key at hand.
pub(super) struct Keys<K> {
    table: KeyTable<K>,
    indices: Vec<u32>,
    compaction: Compaction,
}

impl<K: Key> Keys<K> {
    pub(super) fn new(own: KeyGroupRange) -> Self {
        Self { table: KeyTable::new(own), indices: Vec::new(), compaction: Compaction::default() }
    }

    /// Handles records with their keys until they are used up (true) or enough was emitted (false).
    pub(super) fn process<In: Data, Out: Data>(
        &mut self,
        lookup: &dyn KeyLookup<In, K>,
        batch: &mut Batch<In>,
        core: &mut Core<Out>,
        mut one: impl FnMut(In, &mut KeyContext<'_, K, Out>) -> Result<()>,
    ) -> Result<bool> {
        let Self { table, indices, .. } = self;
        indices.clear();
        lookup.resolve(batch.values(), table, indices)?;
        let mut records = batch.drain().zip(indices.iter());
        while let Some(((value, time), index)) = records.next() {
            let context = core.context(time);
            one(value, &mut KeyContext { key: table.key(*index), index: *index, context })?;
            if core.is_full() {
                let rest: Batch<In> = records.map(|(record, _)| record).collect();
                let done = rest.is_empty();
                *batch = rest;
                return Ok(done);
            }
        }
        Ok(true)
    }

    /// The context in which that key is current.
    pub(super) fn current<'a, Out: Data>(
        &'a self,
        index: u32,
        time: Option<EventTime>,
        core: &'a mut Core<Out>,
    ) -> KeyContext<'a, K, Out> {
        KeyContext { key: self.table.key(index), index, context: core.context(time) }
    }

    pub(super) fn load<O>(
        &mut self,
        state: StateOf<O>,
        operator: &mut O,
        restored: &RestoredSlots<'_>,
        services: &mut Services,
    ) -> Result<()> {
        {
            let mut loader = restored.keyed_loader(&mut self.table);
            (state.fields)(operator, &mut loader)?;
            services.timers.visit_keyed(&mut loader)?;
        }
        let Some(expected) = state.by_name else { return Ok(()) };
        let mut names = restored.slots_by_name();
        names.extend(expected.iter().map(|name| (*name).to_owned()));
        names.sort();
        names.dedup();
        let named = &mut services.named;
        for name in names.into_iter().filter(|name| !state.has_field(name)) {
            let kept = restored.kept(&name, &mut self.table);
            let reason = |error: Error| StateError::RestoreByName {
                reason: error.to_string(),
                name: name.clone(),
            };
            named.keep(kept.map_err(reason)?);
        }
        Ok(())
    }

    pub(super) fn save<O>(
        &self,
        state: StateOf<O>,
        operator: &mut O,
        writer: &mut SnapshotWriter<'_>,
        services: &mut Services,
    ) -> Result<()> {
        {
            let mut saver = writer.keyed_saver(&self.table);
            (state.fields)(operator, &mut saver)?;
            if !services.timers.is_empty() {
                services.timers.visit_keyed(&mut saver)?;
            }
        }
        Ok(services.named.visit(&mut writer.named_saver(&self.table))?)
    }

    /// Drops keys that have neither state nor a timer, if it is time to; no record is at hand.
    pub(super) fn compact<O>(
        &mut self,
        state: StateOf<O>,
        operator: &mut O,
        services: &mut Services,
    ) -> Result<()> {
        self.compaction.run(&mut self.table, |visitor| {
            (state.fields)(operator, visitor)?;
            services.named.visit(visitor)?;
            services.timers.visit_keyed(visitor)
        })?;
        Ok(())
    }
}

/// What is known of the state of a keyed operator.
pub(super) struct StateOf<O> {
    /// Shows the fields.
    fields: FieldsOf<O>,
    slots: &'static [SlotDescriptor],
    /// The names it says it asks for; `None` for an operator of the engine's own, which asks for
    /// none.
    by_name: Option<&'static [&'static str]>,
}

impl<O> Clone for StateOf<O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<O> Copy for StateOf<O> {}

impl<O> StateOf<O> {
    /// Of an author's operator, which may ask for state by name.
    pub(super) fn annotated(by_name: &'static [&'static str]) -> Self
    where
        O: OperatorFields,
    {
        Self { fields: O::visit_state, slots: O::DESCRIPTOR.slots, by_name: Some(by_name) }
    }

    /// Of an operator of the engine's own.
    pub(super) fn own(fields: FieldsOf<O>) -> Self {
        Self { fields, slots: &[], by_name: None }
    }

    pub(super) fn services(&self, ctx: &RuntimeContext) -> Services {
        Services { named: NamedSlots::beside(self.slots), ..Services::new(ctx) }
    }

    fn has_field(&self, name: &str) -> bool {
        self.slots.iter().any(|slot| slot.name == name)
    }
}

/// What is a [`KeyedOperator`]'s own.
pub struct Keyed<O: KeyedOperator> {
    operator: O,
    keys: Keys<O::Key>,
    lookup: Box<dyn KeyLookup<O::In, O::Key>>,
    input: Option<Box<Batch<O::In>>>,
    state: StateOf<O>,
}

impl<O: KeyedOperator> KeyedStage<O> {
    /// A stage for an annotated operator that owns those key groups.
    pub fn new(operator: O, lookup: Box<dyn KeyLookup<O::In, O::Key>>, own: KeyGroupRange) -> Self
    where
        O: OperatorFields,
    {
        Self::with_state(operator, lookup, own, StateOf::annotated(O::STATE_BY_NAME))
    }

    /// A stage for a keyed operator of the engine's own, which shows its state itself.
    pub fn with_fields(
        operator: O,
        lookup: Box<dyn KeyLookup<O::In, O::Key>>,
        own: KeyGroupRange,
        fields: FieldsOf<O>,
    ) -> Self {
        Self::with_state(operator, lookup, own, StateOf::own(fields))
    }

    fn with_state(
        operator: O,
        lookup: Box<dyn KeyLookup<O::In, O::Key>>,
        own: KeyGroupRange,
        state: StateOf<O>,
    ) -> Self {
        Self::of(Keyed { operator, keys: Keys::new(own), lookup, input: None, state })
    }
}

impl<O: KeyedOperator> Logic for Keyed<O> {
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

    fn accept(&mut self, _input: usize, batch: ErasedBatch) {
        self.input = Some(batch.downcast().expect(WRONG_TYPE));
    }

    fn run(&mut self, core: &mut Core<O::Out>) -> Result<bool> {
        let Self { operator, keys, lookup, input, .. } = self;
        let Some(input) = input else { return Ok(true) };
        keys.process(lookup.as_ref(), input, core, |value, ctx| operator.process(value, ctx))
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        self.input.take().map(ErasedBatch::from)
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
        if self.input.as_ref().is_none_or(|batch| batch.is_empty()) {
            self.keys.compact(self.state, &mut self.operator, services)?;
        }
        Ok(())
    }
}
