//! Runs an [`IntervalJoin`] over the batches of two inputs, whose keys share one table.

use std::sync::Arc;

use clink_plan::key_group::KeyGroupRange;

use crate::channel::{Barrier, ErasedBatch};
use crate::data::Data;
use crate::error::Result;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::state::{Key, KeyLookup};
use crate::time::{EventTime, Watermark};

use super::super::context::Context;
use super::super::join::{Hold, IntervalJoin, Join, Joiner};
use super::super::runtime_context::RuntimeContext;
use super::super::services::Services;
use super::co::TwoInputs;
use super::core::Core;
use super::keyed::{Keys, StateOf};
use super::logic::{Logic, LogicStage};

/// An [`IntervalJoin`] with its keys, its emitter and the batch at hand.
pub type JoinStage<L, R, K, J> = LogicStage<JoinLogic<L, R, K, J>>;

/// What is a join's own.
///
/// Event-time timers say when records of a key have waited enough. They follow from the rows that
/// wait, so they are made anew after a restore and not saved.
pub struct JoinLogic<L, R, K, J> {
    join: IntervalJoin<L, R, J>,
    keys: Keys<K>,
    left: Box<dyn KeyLookup<L, K>>,
    right: Box<dyn KeyLookup<R, K>>,
    input: TwoInputs<L, R>,
    hold: Hold,
    /// The watermark that was forwarded last, unless the input has been idle since.
    forwarded: Option<EventTime>,
}

impl<L: Data, R: Data, K: Key, J: Joiner<L, R>> JoinStage<L, R, K, J> {
    /// A stage that owns those key groups, around a joiner that all instances share.
    pub fn new(
        join: Join<Arc<J>>,
        left: Box<dyn KeyLookup<L, K>>,
        right: Box<dyn KeyLookup<R, K>>,
        own: KeyGroupRange,
    ) -> Self {
        let join = IntervalJoin::new(join);
        let (hold, keys, input) = (join.hold(), Keys::new(own), TwoInputs::Nothing);
        Self::of(JoinLogic { join, keys, left, right, input, hold, forwarded: None })
    }
}

impl<L: Data, R: Data, K: Key, J: Joiner<L, R>> Logic for JoinLogic<L, R, K, J> {
    type Out = J::Out;

    fn load(&mut self, restored: &RestoredSlots<'_>, services: &mut Services) -> Result<()> {
        let Self { join, keys, .. } = self;
        let state = StateOf::own(IntervalJoin::visit_state);
        keys.load(state, join, restored, &mut Services::default())?;
        for (at, key) in join.deadlines() {
            services.timers.event_time.register(at, key);
        }
        Ok(())
    }

    fn save(&mut self, writer: &mut SnapshotWriter<'_>, _services: &mut Services) -> Result<()> {
        let (state, none) = (StateOf::own(IntervalJoin::visit_state), &mut Services::default());
        self.keys.save(state, &mut self.join, writer, none)
    }

    fn open(&mut self, _ctx: &RuntimeContext) -> Result<()> {
        Ok(())
    }

    fn accept(&mut self, input: usize, batch: ErasedBatch) {
        self.input = TwoInputs::of(input, batch);
    }

    fn run(&mut self, core: &mut Core<J::Out>) -> Result<bool> {
        let Self { join, keys, left, right, input, .. } = self;
        match input {
            TwoInputs::Nothing => Ok(true),
            TwoInputs::First(batch) => {
                keys.process(left.as_ref(), batch, core, |value, ctx| join.on_left(value, ctx))
            }
            TwoInputs::Second(batch) => {
                keys.process(right.as_ref(), batch, core, |value, ctx| join.on_right(value, ctx))
            }
        }
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        self.input.take()
    }

    fn on_event_time_timer(&mut self, at: i64, key: u32, core: &mut Core<J::Out>) -> Result<()> {
        self.join.on_deadline(at, &mut self.keys.current(key, None, core));
        Ok(())
    }

    fn on_processing_time_timer(
        &mut self,
        _at: i64,
        _key: u32,
        _core: &mut Core<J::Out>,
    ) -> Result<()> {
        Ok(())
    }

    fn on_watermark(&mut self, _at: Watermark, _ctx: &mut Context<'_, J::Out>) -> Result<()> {
        Ok(())
    }

    fn forward(&mut self, watermark: Watermark) -> Option<Watermark> {
        let Watermark::At(time) = watermark else {
            // The next word says "active again", even if time has not moved.
            self.forwarded = None;
            return Some(watermark);
        };
        let behind = Some(self.hold.behind(time));
        if self.forwarded == behind {
            return None;
        }
        self.forwarded = behind;
        behind.map(Watermark::At)
    }

    fn on_barrier(&mut self, _barrier: Barrier, _ctx: &mut Context<'_, J::Out>) -> Result<()> {
        Ok(())
    }

    fn flush(&mut self, _ctx: &mut Context<'_, J::Out>) -> Result<()> {
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }

    fn compact(&mut self, services: &mut Services) -> Result<()> {
        // Records at hand have been given their index already.
        if self.input.is_empty() {
            let state = StateOf::own(IntervalJoin::visit_state);
            self.keys.compact(state, &mut self.join, services)?;
        }
        Ok(())
    }
}
