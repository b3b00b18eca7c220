//! Steps one subtask by hand: real gates before and behind its operators, and a virtual clock.
//!
//! It is the subtask of a job: alignment, the merge of watermarks, timers, barriers, the end and
//! what becomes of a failure are the engine's own. Only the order of steps is the caller's.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clink_plan::id::{CheckpointId, SubtaskId};
use crossbeam_channel::Receiver;

use crate::channel::bounded::{Arrival, EdgeSender};
use crate::channel::gate::InputGate;
use crate::channel::{Barrier, ErasedBatch, StreamElement};
use crate::metrics::{OperatorMetrics, SubtaskMetrics};
use crate::operator::{JobShared, Produced};
use crate::state::snapshot::{Instance, RestoredState, SlotSnapshot};
use crate::subtask::chain::Chain;
use crate::subtask::{
    Head, JobControl, Parts, RuntimeError, SourceLink, Step, Subtask, SubtaskEvent,
};
use crate::sys::clock::Clock;

use super::asked::Asked;
use super::setup::{Make, Setup};
use super::snapshot::Snapshot;
use super::wiring::{check, inputs, member, outputs, shared, unbuilt};

/// Elements that the operators take in between two looks at what they do.
const STEP_ELEMENTS: usize = 64;

/// Steps after which they have no end: a batch and millions of timers need fewer.
const STEPS_MAX: u32 = 100;

/// How a harness came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Ended,
    Cancelled,
    Failed,
}

/// What left the operators, in order.
#[derive(Debug)]
pub(super) enum Emitted {
    /// Records.
    Batch(ErasedBatch),
    /// Any other element.
    Control(StreamElement),
}

/// Where one output arrives.
pub(super) struct Output {
    tag: Option<String>,
    gate: InputGate,
    emitted: Vec<Emitted>,
}

/// One input: its sending end, until it has been closed.
pub(super) struct Input(pub(super) Option<EdgeSender>);

/// The operators at work.
pub(super) struct Bench {
    subtask: Subtask,
    step: Step,
    over: Option<Over>,
    pub(super) clock: Clock,
    control: Arc<JobControl>,
    events: Receiver<SubtaskEvent>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    produced: Arc<Mutex<Option<Produced>>>,
    checkpoint: CheckpointId,
    captured: Option<Vec<SlotSnapshot>>,
    stopped: bool,
    instances: Vec<Instance>,
    pub(super) metrics: Vec<Arc<OperatorMetrics>>,
    pub(super) shared: Arc<JobShared>,
    saves: bool,
}

impl Bench {
    /// Makes the operators, restores and opens them.
    #[track_caller]
    pub(super) fn open(setup: &Setup) -> Result<Self, RuntimeError> {
        let mut bench = Self::build(setup)?;
        match setup.inputs {
            // Opened, and not asked to produce yet.
            0 => bench.step(0)?,
            _ => bench.settle()?,
        }
        Ok(bench)
    }

    fn build(setup: &Setup) -> Result<Self, RuntimeError> {
        let clock = Clock::simulated(setup.start_ms);
        let shared = shared(setup)?;
        let instances = (setup.operators.iter().enumerate())
            .map(|(index, operator)| setup.instance(index, operator))
            .collect::<Vec<_>>();
        if let Some(restored) = &setup.restored {
            restored.check(&instances)?;
        }
        let (mut head, mut chain) = (None, Chain::default());
        let (mut metrics, produced) = (Vec::new(), Arc::default());
        for (index, (operator, instance)) in setup.operators.iter().zip(&instances).enumerate() {
            let member = member(setup, (index, operator), instance, &clock, &shared);
            metrics.push(Arc::clone(&member.metrics));
            match &operator.make {
                Make::Source(make) => {
                    let source = make().map_err(|error| unbuilt(&member, &error))?;
                    if setup.restored.is_none() {
                        check(source.as_ref())?;
                    }
                    let asked = Asked { head: source, produced: Arc::clone(&produced) };
                    let link = SourceLink::new(member, Box::new(asked), Arc::default());
                    head = Some(Head::Source(Box::new(link)));
                }
                Make::Stage(make) => {
                    let stage = make(instance).map_err(|error| unbuilt(&member, &error))?;
                    chain.push(member, stage);
                }
            }
        }
        let (gate, inputs) = inputs(setup.inputs);
        let (output, outputs) = outputs(&setup.operators);
        let control = Arc::new(JobControl::default());
        // A subtask reports once a barrier and once at its end, and is heard after each step.
        let (report, events) = crossbeam_channel::bounded(16);
        let subtask = Subtask::new(Parts {
            id: SubtaskId(0),
            head: head.unwrap_or(Head::Gate(Box::new(gate))),
            chain,
            output,
            control: Arc::clone(&control),
            events: report,
            restored: setup.restored.clone().map(|state| state as Arc<dyn RestoredState>),
            checkpoints: setup.saves,
            clock: clock.clone(),
            metrics: Arc::new(SubtaskMetrics::new(clock.elapsed())),
        });
        Ok(Self {
            subtask,
            step: Step::More,
            over: None,
            clock,
            control,
            events,
            inputs,
            outputs,
            produced,
            checkpoint: CheckpointId(0),
            captured: None,
            stopped: false,
            instances,
            metrics,
            shared,
            saves: setup.saves,
        })
    }

