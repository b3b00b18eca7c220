//! Sends records back to the head of their iteration.

use std::sync::Arc;

use clink_plan::descriptor::SlotDescriptor;

use crate::channel::{Batch, ErasedBatch, Probe, StreamElement};
use crate::data::Data;
use crate::error::Result;
use crate::state::slot::StateVisitor;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::state::{OperatorListState, Redistribution, Split};
use crate::sys::clock::Clock;
use crate::time::Watermark;

use super::super::RuntimeContext;
use super::super::stage::{Outbox, Stage, Turn, WRONG_TYPE};
use super::IterationConfig;
use super::feedback::{Feedback, Row, batch};

/// The tail of an iteration: it never waits.
pub struct IterateTail<T: Data> {
    iteration: u32,
    config: IterationConfig,
    opened: Option<(Arc<Feedback<T>>, usize, Clock)>,
    input: Option<Box<Batch<T>>>,
}

impl<T: Data> IterateTail<T> {
    /// What came to a tail between the barrier of its head and its own.
    pub const SLOT: SlotDescriptor =
        SlotDescriptor { name: "in_flight", kind: Split::KIND, keyed: false, version: 1 };

    /// A tail of the iteration with that number.
    pub fn new(iteration: u32, config: IterationConfig) -> Self {
        Self { iteration, config, opened: None, input: None }
    }

    fn opened(&self) -> &(Arc<Feedback<T>>, usize, Clock) {
        self.opened.as_ref().expect("a stage is opened before anything else is asked of it")
    }
}

impl<T: Data> Stage for IterateTail<T> {
    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        let feedback = Feedback::of(ctx, self.iteration, &self.config);
        let index = ctx.subtask_index() as usize;
        if let Some(restored) = restored {
            let mut in_flight = OperatorListState::<Row<T>>::default();
            restored.operator_loader().operator_slot(Self::SLOT.name, &mut in_flight)?;
            if !in_flight.rows().is_empty() {
                feedback.push(index, batch(in_flight.rows()))?;
            }
        }
        self.opened = Some((feedback, index, ctx.clock.clone()));
        Ok(())
    }

    fn accept(&mut self, _input: usize, batch: ErasedBatch) {
        self.input = Some(batch.downcast().expect(WRONG_TYPE));
    }

    fn run(&mut self, _out: &mut Outbox) -> Result<Turn> {
        if let Some(batch) = self.input.take() {
            let (feedback, index, _) = self.opened();
            feedback.push(*index, *batch)?;
        }
        Ok(Turn::Done)
    }

    fn take_spare(&mut self) -> Option<ErasedBatch> {
        None
    }

    fn recycle(&mut self, _batch: ErasedBatch) {}

    fn settle(&mut self, _out: &mut Outbox) -> Result<()> {
        Ok(())
    }

    /// Watermarks do not go round; how far time has come still shows.
    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<Turn> {
        out.push(StreamElement::Watermark(watermark));
        Ok(Turn::Done)
    }

    fn on_probe(&mut self, probe: Probe, _out: &mut Outbox) -> Result<Turn> {
        if probe.iteration == self.iteration {
            let (feedback, index, clock) = self.opened();
            let now_ms = clock.now_ms();
            let last = feedback.lock().quiescence.arrived(*index, probe.round, now_ms);
            if last {
                feedback.wake_all();
            }
        }
        Ok(Turn::Done)
    }

    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()> {
        let (feedback, index, _) = self.opened();
        let mut in_flight = OperatorListState::<Row<T>>::default();
        in_flight.set(feedback.lock().take_log(*index));
        writer.operator_saver().operator_slot(Self::SLOT.name, &mut in_flight)?;
        Ok(())
    }

    fn flush(&mut self, _out: &mut Outbox) -> Result<Turn> {
        Ok(Turn::Done)
    }

    fn close(&mut self) -> Result<()> {
        self.opened = None;
        Ok(())
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        (0, 0)
    }
}
