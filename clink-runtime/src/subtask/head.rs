//! Is where a subtask's records come from: a source, or its input gate.

use std::collections::VecDeque;
use std::sync::Arc;

use clink_plan::id::CheckpointId;

use super::failure::Origin;
use crate::channel::bounded::Arrival;
use crate::channel::gate::InputGate;
use crate::channel::{Barrier, BarrierMode, ErasedBatch, StreamElement};
use crate::error::Error;
use crate::metrics::{ChannelMetrics, SourceMetrics};
use crate::operator::Produced;
use crate::operator::stage::{Outbox, SourceHead};
use crate::state::snapshot::{RestoredSlots, RestoredState, SnapshotWriter};
use crate::sys::clock::Clock;
use crate::time::{EventTime, Watermark};

use super::JobControl;
use super::align::{Action, Effect, MultiInputAlignment};
use super::chain::{Chain, Left, Member, Passing};

/// What a look for input came to.
pub(super) enum Pulled {
    /// Records went into the chain.
    Records(usize),
    /// A control element did, or a message that needs no work.
    Control,
    /// There is nothing for now.
    Nothing,
    /// There is nothing until this processing time in milliseconds.
    Until(i64),
}

/// What a head needs of its subtask to look for input.
pub(super) struct Pull<'a> {
    pub(super) control: &'a JobControl,
    pub(super) checkpoints: bool,
    pub(super) clock: &'a Clock,
    pub(super) chain: &'a mut Chain,
    pub(super) left: &'a mut VecDeque<Left>,
}

impl Pull<'_> {
    /// Puts something in at the head of the chain.
    fn enter(&mut self, passing: Passing) {
        self.chain.enter(passing, self.left);
    }

    fn enter_element(&mut self, element: StreamElement) {
        self.enter(Passing::Element(0, element));
    }
}

/// Where a subtask's records come from.
pub enum Head {
    /// It makes them.
    Source(Box<SourceLink>),
    /// They arrive.
    Gate(Box<GateHead>),
}

impl Head {
    pub(super) fn open(&mut self, restored: Option<&dyn RestoredState>) -> Result<(), Error> {
        match self {
            Self::Source(source) => source.open(restored),
            Self::Gate(_) => Ok(()),
        }
    }

    pub(super) fn pull(&mut self, pull: &mut Pull<'_>) -> Result<Pulled, Error> {
        match self {
            Self::Source(source) => source.pull(pull),
            Self::Gate(gate) => gate.pull(pull),
        }
    }

    /// True if nothing comes any more.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Source(source) => source.ended,
            Self::Gate(gate) => gate.align.all_closed(),
        }
    }

    pub(super) fn recycle(&mut self, batch: ErasedBatch) {
        if let Self::Source(source) = self {
            source.head.recycle(batch);
        }
    }

    /// An emptied batch of the first operator goes back to where it came from.
    pub(super) fn take_back(&mut self, batch: ErasedBatch) {
        match self {
            Self::Source(source) => source.head.recycle(batch),
            Self::Gate(gate) => gate.gate.give_back(gate.edge, batch),
        }
    }

    pub(super) fn close(&mut self) -> Result<(), Error> {
        match self {
            Self::Source(source) if source.opened => {
                source.opened = false;
                source.at = true;
                let _at_work = source.member.place.enter();
                let closed = source.head.close();
                // An error leaves the source at hand, to be blamed.
                source.at = closed.is_err();
                closed
            }
            Self::Source(_) | Self::Gate(_) => Ok(()),
        }
    }

    /// The source, if it was at hand last.
    pub(super) fn blame(&self) -> Option<Origin> {
        match self {
            Self::Source(source) if source.at => Some(source.member.origin()),
            _ => None,
        }
    }
}

/// A source at the head of a subtask.
pub struct SourceLink {
    member: Member,
    head: Box<dyn SourceHead>,
    progress: Arc<SourceMetrics>,
    outbox: Outbox,
    /// The side outputs of the source that are read, by port.
    ports: Vec<u32>,
    barrier: CheckpointId,
    opened: bool,
    ended: bool,
    /// It has nothing to read: to be told once, so that nobody's event time waits for it.
    idle: bool,
    /// Not to be asked again before this time, in milliseconds.
    resume_at_ms: Option<i64>,
    /// The source is at hand, for blame.
    at: bool,
}

