//! Takes new records, and those that are fed back, into an iteration.

use std::sync::Arc;

use clink_plan::descriptor::SlotDescriptor;

use crate::channel::{ErasedBatch, Probe, StreamElement};
use crate::config::OUTBOX_BATCHES;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::state::slot::StateVisitor;
use crate::state::snapshot::{RestoredSlots, SnapshotWriter};
use crate::state::{OperatorListState, Redistribution, Split};
use crate::sys::clock::Clock;
use crate::time::{EventTime, Watermark};

use super::super::RuntimeContext;
use super::super::stage::{Outbox, Stage, Turn};
use super::IterationConfig;
use super::feedback::{Feedback, Row, batch};

/// The head of an iteration; its records are those of its input and those that come back.
pub struct IterateHead<T: Data> {
    iteration: u32,
    config: IterationConfig,
    opened: Option<Opened<T>>,
    input: Option<ErasedBatch>,
    passed: u64,
    /// The end of event time has come and has not been passed on.
    end_of_time: bool,
    /// How often all was quiet when it began to wait for that.
    waiting_since: Option<u64>,
    /// All was quiet once since the input ended, or was stopped.
    was_quiet: bool,
    /// The last wave that was sent.
    sent: u64,
    /// Waves of iterations around this one, until nothing is left in here. All else passes
    /// meanwhile: what is before a wave on one way may be behind it on another, and a barrier that
    /// waited for the wave would hold up the very body that must become quiet.
    held: Vec<Probe>,
}

struct Opened<T: Data> {
    feedback: Arc<Feedback<T>>,
    index: usize,
    clock: Clock,
    name: String,
}

impl<T: Data> IterateHead<T> {
    /// What waits for a head when it is saved.
    pub const SLOT: SlotDescriptor =
        SlotDescriptor { name: "feedback", kind: Split::KIND, keyed: false, version: 1 };

    /// A head of the iteration with that number.
    pub fn new(iteration: u32, config: IterationConfig) -> Self {
        Self {
            iteration,
            config,
            opened: None,
            input: None,
            passed: 0,
            end_of_time: false,
            waiting_since: None,
            was_quiet: false,
            sent: 0,
            held: Vec::new(),
        }
    }

    fn opened(&self) -> &Opened<T> {
        self.opened.as_ref().expect("a stage is opened before anything else is asked of it")
    }

    /// Lets records into the body.
    fn pass(&mut self, batch: ErasedBatch, out: &mut Outbox) -> Result<()> {
        let records = batch.len();
        let passed = self.opened().feedback.count(records);
        if let Some(most) = self.config.max_records.filter(|most| passed > *most) {
            return Err(Error::new(format!(
                "more than {most} records have passed the head of iteration `{}`, which is its \
                 `max_records`: raise it, or mend what keeps records going round",
                self.opened().name
            ))
            .terminal());
        }
        self.passed += records as u64;
        out.push(StreamElement::Data(batch));
        Ok(())
    }

    /// Lets the waves that it holds go on, once nothing is left in the iteration.
    fn let_go(&mut self, out: &mut Outbox) {
        if !self.held.is_empty() && self.is_quiet(out) {
            self.held.drain(..).for_each(|probe| out.push(StreamElement::Probe(probe)));
        }
    }

    /// Waits until nothing is left in the iteration: true once that is so.
    fn is_quiet(&mut self, out: &mut Outbox) -> bool {
        let opened = self.opened.as_ref().expect("an opened stage waits");
        let (now_ms, index) = (opened.clock.now_ms(), opened.index);
        let mut inner = opened.feedback.lock();
        let since = *self.waiting_since.get_or_insert(inner.quiescence.quiet());
        if inner.quiescence.quiet() > since {
            inner.quiescence.works(index);
            self.waiting_since = None;
            return true;
        }
        if !inner.is_empty(index) {
            inner.quiescence.works(index);
            drop(inner);
            opened.feedback.wake(index);
            return false;
        }
        inner.quiescence.waits(index);
        let nothing_queued = inner.all_empty();
        let started = inner.quiescence.start(nothing_queued, now_ms);
        if let Some(round) = inner.quiescence.wave().filter(|round| *round > self.sent) {
            self.sent = round;
            out.push(StreamElement::Probe(Probe { iteration: self.iteration, round }));
        }
        drop(inner);
        if started {
            opened.feedback.wake_all();
        }
        false
    }
}

