//! Is a join at work: a stage that is given one event after another, and saved and restored.

use std::sync::Arc;

use clink_plan::id::OperatorId;
use clink_plan::key_group::KeyGroupRange;

use super::super::super::RuntimeContext;
use super::super::super::stage::{JoinStage, Outbox, Stage, Turn};
use super::super::*;
use super::{Event, Output, Record, Shown, Side};
use crate::channel::{Batch, ErasedBatch, StreamElement};
use crate::state::key_index::OwnedLookup;
use crate::state::snapshot::{
    Instance, OperatorIdentity, RestoredSlots, RestoredState, SlotSnapshot, SnapshotWriter,
};
use crate::sync::wake::Waker;
use crate::sys::clock::Clock;
use crate::time::{EventTime, Watermark};

/// What a join did at an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Step {
    pub(super) output: Vec<Output>,
    pub(super) forwarded: Option<Watermark>,
}

fn context() -> RuntimeContext {
    RuntimeContext {
        operator: "op_1".to_owned(),
        uid: String::new(),
        name: String::new(),
        type_name: String::new(),
        operator_id: OperatorId(1),
        subtask_index: 0,
        parallelism: 1,
        restored: false,
        clock: Clock::simulated(0),
        side_outputs: Arc::default(),
        waker: Waker::nobody(),
        metrics: Arc::default(),
        shared: Arc::default(),
    }
}

fn instance() -> Instance {
    let operator = OperatorIdentity { id: OperatorId(1), uid: String::new() };
    Instance { operator, subtask_index: 0, parallelism: 1, key_groups: KeyGroupRange::ALL }
}

/// The slots of one instance, as they were saved.
struct Saved(Vec<SlotSnapshot>);

impl RestoredState for Saved {
    fn slots_by_name(&self, _operator: OperatorId) -> Vec<String> {
        Vec::new()
    }

    fn keyed_rows(
        &self,
        _: OperatorId,
        slot: &str,
        _: KeyGroupRange,
    ) -> crate::Result<Option<Vec<arrow_array::RecordBatch>>> {
        let of_slot = self.0.iter().filter(|saved| saved.slot == slot);
        Ok(Some(of_slot.map(|saved| saved.rows.clone()).collect()))
    }

    fn has_finished(&self, _: &Instance) -> bool {
        false
    }

    fn operator_rows(
        &self,
        _: OperatorId,
        _: &str,
    ) -> crate::Result<Option<Vec<arrow_array::RecordBatch>>> {
        Ok(None)
    }
}

/// A join at work.
pub(super) struct Player<J: Joiner<Record, Record>> {
    join: Join<Arc<J>>,
    stage: JoinStage<Record, Record, u64, J>,
    pub(super) runtime: RuntimeContext,
    show: fn(J::Out) -> Shown,
    count: u64,
}

impl<J: Joiner<Record, Record>> Player<J> {
    pub(super) fn new(join: Join<J>, show: fn(J::Out) -> Shown) -> Self {
        let Join { interval, joiner, late } = join;
        let join = Join { interval, joiner: Arc::new(joiner), late };
        let (stage, runtime) = (Self::stage(&join), context());
        let mut player = Self { join, stage, runtime, show, count: 0 };
        player.stage.open(&player.runtime, None).unwrap();
        player
    }

    fn stage(join: &Join<Arc<J>>) -> JoinStage<Record, Record, u64, J> {
        let lookup = || Box::new(OwnedLookup(Arc::new(|(key, _): &Record| *key)));
        let Join { interval, late, .. } = *join;
        let join = Join { interval, joiner: Arc::clone(&join.joiner), late };
        JoinStage::new(join, lookup(), lookup(), KeyGroupRange::ALL)
    }

    pub(super) fn play(&mut self, event: Event) -> crate::Result<Step> {
        let mut out = Outbox::default();
        match event {
            Event::Record(side, key, time) => {
                let time = (time != i64::MIN).then(|| EventTime::from_millis(time));
                let batch: Batch<Record> = std::iter::once(((key, self.count), time)).collect();
                self.count += 1;
                self.stage.accept(usize::from(side == Side::Right), ErasedBatch::new(batch));
                while self.stage.run(&mut out)? != Turn::Done {}
                self.stage.take_spare();
            }
            Event::Watermark(time) => {
                let watermark = Watermark::At(EventTime::from_millis(time));
                while self.stage.on_watermark(watermark, &mut out)? != Turn::Done {}
            }
            Event::Idle => {
                assert_eq!(self.stage.on_watermark(Watermark::Idle, &mut out)?, Turn::Done);
            }
            Event::Restart => self.restart(),
        }
        self.stage.settle(&mut out)?;
        Ok(self.step(out))
    }

    fn restart(&mut self) {
        let (instance, mut slots) = (instance(), Vec::new());
        self.stage.snapshot(&mut SnapshotWriter::new(&instance, &mut slots)).unwrap();
        assert_eq!(slots.len(), SLOTS.len(), "timers follow from the rows");
        let saved = Saved(slots);
        self.stage = Self::stage(&self.join);
        let restored = RestoredSlots::new(&instance, &saved);
        self.stage.open(&self.runtime, Some(&restored)).unwrap();
    }

    fn step(&self, out: Outbox) -> Step {
        let mut step = Step::default();
        for element in out.main {
            match element {
                StreamElement::Data(batch) => {
                    assert_eq!(step.forwarded, None, "records come before the watermark");
                    for (value, time) in batch.downcast::<J::Out>().unwrap().drain() {
                        let (left, right) = (self.show)(value);
                        step.output.push((left, right, time.unwrap().as_millis()));
                    }
                }
                StreamElement::Watermark(watermark) => step.forwarded = Some(watermark),
                other => panic!("{other:?}"),
            }
        }
        step.output.sort_unstable();
        step
    }
}
