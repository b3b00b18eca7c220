//! Is one parallel instance of a chain, as a step function that never blocks.
//!
//! [`Subtask::step`] takes elements from its source or input gate, moves them through its chain and
//! puts the rest into its output gate, until its turn is over or it has to wait. There is one
//! runner for every shape: single or chained, with one or many inputs, source, operator or sink.
//!
//! Life: created → (first step) restored and opened → running → ended → closed. A cancelled or
//! failed subtask skips the end but closes whatever was opened.

pub mod align;
pub mod chain;
pub mod contain;
pub mod failure;
mod head;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use clink_plan::id::{CheckpointId, SubtaskId};
use crossbeam_channel::Sender;

use crate::channel::output::OutputGate;
use crate::config::{LINGER_MS, STEP_MS, STEP_RECORDS, TICKS_PER_TURN};
use crate::error::Error;
use crate::metrics::{Phase, SubtaskMetrics};
use crate::state::snapshot::{RestoredState, SlotSnapshot};
use crate::sys::clock::Clock;

use chain::{Chain, Left, Passing};
use contain::contain;
use failure::Origin;
pub use failure::RuntimeError;
pub use head::{GateHead, Head, SourceLink};
use head::{Pull, Pulled};

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to do at once.
    More,
    /// Nothing to do for now, but a turn later there may be, and then buffers leave fuller: step
    /// again after whoever is ready.
    Later,
    /// Nothing to do until woken: no input has come.
    Waiting,
    /// Nothing to do until woken: an output has no room.
    Blocked,
    /// Nothing to do until woken, or until this processing time in milliseconds.
    WaitingUntil(i64),
    /// Over; never step again.
    Finished,
}

/// What a subtask tells the job.
#[derive(Debug)]
pub enum SubtaskEvent {
    /// Captured at a barrier.
    Captured {
        /// Who.
        subtask: SubtaskId,
        /// Which barrier.
        checkpoint: CheckpointId,
        /// The rows of its operators.
        slots: Vec<SlotSnapshot>,
    },
    /// Has nothing left to do and closed in order.
    Finished {
        /// Who.
        subtask: SubtaskId,
        /// Whether it was stopped before its input ended: what its operators emit at the end is
        /// still due in a run that goes on from here.
        stopped: bool,
        /// What its operators held at last; empty in a run without checkpoints.
        slots: Vec<SlotSnapshot>,
    },
    /// Failed, and closed.
    Failed {
        /// Who.
        subtask: SubtaskId,
        /// Why.
        error: RuntimeError,
    },
    /// Was cancelled, and closed.
    Cancelled {
        /// Who.
        subtask: SubtaskId,
    },
}

/// What the job tells its subtasks; they look at each step.
#[derive(Debug, Default)]
pub struct JobControl {
    barrier: AtomicU64,
    stop: AtomicBool,
    cancel: AtomicBool,
    /// Subtasks that have begun to close.
    closing: AtomicUsize,
}

impl JobControl {
    /// Asks every source for this barrier.
    pub fn request_barrier(&self, id: CheckpointId) {
        self.barrier.store(id.0, Ordering::Release);
    }

    /// Asks every source to end where it is.
    pub fn request_stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Asks every subtask to close at once.
    pub fn request_cancel(&self) {
        self.cancel.store(true, Ordering::Release);
    }

    /// True once cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Acquire)
    }

    /// How many subtasks have begun to close: the others have not noticed a cancel.
    pub fn closing(&self) -> usize {
        self.closing.load(Ordering::Acquire)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    fn barrier(&self) -> CheckpointId {
        CheckpointId(self.barrier.load(Ordering::Acquire))
    }
}

/// What a subtask is made of.
pub struct Parts {
    /// Its number in the plan.
    pub id: SubtaskId,
    /// Where its records come from.
    pub head: Head,
    /// Its operators.
    pub chain: Chain,
    /// Where its records go.
    pub output: OutputGate,
    /// What the job asks of it.
    pub control: Arc<JobControl>,
    /// Where it reports.
    pub events: Sender<SubtaskEvent>,
    /// The state to start from.
    pub restored: Option<Arc<dyn RestoredState>>,
    /// True if the job takes checkpoints.
    pub checkpoints: bool,
    /// The time.
    pub clock: Clock,
    /// Where it notes what it does with its time.
    pub metrics: Arc<SubtaskMetrics>,
}