impl<T: Data> Stage for IterateHead<T> {
    fn open(&mut self, ctx: &RuntimeContext, restored: Option<&RestoredSlots<'_>>) -> Result<()> {
        let feedback = Feedback::of(ctx, self.iteration, &self.config);
        let index = ctx.subtask_index() as usize;
        feedback.attend(index, ctx.waker.clone());
        if let Some(restored) = restored {
            let mut waiting = OperatorListState::<Row<T>>::default();
            restored.operator_loader().operator_slot(Self::SLOT.name, &mut waiting)?;
            if !waiting.rows().is_empty() {
                feedback.push(index, batch(waiting.rows()))?;
            }
        }
        let (clock, name) = (ctx.clock.clone(), ctx.name().to_owned());
        self.opened = Some(Opened { feedback, index, clock, name });
        Ok(())
    }

    fn accept(&mut self, _input: usize, batch: ErasedBatch) {
        self.input = Some(batch);
    }

    fn run(&mut self, out: &mut Outbox) -> Result<Turn> {
        if let Some(batch) = self.input.take() {
            self.pass(batch, out)?;
            if !self.held.is_empty() {
                // A wave under way may be past it.
                self.opened().feedback.lock().quiescence.pushed();
                self.let_go(out);
            }
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

    fn on_watermark(&mut self, watermark: Watermark, out: &mut Outbox) -> Result<Turn> {
        match watermark {
            // Records that still go round come before the end of time.
            Watermark::At(EventTime::MAX) => self.end_of_time = true,
            other => out.push(StreamElement::Watermark(other)),
        }
        Ok(Turn::Done)
    }

    fn on_drain(&mut self, out: &mut Outbox) -> Result<Turn> {
        // What waits for the end of time in the body is saved, and goes round in another run.
        self.end_of_time = false;
        self.flush(out)
    }

    fn on_probe(&mut self, probe: Probe, out: &mut Outbox) -> Result<Turn> {
        self.held.retain(|held| held.iteration != probe.iteration);
        self.held.push(probe);
        self.let_go(out);
        Ok(Turn::Done)
    }

    fn snapshot(&mut self, writer: &mut SnapshotWriter<'_>) -> Result<()> {
        let opened = self.opened();
        let mut waiting = OperatorListState::<Row<T>>::default();
        waiting.set(opened.feedback.lock().cut(opened.index)?);
        writer.operator_saver().operator_slot(Self::SLOT.name, &mut waiting)?;
        Ok(())
    }

    fn flush(&mut self, out: &mut Outbox) -> Result<Turn> {
        if !self.is_quiet(out) {
            return Ok(Turn::Waiting);
        }
        if std::mem::replace(&mut self.was_quiet, true) {
            return Ok(Turn::Done);
        }
        // What waited for it in the body may still go round. Every head waits twice, whether it has
        // such a word or not: so all end together.
        if std::mem::take(&mut self.end_of_time) {
            out.push(StreamElement::Watermark(Watermark::At(EventTime::MAX)));
        }
        Ok(Turn::More)
    }

    fn finish(&mut self) -> Result<()> {
        let opened = self.opened();
        opened.feedback.lock().end(opened.index);
        opened.feedback.wake_all();
        Ok(())
    }

    fn deadline_ms(&self) -> Option<i64> {
        self.waiting_since?;
        self.opened().feedback.lock().quiescence.next_ms()
    }

    fn is_awaiting(&self) -> bool {
        self.opened.as_ref().is_some_and(|opened| opened.feedback.is_woken(opened.index))
    }

    fn tick(&mut self, _now_ms: i64, out: &mut Outbox) -> Result<()> {
        let Opened { feedback, index, .. } = self.opened();
        let (feedback, index) = (Arc::clone(feedback), *index);
        feedback.looks(index);
        for _ in 0..OUTBOX_BATCHES {
            let next = feedback.lock().pop(index)?;
            let Some(batch) = next else {
                self.let_go(out);
                return Ok(());
            };
            self.pass(ErasedBatch::new(batch), out)?;
        }
        // There may be more.
        feedback.wake(index);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        self.opened = None;
        Ok(())
    }

    fn take_emitted(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.passed), 0)
    }
}