impl SourceLink {
    /// Not opened yet. `barrier` is the last one that was requested before the run.
    pub fn new(member: Member, head: Box<dyn SourceHead>, progress: Arc<SourceMetrics>) -> Self {
        let ports = member.ctx.side_outputs.iter().filter_map(|output| output.port).collect();
        Self {
            member,
            head,
            progress,
            outbox: Outbox::default(),
            ports,
            barrier: CheckpointId(0),
            opened: false,
            ended: false,
            idle: false,
            resume_at_ms: None,
            at: false,
        }
    }

    /// True if it needs a thread of its own.
    pub(super) fn is_blocking(&self) -> bool {
        self.head.is_blocking()
    }

    fn open(&mut self, restored: Option<&dyn RestoredState>) -> Result<(), Error> {
        self.at = true;
        self.opened = true;
        let Member { ctx, instance, place, .. } = &self.member;
        let slots = restored.map(|state| RestoredSlots::new(instance, state));
        let _at_work = place.enter();
        self.head.open(ctx, slots.as_ref())?;
        self.idle = !self.head.has_splits();
        self.at = false;
        Ok(())
    }

    fn pull(&mut self, pull: &mut Pull<'_>) -> Result<Pulled, Error> {
        if self.ended {
            return Ok(Pulled::Nothing);
        }
        self.at = true;
        let pulled = self.pull_source(pull)?;
        self.at = false;
        Ok(pulled)
    }

    fn pull_source(&mut self, pull: &mut Pull<'_>) -> Result<Pulled, Error> {
        let requested = pull.control.barrier();
        if requested > self.barrier {
            self.barrier = requested;
            self.head.settle(&mut self.outbox);
            self.emit(pull);
            self.capture(pull)?;
            self.pass(StreamElement::Barrier(Barrier::aligned(requested)), pull);
            return Ok(Pulled::Control);
        }
        if pull.control.is_stopped() {
            self.end(StreamElement::Drain, pull)?;
            return Ok(Pulled::Control);
        }
        if std::mem::take(&mut self.idle) {
            self.pass(StreamElement::Watermark(Watermark::Idle), pull);
            return Ok(Pulled::Control);
        }
        if let Some(at_ms) = self.resume_at_ms.filter(|at_ms| pull.clock.now_ms() < *at_ms) {
            return Ok(Pulled::Until(at_ms));
        }
        self.resume_at_ms = None;
        self.produce(pull)
    }

    fn produce(&mut self, pull: &mut Pull<'_>) -> Result<Pulled, Error> {
        let at_work = self.member.place.enter();
        let produced = self.head.produce(&mut self.outbox)?;
        drop(at_work);
        if let Produced::Idle(span) = produced {
            let span_ms = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
            self.resume_at_ms = Some(pull.clock.now_ms().saturating_add(span_ms));
        }
        if self.resume_at_ms.is_some() || self.head.is_blocking() {
            // What it has emitted does not wait for company that may not come.
            self.head.settle(&mut self.outbox);
        }
        let records = self.emit(pull);
        if let Some(progress) = self.head.progress() {
            self.progress.set(progress.done, progress.total, progress.bytes);
        }
        match (produced, self.resume_at_ms) {
            (Produced::End, _) => {
                let end = StreamElement::Watermark(Watermark::At(EventTime::MAX));
                self.end(end, pull)?;
                Ok(Pulled::Control)
            }
            (_, Some(at_ms)) if records == 0 => Ok(Pulled::Until(at_ms)),
            _ => Ok(Pulled::Records(records.max(1))),
        }
    }

    /// The last words of the source: what waits, `last`, the end.
    fn end(&mut self, last: StreamElement, pull: &mut Pull<'_>) -> Result<(), Error> {
        self.ended = true;
        self.head.settle(&mut self.outbox);
        self.emit(pull);
        if pull.checkpoints {
            self.capture(pull)?;
        }
        self.member.note_watermarks(std::slice::from_ref(&last));
        self.pass(last, pull);
        pull.enter(Passing::End);
        Ok(())
    }

    fn capture(&mut self, pull: &mut Pull<'_>) -> Result<(), Error> {
        let mut writer = SnapshotWriter::new(&self.member.instance, pull.chain.captured());
        let _at_work = self.member.place.enter();
        self.head.snapshot(&mut writer)
    }