    /// Says what to do instead of what is not possible any more.
    #[track_caller]
    pub(super) fn assert_open(&self) {
        let how = match self.over {
            None => return,
            Some(Over::Ended) => "has come to its end",
            Some(Over::Cancelled) => "was cancelled",
            Some(Over::Failed) => "has failed",
        };
        panic!(
            "the harness {how} and its operators are closed: open another one with \
             `harness.setup().open()`, restored from a snapshot if it is to go on"
        );
    }

    /// True once the operators are closed.
    pub(super) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Puts an element into an input and lets the operators work until they have to wait.
    #[track_caller]
    pub(super) fn send(
        &mut self,
        input: usize,
        element: StreamElement,
    ) -> Result<(), RuntimeError> {
        self.assert_open();
        let Some(Input(Some(edge))) = self.inputs.get(input) else {
            panic!("input {} has ended: nothing can be sent to it any more", input + 1);
        };
        assert!(edge.try_send(element).is_ok(), "an input has room for any test");
        self.settle()
    }

    /// Puts a control element into every input that is open.
    #[track_caller]
    pub(super) fn send_all(&mut self, control: &StreamElement) -> Result<(), RuntimeError> {
        self.assert_open();
        for Input(edge) in &self.inputs {
            let (Some(edge), Some(control)) = (edge, control.copy_control()) else { continue };
            assert!(edge.try_send(control).is_ok(), "an input has room for any test");
        }
        self.settle()
    }

    /// Ends an input.
    #[track_caller]
    pub(super) fn end_input(&mut self, input: usize) -> Result<(), RuntimeError> {
        self.assert_open();
        let edge = self.inputs.get_mut(input).and_then(|Input(edge)| edge.take());
        let Some(edge) = edge else { panic!("input {} has ended already", input + 1) };
        edge.close();
        self.settle()
    }

    /// Ends every input that is open, with the data if they are not `stopped`.
    #[track_caller]
    pub(super) fn end(&mut self, stopped: bool) -> Result<Snapshot, RuntimeError> {
        for Input(edge) in &mut self.inputs {
            let Some(edge) = edge.take() else { continue };
            if stopped {
                let sent = edge.try_send(StreamElement::Drain);
                assert!(sent.is_ok(), "an input has room for any test");
            }
            edge.close();
        }
        self.settle()?;
        Ok(self.last_snapshot())
    }

    /// Lets a source end where it is.
    pub(super) fn stop_source(&mut self) -> Result<Snapshot, RuntimeError> {
        self.control.request_stop();
        while !self.is_over() {
            self.step(1)?;
        }
        Ok(self.last_snapshot())
    }

    /// What the operators held when they ended.
    pub(super) fn last_snapshot(&mut self) -> Snapshot {
        let slots = self.captured.take().unwrap_or_default();
        Snapshot { slots, instances: self.instances.clone(), finished: !self.stopped }
    }

    /// Closes the operators at once.
    pub(super) fn cancel(&mut self) {
        self.control.request_cancel();
        // What closing fails with is told nobody, as in a job.
        let _ = self.step(1);
    }

    /// Has every operator capture its state.
    #[track_caller]
    pub(super) fn barrier(&mut self) -> Result<Snapshot, RuntimeError> {
        self.assert_open();
        assert!(
            self.saves,
            "`saves(false)` was set: nothing is captured, so there are no barriers"
        );
        self.checkpoint = CheckpointId(self.checkpoint.0 + 1);
        if self.inputs.is_empty() {
            self.control.request_barrier(self.checkpoint);
            self.step(1)?;
        } else {
            self.send_all(&StreamElement::Barrier(Barrier::aligned(self.checkpoint)))?;
        }
        let slots = self.captured.take().expect("a barrier passes before the operators wait");
        Ok(Snapshot { slots, instances: self.instances.clone(), finished: false })
    }

