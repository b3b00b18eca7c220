//! Is where a subtask's records come from: a source, or its input gate.

use std::collections::VecDeque;
use std::sync::Arc;

use clink_plan::id::CheckpointId;

use super::failure::Origin;
use crate::channel::bounded::Arrival;
use crate::channel::gate::InputGate;
use crate::channel::{Barrier, ErasedBatch, StreamElement};
use crate::error::Error;
use crate::metrics::SourceMetrics;
use crate::operator::Produced;
use crate::operator::stage::{Outbox, SourceHead};
use crate::state::snapshot::{RestoredSlots, RestoredState, SnapshotWriter};
use crate::sys::clock::Clock;
use crate::time::merge::WatermarkMerge;
use crate::time::{EventTime, Watermark};

use super::JobControl;
use super::align::{Aligned, Alignment};
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

    pub(super) fn pull(
        &mut self,
        control: &JobControl,
        checkpoints: bool,
        clock: &Clock,
        chain: &mut Chain,
        left: &mut VecDeque<Left>,
    ) -> Result<Pulled, Error> {
        match self {
            Self::Source(source) => source.pull(control, checkpoints, clock, chain, left),
            Self::Gate(gate) => gate.pull(chain, left),
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
                source.head.close()
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
    barrier: CheckpointId,
    opened: bool,
    ended: bool,
    /// The source is at hand, for blame.
    at: bool,
}

impl SourceLink {
    /// Not opened yet. `barrier` is the last one that was requested before the run.
    pub fn new(member: Member, head: Box<dyn SourceHead>, progress: Arc<SourceMetrics>) -> Self {
        Self {
            member,
            head,
            progress,
            outbox: Outbox::new(),
            barrier: CheckpointId(0),
            opened: false,
            ended: false,
            at: false,
        }
    }

    fn open(&mut self, restored: Option<&dyn RestoredState>) -> Result<(), Error> {
        self.at = true;
        self.opened = true;
        let Member { ctx, instance, .. } = &self.member;
        let slots = restored.map(|state| RestoredSlots::new(instance, state));
        self.head.open(ctx, slots.as_ref())?;
        self.at = false;
        Ok(())
    }

    fn pull(
        &mut self,
        control: &JobControl,
        checkpoints: bool,
        clock: &Clock,
        chain: &mut Chain,
        left: &mut VecDeque<Left>,
    ) -> Result<Pulled, Error> {
        if self.ended {
            return Ok(Pulled::Nothing);
        }
        self.at = true;
        let pulled = self.pull_source(control, checkpoints, clock, chain, left)?;
        self.at = false;
        Ok(pulled)
    }

    fn pull_source(
        &mut self,
        control: &JobControl,
        checkpoints: bool,
        clock: &Clock,
        chain: &mut Chain,
        left: &mut VecDeque<Left>,
    ) -> Result<Pulled, Error> {
        let requested = control.barrier();
        if requested > self.barrier {
            self.barrier = requested;
            self.head.settle(&mut self.outbox);
            self.emit(chain, left);
            self.capture(chain)?;
            let barrier = StreamElement::Barrier(Barrier { id: requested });
            chain.enter(Passing::Element(barrier), left);
            return Ok(Pulled::Control);
        }
        if control.is_stopped() {
            self.end(checkpoints, StreamElement::Drain, chain, left)?;
            return Ok(Pulled::Control);
        }
        let produced = self.head.produce(&mut self.outbox)?;
        let records = self.emit(chain, left);
        if let Some(progress) = self.head.progress() {
            self.progress.set(progress.done, progress.total);
        }
        Ok(match produced {
            Produced::End => {
                let end = StreamElement::Watermark(Watermark::At(EventTime::MAX));
                self.end(checkpoints, end, chain, left)?;
                Pulled::Control
            }
            Produced::More => Pulled::Records(records.max(1)),
            Produced::Idle(span) if records == 0 => {
                self.head.settle(&mut self.outbox);
                if self.emit(chain, left) > 0 {
                    return Ok(Pulled::Control);
                }
                let span_ms = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
                Pulled::Until(clock.now_ms().saturating_add(span_ms))
            }
            Produced::Idle(_) => Pulled::Records(records),
        })
    }

    /// The last words of the source: what waits, `last`, the end.
    fn end(
        &mut self,
        checkpoints: bool,
        last: StreamElement,
        chain: &mut Chain,
        left: &mut VecDeque<Left>,
    ) -> Result<(), Error> {
        self.ended = true;
        self.head.settle(&mut self.outbox);
        self.emit(chain, left);
        if checkpoints {
            self.capture(chain)?;
        }
        chain.enter(Passing::Element(last), left);
        chain.enter(Passing::End, left);
        Ok(())
    }

    fn capture(&mut self, chain: &mut Chain) -> Result<(), Error> {
        let mut writer = SnapshotWriter::new(&self.member.instance, chain.captured());
        self.head.snapshot(&mut writer)
    }

    /// Moves what was emitted into the chain; how many records that was.
    fn emit(&mut self, chain: &mut Chain, left: &mut VecDeque<Left>) -> usize {
        let mut records = 0;
        for element in self.outbox.drain(..) {
            if let StreamElement::Data(batch) = &element {
                records += batch.len();
            }
            chain.enter(Passing::Element(element), left);
        }
        self.member.metrics.add_out(self.head.take_emitted());
        records
    }
}

/// The input gate at the head of a subtask, with what it takes to see many inputs as one.
pub struct GateHead {
    gate: InputGate,
    align: Alignment,
    merge: WatermarkMerge,
    drained: Vec<bool>,
    /// The edge of the last batch.
    edge: usize,
}

impl GateHead {
    /// Over a gate.
    pub fn new(gate: InputGate) -> Self {
        let edges = gate.edges();
        Self {
            gate,
            align: Alignment::new(edges),
            merge: WatermarkMerge::new(edges),
            drained: vec![false; edges],
            edge: 0,
        }
    }

    fn pull(&mut self, chain: &mut Chain, left: &mut VecDeque<Left>) -> Result<Pulled, Error> {
        let Some((edge, arrival)) = self.gate.take() else { return Ok(Pulled::Nothing) };
        match arrival {
            Arrival::Element(StreamElement::Data(batch)) => {
                self.edge = edge;
                let records = batch.len();
                chain.enter(Passing::Element(StreamElement::Data(batch)), left);
                return Ok(Pulled::Records(records));
            }
            Arrival::Element(StreamElement::Watermark(watermark)) => {
                let merged = self.merge.update(edge, watermark);
                enter_watermark(merged, chain, left);
            }
            Arrival::Element(StreamElement::Barrier(barrier)) => {
                self.gate.hold(edge);
                let aligned =
                    self.align.barrier(edge, barrier.id).map_err(|e| Error::from(e).terminal())?;
                self.aligned(aligned, chain, left);
            }
            Arrival::Element(StreamElement::Drain) => {
                if let Some(drained) = self.drained.get_mut(edge) {
                    *drained = true;
                }
            }
            Arrival::Close => self.close(edge, chain, left),
        }
        Ok(Pulled::Control)
    }

    fn aligned(&mut self, aligned: Aligned, chain: &mut Chain, left: &mut VecDeque<Left>) {
        if let Aligned::Complete(id) = aligned {
            self.gate.release();
            let barrier = StreamElement::Barrier(Barrier { id });
            chain.enter(Passing::Element(barrier), left);
        }
    }

    fn close(&mut self, edge: usize, chain: &mut Chain, left: &mut VecDeque<Left>) {
        let aligned = self.align.close(edge);
        self.aligned(aligned, chain, left);
        let stopped = self.drained.get(edge).copied().unwrap_or(false);
        let merged = self.merge.close(edge, stopped);
        enter_watermark(merged, chain, left);
        if self.align.all_closed() {
            if self.merge.any_stopped() {
                chain.enter(Passing::Element(StreamElement::Drain), left);
            }
            chain.enter(Passing::End, left);
        }
    }
}

fn enter_watermark(merged: Option<Watermark>, chain: &mut Chain, left: &mut VecDeque<Left>) {
    if let Some(watermark) = merged {
        chain.enter(Passing::Element(StreamElement::Watermark(watermark)), left);
    }
}