    /// Moves what was emitted into the chain; how many records that was.
    fn emit(&mut self, pull: &mut Pull<'_>) -> usize {
        let mut records = 0;
        self.member.note_watermarks(&self.outbox.main);
        for (port, batch) in self.outbox.side.drain(..) {
            records += batch.len();
            pull.left.push_back(Left::Side(port, StreamElement::Data(batch)));
        }
        for element in self.outbox.main.drain(..) {
            if let StreamElement::Data(batch) = &element {
                records += batch.len();
            }
            pull.enter_element(element);
        }
        let (main, side) = self.head.take_emitted();
        self.member.metrics.add_out(main);
        self.member.metrics.add_side(side);
        records
    }

    /// A control element of the source's own, for its side outputs as well.
    fn pass(&mut self, element: StreamElement, pull: &mut Pull<'_>) {
        for port in &self.ports {
            let copies = element.copy_control().into_iter();
            pull.left.extend(copies.map(|control| Left::Side(*port, control)));
        }
        pull.enter_element(element);
    }
}

/// The input gate at the head of a subtask, with what it takes to see many inputs as one.
pub struct GateHead {
    gate: InputGate,
    align: MultiInputAlignment,
    drained: Vec<bool>,
    /// The edge of the last batch.
    edge: usize,
    /// Which input of the first operator each edge feeds.
    inputs: Vec<usize>,
}

impl GateHead {
    /// Over a gate; `inputs` says which input of the first operator each of its edges feeds.
    pub fn new(gate: InputGate, inputs: Vec<usize>) -> Self {
        let edges = gate.edges();
        // Records that a barrier overtakes are in no snapshot here, so none may overtake any.
        let mode = Some(BarrierMode::Aligned);
        let align = MultiInputAlignment::with_mode(edges, mode);
        Self { gate, align, drained: vec![false; edges], edge: 0, inputs }
    }

    /// What waits in the edges.
    pub fn metrics(&self) -> &Arc<ChannelMetrics> {
        self.gate.metrics()
    }

    fn pull(&mut self, pull: &mut Pull<'_>) -> Result<Pulled, Error> {
        let Some((edge, arrival)) = self.gate.take() else { return Ok(Pulled::Nothing) };
        match arrival {
            Arrival::Element(StreamElement::Data(batch)) => {
                self.edge = edge;
                let records = batch.len();
                let input = self.inputs.get(edge).copied().unwrap_or_default();
                pull.enter(Passing::Element(input, StreamElement::Data(batch)));
                return Ok(Pulled::Records(records));
            }
            Arrival::Element(StreamElement::Watermark(watermark)) => {
                for word in self.align.watermark(edge, watermark) {
                    pull.enter_element(StreamElement::Watermark(word));
                }
            }
            Arrival::Element(StreamElement::Barrier(barrier)) => {
                let effect = self.align.barrier(edge, barrier);
                self.carry_out(effect, pull);
            }
            Arrival::Element(StreamElement::Probe(probe)) => {
                let passed = self.align.probe(edge, probe);
                passed
                    .into_iter()
                    .for_each(|probe| pull.enter_element(StreamElement::Probe(probe)));
            }
            Arrival::Element(StreamElement::Drain) => {
                if let Some(drained) = self.drained.get_mut(edge) {
                    *drained = true;
                }
            }
            Arrival::Close => {
                let stopped = self.drained.get(edge).copied().unwrap_or(false);
                let effect = self.align.close(edge, stopped);
                self.carry_out(effect, pull);
            }
        }
        Ok(Pulled::Control)
    }

    fn carry_out(&mut self, effect: Effect, pull: &mut Pull<'_>) {
        for action in effect {
            match action {
                Action::Complete(barrier) | Action::First(barrier) => {
                    pull.enter_element(StreamElement::Barrier(barrier));
                }
                Action::Watermark(watermark) => {
                    pull.enter_element(StreamElement::Watermark(watermark));
                }
                Action::Probe(probe) => pull.enter_element(StreamElement::Probe(probe)),
                Action::Release => self.gate.release(),
                Action::Hold(edge) => self.gate.hold(edge),
                Action::End { stopped } => {
                    if stopped {
                        pull.enter_element(StreamElement::Drain);
                    }
                    pull.enter(Passing::End);
                }
            }
        }
    }
}