/// One parallel instance of a chain.
pub struct Subtask {
    parts: Parts,
    left: VecDeque<Left>,
    life: Life,
    /// What waited has been sent on since the last input.
    settled: bool,
    /// When what waits in buffers began to, in milliseconds; `None` if nothing does.
    waiting_since_ms: Option<i64>,
    /// The input was dry at the end of the last turn: others had a turn to bring more.
    dry: bool,
    ending: Option<Vec<SlotSnapshot>>,
    /// The last barrier that has passed.
    barrier: CheckpointId,
    /// It has begun to close.
    closing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Created,
    Running,
    Closed,
}

impl Subtask {
    /// Not opened yet: that happens in the first step, on the thread that makes it.
    pub fn new(parts: Parts) -> Self {
        Self {
            parts,
            left: VecDeque::new(),
            life: Life::Created,
            settled: true,
            waiting_since_ms: None,
            dry: false,
            ending: None,
            barrier: CheckpointId(0),
            closing: false,
        }
    }

    /// Drops it; a panic while an author's value is dropped ends nothing else.
    pub fn discard(self) {
        let _ = contain(|| drop(self));
    }

    /// True if it makes its records itself.
    pub fn is_source(&self) -> bool {
        matches!(self.parts.head, Head::Source(_))
    }

    /// True if its steps may block: it needs a thread of its own.
    pub fn is_blocking(&self) -> bool {
        matches!(&self.parts.head, Head::Source(source) if source.is_blocking())
    }

    /// True while something outside the job may still wake it.
    pub fn awaits_outside(&self) -> bool {
        self.parts.chain.awaits_outside()
    }

    /// Its number in the plan.
    pub fn id(&self) -> SubtaskId {
        self.parts.id
    }

    /// Works until the turn is over. Errors and panics of author code end here.
    pub fn step(&mut self) -> Step {
        self.step_within(STEP_RECORDS)
    }

    /// Works until the turn is over, which is once so many records and control elements have been
    /// taken in: with none only what is there already goes on, with one a source produces once.
    pub fn step_within(&mut self, elements: usize) -> Step {
        let started = self.parts.clock.elapsed();
        self.parts.metrics.enter(Phase::Busy, started);
        let step = self.advance(started, elements);
        let phase = match step {
            Step::More => Phase::Ready,
            Step::Later | Step::Waiting | Step::WaitingUntil(_) => Phase::Idle,
            Step::Blocked => Phase::Blocked,
            Step::Finished => Phase::Ended,
        };
        self.parts.metrics.enter(phase, self.parts.clock.elapsed());
        step
    }

    fn advance(&mut self, started: Duration, most: usize) -> Step {
        if self.life == Life::Closed {
            return Step::Finished;
        }
        if self.parts.control.is_cancelled() {
            self.close();
            self.report(SubtaskEvent::Cancelled { subtask: self.parts.id });
            return Step::Finished;
        }
        let error = match contain(|| self.work(started, most)) {
            Ok(Ok(step)) => return step,
            Ok(Err(error)) => RuntimeError::Operator { origin: Box::new(self.blame()), error },
            Err(caught) => RuntimeError::Panic {
                origin: Box::new(self.blame()),
                message: caught.message,
                location: caught.location,
            },
        };
        self.close();
        self.report(SubtaskEvent::Failed { subtask: self.parts.id, error });
        Step::Finished
    }