    /// Asks the source for records, unless it rests; what it said.
    pub(super) fn produce(&mut self) -> Result<Produced, RuntimeError> {
        *self.said() = None;
        // An instance without splits says so first.
        self.step(1)?;
        if self.said().is_none() && self.step == Step::More {
            self.step(1)?;
        }
        let said = self.said().take();
        Ok(said.unwrap_or_else(|| match self.step {
            Step::WaitingUntil(at_ms) => {
                let left_ms = at_ms.saturating_sub(self.clock.now_ms());
                Produced::Idle(Duration::from_millis(u64::try_from(left_ms).unwrap_or(0)))
            }
            _ => Produced::More,
        }))
    }

    fn said(&self) -> std::sync::MutexGuard<'_, Option<Produced>> {
        self.produced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the clock, and stops on the way at each time that an operator waits for.
    #[track_caller]
    pub(super) fn advance(&mut self, by: Duration) -> Result<(), RuntimeError> {
        let by_ms = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        let target_ms = self.clock.now_ms().saturating_add(by_ms);
        while let Step::WaitingUntil(at_ms) = self.step
            && at_ms <= target_ms
            && !self.inputs.is_empty()
            && !self.is_over()
        {
            self.move_clock(at_ms);
            self.settle()?;
        }
        self.move_clock(target_ms);
        Ok(())
    }

    fn move_clock(&self, to_ms: i64) {
        let by_ms = to_ms.saturating_sub(self.clock.now_ms());
        self.clock.advance(Duration::from_millis(u64::try_from(by_ms).unwrap_or(0)));
    }

    /// Steps until the operators have to wait.
    #[track_caller]
    fn settle(&mut self) -> Result<(), RuntimeError> {
        for _ in 0..STEPS_MAX {
            self.step(STEP_ELEMENTS)?;
            match self.step {
                Step::More | Step::Later => {}
                Step::WaitingUntil(at_ms) if at_ms <= self.clock.now_ms() => {}
                _ => return Ok(()),
            }
        }
        panic!(
            "the operators go on and on without a record: is there a timer that registers itself \
             anew for a time that has come?"
        );
    }

    fn step(&mut self, elements: usize) -> Result<(), RuntimeError> {
        self.step = self.subtask.step_within(elements);
        let mut failure = None;
        while let Ok(event) = self.events.try_recv() {
            match event {
                SubtaskEvent::Captured { slots, .. } => self.captured = Some(slots),
                SubtaskEvent::Finished { stopped, slots, .. } => {
                    self.captured = Some(slots);
                    self.stopped = stopped;
                    self.over = Some(Over::Ended);
                }
                SubtaskEvent::Cancelled { .. } => self.over = Some(Over::Cancelled),
                SubtaskEvent::Failed { error, .. } => {
                    self.over = Some(Over::Failed);
                    failure = Some(error);
                }
            }
        }
        self.outputs.iter_mut().for_each(Output::collect);
        failure.map_or(Ok(()), Err)
    }

    /// What left by the main output.
    pub(super) fn main(&mut self) -> &mut Vec<Emitted> {
        let main = self.outputs.first_mut().expect("the main output is there always");
        &mut main.emitted
    }

    /// What left by a side output.
    pub(super) fn side(&mut self, tag: &str) -> Option<&mut Vec<Emitted>> {
        let output = self.outputs.iter_mut().find(|output| output.tag.as_deref() == Some(tag))?;
        Some(&mut output.emitted)
    }

    /// The operator instances, the first first.
    pub(super) fn instances(&self) -> &[Instance] {
        &self.instances
    }
}

impl Output {
    pub(super) fn new(tag: Option<String>, gate: InputGate) -> Self {
        Self { tag, gate, emitted: Vec::new() }
    }

    fn collect(&mut self) {
        while let Some((_, arrival)) = self.gate.take() {
            match arrival {
                Arrival::Element(StreamElement::Data(batch)) => {
                    self.emitted.push(Emitted::Batch(batch));
                }
                Arrival::Element(control) => self.emitted.push(Emitted::Control(control)),
                Arrival::Close => {}
            }
        }
    }
}
