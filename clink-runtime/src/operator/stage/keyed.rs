//! Runs a [`KeyedOperator`] over batches: one key look-up per record, then plain calls.

use clink_plan::key_group::KeyGroupRange;

use crate::channel::{Barrier, Batch, ErasedBatch};
use crate::data::Data;
use crate::error::Result;
use crate::operator::OperatorFields;
use crate::state::compaction::Compaction;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::state::{Key, KeyLookup, KeyTable};
use crate::time::timers::Timers;
use crate::time::{EventTime, Watermark};

use super::super::context::{Context, KeyContext};
use super::super::contract::KeyedOperator;
use super::super::runtime_context::RuntimeContext;
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
        fields: FieldsOf<O>,
        operator: &mut O,
        restored: &RestoredSlots<'_>,
        timers: &mut Timers,
    ) -> Result<()> {
        let mut loader = restored.keyed_loader(&mut self.table);
        fields(operator, &mut loader)?;
        Ok(timers.visit_keyed(&mut loader)?)
    }

    pub(super) fn save<O>(
        &self,
        fields: FieldsOf<O>,
        operator: &mut O,
        writer: &mut SnapshotWriter<'_>,
        timers: &mut Timers,
    ) -> Result<()> {
        let mut saver = writer.keyed_saver(&self.table);
        fields(operator, &mut saver)?;
        if !timers.is_empty() {
            timers.visit_keyed(&mut saver)?;
        }
        Ok(())
    }

    /// Drops keys that have neither state nor a timer, if it is time to; no record is at hand.
    pub(super) fn compact<O>(
        &mut self,
        fields: FieldsOf<O>,
        operator: &mut O,
        timers: &mut Timers,
    ) -> Result<()> {
        self.compaction.run(&mut self.table, |visitor| {
            fields(operator, visitor)?;
            timers.visit_keyed(visitor)
        })?;
        Ok(())
    }
}

/// What is a [`KeyedOperator`]'s own.
pub struct Keyed<O: KeyedOperator> {
    operator: O,
    keys: Keys<O::Key>,
    lookup: Box<dyn KeyLookup<O::In, O::Key>>,
    input: Option<Box<Batch<O::In>>>,
    fields: FieldsOf<O>,
}

impl<O: KeyedOperator> KeyedStage<O> {
    /// A stage for an annotated operator that owns those key groups.
    pub fn new(operator: O, lookup: Box<dyn KeyLookup<O::In, O::Key>>, own: KeyGroupRange) -> Self
    where
        O: OperatorFields,
    {
        Self::with_fields(operator, lookup, own, O::visit_state)
    }

    /// A stage for a keyed operator of the engine's own, which shows its state itself.
    pub fn with_fields(
        operator: O,
        lookup: Box<dyn KeyLookup<O::In, O::Key>>,
        own: KeyGroupRange,
        fields: FieldsOf<O>,
    ) -> Self {
        Self::of(Keyed { operator, keys: Keys::new(own), lookup, input: None, fields })
    }
}

impl<O: KeyedOperator> Logic for Keyed<O> {
    type Out = O::Out;

    fn load(&mut self, restored: &RestoredSlots<'_>, timers: &mut Timers) -> Result<()> {
        self.keys.load(self.fields, &mut self.operator, restored, timers)
    }

    fn save(&mut self, writer: &mut SnapshotWriter<'_>, timers: &mut Timers) -> Result<()> {
        self.keys.save(self.fields, &mut self.operator, writer, timers)
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

    fn compact(&mut self, timers: &mut Timers) -> Result<()> {
        // Records at hand have been given their index already.
        if self.input.as_ref().is_none_or(|batch| batch.is_empty()) {
            self.keys.compact(self.fields, &mut self.operator, timers)?;
        }
        Ok(())
    }
}