    fn work(&mut self, started: Duration, most: usize) -> Result<Step, Error> {
        if self.life == Life::Created {
            self.open()?;
        }
        let mut elements = 0;
        let mut ticks = 0;
        // An operator waits for something outside the chain.
        let mut stuck = false;
        // What the operators behind it hold has been sent on.
        let mut surfaced = false;
        loop {
            // The next step sees to it.
            if self.parts.control.is_cancelled() {
                return Ok(Step::More);
            }
            self.send_left()?;
            if !self.parts.output.send() {
                return self.blocked();
            }
            if let Some(slots) = self.ending.take() {
                return self.finish(slots);
            }
            if !stuck && self.parts.chain.is_pending() {
                stuck = !self.turn()?;
                continue;
            }
            if ticks < TICKS_PER_TURN && self.tick()? {
                (stuck, surfaced) = (false, false);
                ticks = if self.is_over(started) { TICKS_PER_TURN } else { ticks + 1 };
                continue;
            }
            if stuck && self.inject()? {
                stuck = false;
                continue;
            }
            if stuck && surfaced {
                return Ok(self.waiting_until(None));
            }
            if stuck {
                // What it waits for may take long, and the records behind it do not wait for that.
                (stuck, surfaced) = (false, true);
                self.parts.chain.settle_behind(&mut self.left);
                continue;
            }
            if self.lingered() {
                self.settle();
                continue;
            }
            // A whole turn fills the buffers well, and what stayed would be cold by the next.
            if elements >= most && !self.settled {
                self.settle();
                continue;
            }
            if elements >= most || self.is_over(started) {
                return Ok(Step::More);
            }
            // The call for more may block: what there is goes on its way first.
            if !self.settled && self.is_blocking() {
                self.settle();
                continue;
            }
            if let Some(step) = self.take_in(&mut elements)? {
                return Ok(step);
            }
        }
    }

    /// Looks for input; what the step comes to if there is nothing to do but wait for it.
    fn take_in(&mut self, elements: &mut usize) -> Result<Option<Step>, Error> {
        match self.pull()? {
            Pulled::Records(count) => {
                *elements += count;
                self.settled = false;
                self.dry = false;
            }
            Pulled::Control => {
                *elements += 1;
                self.settled = false;
            }
            // Under load more arrives while others have their turn, and buffers leave fuller.
            Pulled::Nothing if !self.settled && !self.dry && self.parts.output.spreads() => {
                self.dry = true;
                return Ok(Some(Step::Later));
            }
            Pulled::Nothing | Pulled::Until(_) if !self.settled => self.settle(),
            Pulled::Nothing => return Ok(Some(self.waiting_until(None))),
            Pulled::Until(deadline_ms) => return Ok(Some(self.waiting_until(Some(deadline_ms)))),
        }
        Ok(None)
    }

    fn open(&mut self) -> Result<(), Error> {
        // Before it is opened: what fails half-way is closed as well.
        self.life = Life::Running;
        let restored = self.parts.restored.take();
        self.parts.head.open(restored.as_deref())?;
        self.parts.chain.open(restored.as_deref())
    }

    /// Nothing can be sent on until woken; what has been begun elsewhere goes on.
    fn blocked(&mut self) -> Result<Step, Error> {
        let Parts { chain, clock, .. } = &mut self.parts;
        if chain.wants_ticks() {
            chain.attend_all(clock.now_ms())?;
        }
        Ok(Step::Blocked)
    }

    /// True if the turn that started then has taken as long as it may.
    fn is_over(&self, started: Duration) -> bool {
        let turn = self.parts.clock.elapsed().saturating_sub(started);
        turn >= Duration::from_millis(STEP_MS)
    }

    /// Nothing to do until woken, until this time, or until an operator of the chain has.
    fn waiting_until(&self, deadline_ms: Option<i64>) -> Step {
        if self.parts.chain.is_awaiting() {
            // It has had enough turns for now.
            return Step::More;
        }
        let own = self.parts.chain.deadline_ms();
        deadline_ms.into_iter().chain(own).min().map_or(Step::Waiting, Step::WaitingUntil)
    }

    /// Lets operators do what is due without a record; false if nothing is due.
    fn tick(&mut self) -> Result<bool, Error> {
        if !self.parts.chain.wants_ticks() {
            return Ok(false);
        }
        let now_ms = self.parts.clock.now_ms();
        let ticked = self.parts.chain.tick(now_ms, &mut self.left)?;
        self.settled &= !ticked;
        Ok(ticked)
    }

