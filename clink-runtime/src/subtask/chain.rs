//! Moves elements through the operators of one chain, deepest first, without recursion.

use std::collections::VecDeque;
use std::sync::Arc;

use super::failure::Origin;
use crate::channel::{Barrier, ErasedBatch, StreamElement};
use crate::error::Error;
use crate::metrics::OperatorMetrics;
use crate::operator::RuntimeContext;
use crate::operator::stage::{Outbox, Stage};
use crate::state::snapshot::{
    Instance, RestoredSlots, RestoredState, SlotSnapshot, SnapshotWriter,
};
use crate::time::Watermark;

/// Who an operator of a chain is, and where it counts.
pub struct Member {
    /// Its surroundings.
    pub ctx: RuntimeContext,
    /// Whose state it keeps.
    pub instance: Instance,
    /// Its counters.
    pub metrics: Arc<OperatorMetrics>,
}

impl Member {
    /// Notes how far event time has come in what it emits.
    pub(super) fn note_watermarks(&self, emitted: &[StreamElement]) {
        let last = emitted.iter().rev().find_map(|element| match element {
            StreamElement::Watermark(Watermark::At(time)) => Some(time.as_millis()),
            _ => None,
        });
        last.into_iter().for_each(|ms| self.metrics.set_watermark(ms));
    }

    /// The operator instance for messages.
    pub fn origin(&self) -> Origin {
        Origin {
            operator: self.ctx.operator().to_owned(),
            name: self.ctx.name().to_owned(),
            uid: self.ctx.uid().to_owned(),
            subtask_index: self.ctx.subtask_index(),
        }
    }
}

/// What moves along a chain.
pub enum Passing {
    /// An element of the stream.
    Element(StreamElement),
    /// Nothing more comes for now: send on what waits.
    Settle,
    /// Nothing more comes at all.
    End,
}

struct Link {
    member: Member,
    stage: Box<dyn Stage>,
    queue: VecDeque<Passing>,
    /// A batch has been accepted and not been used up.
    busy: bool,
    opened: bool,
    /// The stream was stopped before its end: what the operator emits at the end is not due.
    stopped: bool,
    /// The operator had come to its end when the checkpoint was taken it was restored from, and
    /// nothing has come since: what it emits at the end has been emitted.
    flushed: bool,
}

/// What left the chain after a turn.
pub enum Left {
    /// For the outputs.
    Element(StreamElement),
    /// The barrier has passed every operator; these are the rows they captured.
    Barrier(Barrier, Vec<SlotSnapshot>),
    /// Send on what waits in the outputs.
    Settle,
    /// The end has passed every operator; these are the rows they held at last.
    End(Vec<SlotSnapshot>),
}

/// The operators of one chain after its source.
#[derive(Default)]
pub struct Chain {
    links: Vec<Link>,
    captured: Vec<SlotSnapshot>,
    outbox: Outbox,
    /// The operator at hand, for blame.
    at: usize,
}

impl Chain {
    /// Adds an operator at the end.
    pub fn push(&mut self, member: Member, stage: Box<dyn Stage>) {
        let queue = VecDeque::new();
        self.links.push(Link {
            member,
            stage,
            queue,
            busy: false,
            opened: false,
            stopped: false,
            flushed: false,
        });
    }

    /// Restores and opens every operator, first to last.
    pub fn open(&mut self, restored: Option<&dyn RestoredState>) -> Result<(), Error> {
        for (index, link) in self.links.iter_mut().enumerate() {
            self.at = index;
            let Member { ctx, instance, .. } = &link.member;
            let slots = restored.map(|state| RestoredSlots::new(instance, state));
            link.flushed = restored.is_some_and(|state| state.has_finished(instance));
            // Noted first: an operator whose `open` fails half-way is closed as well.
            link.opened = true;
            link.stage.open(ctx, slots.as_ref())?;
        }
        Ok(())
    }

    /// Puts something in at the head; it leaves at once if the chain is empty.
    pub fn enter(&mut self, passing: Passing, left: &mut VecDeque<Left>) {
        Self::pass_on(&mut self.links, 0, passing, &mut self.captured, left);
    }

    /// Where a source captures its rows ahead of its barrier or end.
    pub fn captured(&mut self) -> &mut Vec<SlotSnapshot> {
        &mut self.captured
    }

    /// True if the stream was stopped before its end.
    pub fn is_stopped(&self) -> bool {
        self.links.iter().any(|link| link.stopped)
    }

    /// True if an operator has something to do.
    pub fn is_pending(&self) -> bool {
        self.deepest().is_some()
    }

    fn deepest(&self) -> Option<usize> {
        self.links.iter().rposition(|link| link.busy || !link.queue.is_empty())
    }

    /// Gives the deepest operator that has something to do one turn.
    pub fn turn(
        &mut self,
        checkpoints: bool,
        left: &mut VecDeque<Left>,
        spare: &mut dyn FnMut(ErasedBatch),
    ) -> Result<(), Error> {
        let Some(index) = self.deepest() else { return Ok(()) };
        self.at = index;
        let Self { links, captured, outbox, .. } = self;
        let Some(link) = links.get_mut(index) else { return Ok(()) };
        let passing = if link.busy { None } else { link.queue.pop_front() };
        let after = match passing {
            None => {
                link.run(outbox)?;
                None
            }
            Some(Passing::Element(StreamElement::Data(batch))) => {
                link.member.metrics.add_in(batch.len() as u64);
                link.stage.accept(batch);
                link.busy = true;
                link.flushed = false;
                link.run(outbox)?;
                None
            }
            Some(Passing::Element(StreamElement::Watermark(watermark))) => {
                link.stage.on_watermark(watermark, outbox)?;
                None
            }
            Some(Passing::Element(control)) => {
                link.stage.settle(outbox)?;
                match control {
                    StreamElement::Barrier(_) => link.capture(captured)?,
                    StreamElement::Drain => link.stopped = true,
                    StreamElement::Data(_) | StreamElement::Watermark(_) => {}
                }
                Some(Passing::Element(control))
            }
            Some(Passing::Settle) => {
                link.stage.settle(outbox)?;
                Some(Passing::Settle)
            }
            Some(Passing::End) => {
                if !link.stopped && !link.flushed {
                    link.stage.flush(outbox)?;
                }
                link.stage.settle(outbox)?;
                link.stage.finish()?;
                if checkpoints {
                    link.capture(captured)?;
                }
                Some(Passing::End)
            }
        };
        link.member.metrics.add_out(link.stage.take_emitted());
        link.member.note_watermarks(outbox);
        let emptied = if link.busy { None } else { link.stage.take_spare() };
        for element in outbox.drain(..) {
            Self::pass_on(links, index + 1, Passing::Element(element), captured, left);
        }
        if let Some(passing) = after {
            Self::pass_on(links, index + 1, passing, captured, left);
        }
        if let Some(batch) = emptied {
            match index.checked_sub(1).and_then(|before| links.get_mut(before)) {
                Some(before) => before.stage.recycle(batch),
                None => spare(batch),
            }
        }
        Ok(())
    }

    fn pass_on(
        links: &mut [Link],
        to: usize,
        passing: Passing,
        captured: &mut Vec<SlotSnapshot>,
        left: &mut VecDeque<Left>,
    ) {
        if let Some(link) = links.get_mut(to) {
            link.queue.push_back(passing);
            return;
        }
        left.push_back(match passing {
            Passing::Element(StreamElement::Barrier(barrier)) => {
                Left::Barrier(barrier, std::mem::take(captured))
            }
            Passing::Element(element) => Left::Element(element),
            Passing::Settle => Left::Settle,
            Passing::End => Left::End(std::mem::take(captured)),
        });
    }

    /// Gives an emptied output batch to the last operator, for its memory; back if there is none.
    pub fn recycle(&mut self, batch: ErasedBatch) -> Option<ErasedBatch> {
        match self.links.last_mut() {
            Some(last) => {
                last.stage.recycle(batch);
                None
            }
            None => Some(batch),
        }
    }

    /// Closes the next operator that was opened and is not closed, first to last; `None` once
    /// there is none. One call per operator, so that a close that fails skips no other.
    pub fn close_next(&mut self) -> Option<Result<(), Error>> {
        let next = self.links.iter_mut().enumerate().find(|(_, link)| link.opened);
        let (index, link) = next?;
        link.opened = false;
        self.at = index;
        Some(link.stage.close())
    }

    /// The operator at hand.
    pub fn blame(&self) -> Option<Origin> {
        self.links.get(self.at).map(|link| link.member.origin())
    }
}

impl Link {
    fn capture(&mut self, captured: &mut Vec<SlotSnapshot>) -> Result<(), Error> {
        self.stage.snapshot(&mut SnapshotWriter::new(&self.member.instance, captured))
    }

    fn run(&mut self, outbox: &mut Outbox) -> Result<(), Error> {
        self.busy = !self.stage.run(outbox)?;
        Ok(())
    }
}