    /// Puts the barrier that is asked for in where the end of the input waits, if it has not come.
    fn inject(&mut self) -> Result<bool, Error> {
        let requested = self.parts.control.barrier();
        if requested <= self.barrier || !self.parts.head.is_over() {
            return Ok(false);
        }
        let barrier = crate::channel::Barrier::aligned(requested);
        let injected = self.parts.chain.inject(barrier, &mut self.left)?;
        if injected {
            self.barrier = requested;
        }
        Ok(injected)
    }

    /// Sends on whatever waits in buffers.
    fn settle(&mut self) {
        self.settled = true;
        self.dry = false;
        self.waiting_since_ms = None;
        self.parts.chain.enter(Passing::Settle, &mut self.left);
    }

    /// True if records have waited in buffers for as long as they may.
    fn lingered(&mut self) -> bool {
        if self.settled {
            return false;
        }
        let now_ms = self.parts.clock.now_ms();
        let since_ms = *self.waiting_since_ms.get_or_insert(now_ms);
        now_ms.saturating_sub(since_ms) >= LINGER_MS.cast_signed()
    }

    fn pull(&mut self) -> Result<Pulled, Error> {
        let Parts { head, chain, control, output, checkpoints, clock, .. } = &mut self.parts;
        if let Some(spare) = output.spare().and_then(|spare| chain.recycle(spare)) {
            head.recycle(spare);
        }
        let left = &mut self.left;
        head.pull(&mut Pull { control, checkpoints: *checkpoints, clock, chain, left })
    }

    /// One turn of the chain; false if an operator waits for something outside it.
    fn turn(&mut self) -> Result<bool, Error> {
        let Parts { head, chain, checkpoints, .. } = &mut self.parts;
        chain.turn(*checkpoints, &mut self.left, &mut |batch| head.take_back(batch))
    }

    /// Moves what left the chain to the outputs.
    fn send_left(&mut self) -> Result<(), Error> {
        while let Some(left) = self.left.pop_front() {
            match left {
                Left::Element(element) => self.parts.output.push(element)?,
                Left::Side(port, element) => self.parts.output.push_side(port, element),
                Left::Settle => self.parts.output.flush_buffers(),
                Left::Barrier(barrier, slots) => {
                    self.barrier = self.barrier.max(barrier.id);
                    self.report(SubtaskEvent::Captured {
                        subtask: self.parts.id,
                        checkpoint: barrier.id,
                        slots,
                    });
                    self.parts.output.push(crate::channel::StreamElement::Barrier(barrier))?;
                }
                Left::End(slots) => {
                    self.parts.output.flush_buffers();
                    self.ending = Some(slots);
                }
            }
        }
        Ok(())
    }

    /// The end: everything has been sent.
    fn finish(&mut self, slots: Vec<SlotSnapshot>) -> Result<Step, Error> {
        self.begin_close();
        self.parts.head.close()?;
        while let Some(closed) = self.parts.chain.close_next() {
            closed?;
        }
        self.life = Life::Closed;
        // Reported before the outputs close: whoever sees our end downstream can rely on the job
        // knowing of it.
        let stopped = self.parts.chain.is_stopped();
        self.report(SubtaskEvent::Finished { subtask: self.parts.id, stopped, slots });
        self.parts.output.close();
        Ok(Step::Finished)
    }

    /// Closes whatever is open; what goes wrong here is not the first thing that did.
    fn close(&mut self) {
        self.begin_close();
        self.life = Life::Closed;
        let _ = contain(|| self.parts.head.close());
        while let Ok(Some(_)) | Err(_) = contain(|| self.parts.chain.close_next()) {}
    }

    /// Notes once that it sees to its end.
    fn begin_close(&mut self) {
        if !std::mem::replace(&mut self.closing, true) {
            self.parts.control.closing.fetch_add(1, Ordering::AcqRel);
        }
    }

    fn blame(&self) -> Origin {
        let Parts { head, chain, id, .. } = &self.parts;
        head.blame().or_else(|| chain.blame()).unwrap_or_else(|| Origin {
            operator: format!("subtask {}", id.0),
            name: String::new(),
            uid: String::new(),
            subtask_index: 0,
        })
    }

    fn report(&self, event: SubtaskEvent) {
        // The job is gone only when its process ends.
        let _ = self.parts.events.send(event);
    }
}
