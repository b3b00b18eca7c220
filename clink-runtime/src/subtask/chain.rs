//! Moves elements through the operators of one chain, deepest first, without recursion.

use std::collections::VecDeque;
use std::sync::Arc;

use super::failure::Origin;
use crate::channel::{Barrier, ErasedBatch, StreamElement};
use crate::error::Error;
use crate::metrics::OperatorMetrics;
use crate::operator::RuntimeContext;
use crate::operator::place::WorkPlace;
use crate::operator::stage::{Outbox, Stage, Turn};
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
    /// What its log lines are from.
    pub place: WorkPlace,
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
    /// An element of the stream, at that input of the operator it comes to.
    Element(usize, StreamElement),
    /// Nothing more comes for now: send on what waits.
    Settle,
    /// Nothing more comes at all.
    End,
}

struct Link {
    member: Member,
    post: Post,
    /// The side outputs of the operator that are read, by port.
    ports: Vec<u32>,
    queue: VecDeque<Passing>,
    opened: bool,
}

/// The operator itself, and how far it has come.
struct Post {
    stage: Box<dyn Stage>,
    /// A batch has been accepted and not been used up.
    busy: bool,
    /// The stream was stopped before its end: what the operator emits at the end is not due.
    stopped: bool,
    /// The operator had come to its end when the checkpoint was taken it was restored from, and
    /// nothing has come since: what it emits at the end has been emitted.
    flushed: bool,
}

/// What left the chain after a turn.
pub enum Left {
    /// For the main outputs.
    Element(StreamElement),
    /// For the side outputs with that port.
    Side(u32, StreamElement),
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
    /// What operators held at last that the end has passed, while it has not passed all.
    finals: Option<Vec<SlotSnapshot>>,
    outbox: Outbox,
    /// The operator at hand, for blame.
    at: usize,
}

/// What follows what an operator emitted in its turn.
enum After {
    /// The element of the stream that the operator was given, or the end.
    Pass(Passing),
    /// It has not finished with it: the same again, next turn.
    Again(Passing),
    Nothing,
}

impl Chain {
    /// Adds an operator at the end.
    pub fn push(&mut self, member: Member, stage: Box<dyn Stage>) {
        let ports = member.ctx.side_outputs.iter().filter_map(|output| output.port).collect();
        let post = Post { stage, busy: false, stopped: false, flushed: false };
        self.links.push(Link { member, post, ports, queue: VecDeque::new(), opened: false });
    }

    /// Restores and opens every operator, first to last.
    pub fn open(&mut self, restored: Option<&dyn RestoredState>) -> Result<(), Error> {
        for (index, link) in self.links.iter_mut().enumerate() {
            self.at = index;
            let Member { ctx, instance, place, .. } = &link.member;
            let slots = restored.map(|state| RestoredSlots::new(instance, state));
            link.post.flushed = restored.is_some_and(|state| state.has_finished(instance));
            // Noted first: an operator whose `open` fails half-way is closed as well.
            link.opened = true;
            let _at_work = place.enter();
            link.post.stage.open(ctx, slots.as_ref())?;
        }
        Ok(())
    }

    /// Puts something in at the head; it leaves at once if the chain is empty.
    pub fn enter(&mut self, passing: Passing, left: &mut VecDeque<Left>) {
        let Self { links, captured, finals, .. } = self;
        Self::pass_on(links, 0, passing, (captured, finals), left);
    }

    /// Where a source captures its rows ahead of its barrier or end.
    pub fn captured(&mut self) -> &mut Vec<SlotSnapshot> {
        &mut self.captured
    }

    /// True if the stream was stopped before its end.
    pub fn is_stopped(&self) -> bool {
        self.links.iter().any(|link| link.post.stopped)
    }

    /// True if an operator has something to do.
    pub fn is_pending(&self) -> bool {
        self.deepest().is_some()
    }

    fn deepest(&self) -> Option<usize> {
        self.links.iter().rposition(|link| link.post.busy || !link.queue.is_empty())
    }

    /// True if an operator waits for a time or for something outside the job.
    pub fn wants_ticks(&self) -> bool {
        let wants =
            |link: &Link| link.post.stage.is_awaiting() || link.post.stage.deadline_ms().is_some();
        self.links.iter().any(wants)
    }

    /// When an operator that may emit next wants to do something without a record, in milliseconds.
    pub fn deadline_ms(&self) -> Option<i64> {
        let links = self.links.iter().skip(self.held());
        links.filter_map(|link| link.post.stage.deadline_ms()).min()
    }

    /// True if an operator that may emit has been woken.
    pub fn is_awaiting(&self) -> bool {
        self.links.iter().skip(self.held()).any(|link| link.post.stage.is_awaiting())
    }

    /// How many operators, from the first, may not emit: one behind them has enough to do.
    fn held(&self) -> usize {
        self.deepest().unwrap_or_default()
    }

    /// True while something outside the job may still wake an operator.
    pub fn awaits_outside(&self) -> bool {
        self.links.iter().any(|link| link.post.stage.awaits_outside())
    }

    /// Lets each operator that may emit do what is due without a record, the deepest first; false
    /// if nothing is due for any. The others go on with what they have begun.
    pub fn tick(&mut self, now_ms: i64, left: &mut VecDeque<Left>) -> Result<bool, Error> {
        let (held, mut ticked) = (self.held(), false);
        self.attend(held, now_ms)?;
        for index in (held..self.links.len()).rev() {
            let Some(link) = self.links.get_mut(index).filter(|link| link.post.is_due(now_ms))
            else {
                continue;
            };
            self.at = index;
            let entered = link.member.place.enter();
            link.post.stage.tick(now_ms, &mut self.outbox)?;
            drop(entered);
            self.move_on(index, After::Nothing, left);
            ticked = true;
        }
        Ok(ticked)
    }

    /// Lets each operator go on with what it has begun while nothing can be sent on.
    pub fn attend_all(&mut self, now_ms: i64) -> Result<(), Error> {
        self.attend(self.links.len(), now_ms)
    }

    fn attend(&mut self, count: usize, now_ms: i64) -> Result<(), Error> {
        for (index, link) in self.links.iter_mut().enumerate().take(count) {
            if link.post.is_due(now_ms) {
                self.at = index;
                let _at_work = link.member.place.enter();
                link.post.stage.attend(now_ms)?;
            }
        }
        Ok(())
    }

    /// Sends on what waits behind the operator that has something to do and has to wait.
    pub fn settle_behind(&mut self, left: &mut VecDeque<Left>) {
        let behind = self.deepest().map_or(0, |index| index + 1);
        let Self { links, captured, finals, .. } = self;
        Self::pass_on(links, behind, Passing::Settle, (captured, finals), left);
    }

    /// Puts a barrier in where the end waits for an operator: nothing comes any more by which it
    /// could arrive, and others wait for it. False if the end does not wait.
    pub fn inject(&mut self, barrier: Barrier, left: &mut VecDeque<Left>) -> Result<bool, Error> {
        let Some(index) = self.deepest() else { return Ok(false) };
        self.at = index;
        let Self { links, captured, finals, outbox, .. } = self;
        let Some(link) = links.get_mut(index).filter(|link| link.awaits_end()) else {
            return Ok(false);
        };
        let span = link.member.place.enter();
        if link.post.stage.quiesce(outbox)? != Turn::Done {
            drop(span);
            self.move_on(index, After::Nothing, left);
            return Ok(false);
        }
        // Those that the end has passed hold what they held at last.
        *finals = Some(captured.clone());
        link.post.stage.settle(outbox)?;
        link.post.stage.on_barrier(barrier, outbox)?;
        link.post.capture(&link.member, captured)?;
        drop(span);
        let passing = Passing::Element(0, StreamElement::Barrier(barrier));
        self.move_on(index, After::Pass(passing), left);
        Ok(true)
    }

    /// Gives the deepest operator that has something to do one turn; false if it has to wait for
    /// something outside the chain.
    pub fn turn(
        &mut self,
        checkpoints: bool,
        left: &mut VecDeque<Left>,
        spare: &mut dyn FnMut(ErasedBatch),
    ) -> Result<bool, Error> {
        let Some(index) = self.deepest() else { return Ok(true) };
        self.at = index;
        let Self { links, captured, outbox, .. } = self;
        let Some(link) = links.get_mut(index) else { return Ok(true) };
        let entered = link.member.place.enter();
        let passing = if link.post.busy { None } else { link.queue.pop_front() };
        let (turn, passing) = match passing {
            None => (link.post.run(outbox)?, None),
            Some(Passing::Element(input, StreamElement::Data(batch))) => {
                link.member.metrics.add_in(batch.len() as u64);
                link.post.stage.accept(input, batch);
                link.post.busy = true;
                link.post.flushed = false;
                (link.post.run(outbox)?, None)
            }
            Some(passing) => (
                link.post.control(&link.member, &passing, checkpoints, captured, outbox)?,
                Some(passing),
            ),
        };
        drop(entered);
        let is_waiting = turn == Turn::Waiting;
        let after = match passing {
            None => After::Nothing,
            // The stage has put what is to be forwarded among what it emitted.
            Some(Passing::Element(_, StreamElement::Watermark(_) | StreamElement::Probe(_)))
                if turn == Turn::Done =>
            {
                After::Nothing
            }
            Some(passing) if turn == Turn::Done => After::Pass(passing),
            Some(passing) => After::Again(passing),
        };
        let emptied = if link.post.busy { None } else { link.post.stage.take_spare() };
        self.move_on(index, after, left);
        if let Some(batch) = emptied {
            match index.checked_sub(1).and_then(|before| self.links.get_mut(before)) {
                Some(before) => before.post.stage.recycle(batch),
                None => spare(batch),
            }
        }
        Ok(!is_waiting)
    }

    /// Moves on what the operator at `index` emitted, and then what follows it.
    fn move_on(&mut self, index: usize, after: After, left: &mut VecDeque<Left>) {
        let Self { links, captured, finals, outbox, .. } = self;
        let Some(link) = links.get_mut(index) else { return };
        let (main, side) = link.post.stage.take_emitted();
        link.member.metrics.add_out(main);
        link.member.metrics.add_side(side);
        link.member.note_watermarks(&outbox.main);
        let batches = outbox.side.drain(..);
        left.extend(batches.map(|(port, batch)| Left::Side(port, StreamElement::Data(batch))));
        for element in outbox.main.drain(..) {
            Self::pass_aside(links, index, &element, left);
            let passing = Passing::Element(0, element);
            Self::pass_on(links, index + 1, passing, (captured, finals), left);
        }
        match after {
            After::Nothing => {}
            After::Again(passing) => {
                if let Some(link) = links.get_mut(index) {
                    link.queue.push_front(passing);
                }
            }
            After::Pass(passing) => {
                let passing = match passing {
                    Passing::Element(_, element) => {
                        Self::pass_aside(links, index, &element, left);
                        Passing::Element(0, element)
                    }
                    other => other,
                };
                Self::pass_on(links, index + 1, passing, (captured, finals), left);
            }
        }
    }

    /// A control element that leaves an operator goes to its side outputs as well, after all that
    /// it emitted there before.
    fn pass_aside(
        links: &[Link],
        index: usize,
        element: &StreamElement,
        left: &mut VecDeque<Left>,
    ) {
        let Some(link) = links.get(index).filter(|link| !link.ports.is_empty()) else { return };
        for port in &link.ports {
            left.extend(element.copy_control().map(|control| Left::Side(*port, control)));
        }
    }

    fn pass_on(
        links: &mut [Link],
        to: usize,
        passing: Passing,
        (captured, finals): (&mut Vec<SlotSnapshot>, &mut Option<Vec<SlotSnapshot>>),
        left: &mut VecDeque<Left>,
    ) {
        if let Some(link) = links.get_mut(to) {
            link.queue.push_back(passing);
            return;
        }
        left.push_back(match passing {
            Passing::Element(_, StreamElement::Barrier(barrier)) => {
                let kept = finals.take().unwrap_or_default();
                Left::Barrier(barrier, std::mem::replace(captured, kept))
            }
            Passing::Element(_, element) => Left::Element(element),
            Passing::Settle => Left::Settle,
            Passing::End => Left::End(std::mem::take(captured)),
        });
    }

    /// Gives an emptied output batch to the last operator, for its memory; back if there is none.
    pub fn recycle(&mut self, batch: ErasedBatch) -> Option<ErasedBatch> {
        match self.links.last_mut() {
            Some(last) => {
                last.post.stage.recycle(batch);
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
        let _at_work = link.member.place.enter();
        Some(link.post.stage.close())
    }

    /// The operator at hand.
    pub fn blame(&self) -> Option<Origin> {
        self.links.get(self.at).map(|link| link.member.origin())
    }
}

impl Link {
    /// True if the end of the input, or a stop, has come to the operator and waits for it.
    fn awaits_end(&self) -> bool {
        let end = |passing: &Passing| {
            matches!(passing, Passing::End | Passing::Element(_, StreamElement::Drain))
        };
        !self.post.busy && self.queue.front().is_some_and(end)
    }
}

impl Post {
    fn is_due(&self, now_ms: i64) -> bool {
        self.stage.is_awaiting() || self.stage.deadline_ms().is_some_and(|at| at <= now_ms)
    }

    fn capture(&mut self, member: &Member, captured: &mut Vec<SlotSnapshot>) -> Result<(), Error> {
        self.stage.snapshot(&mut SnapshotWriter::new(&member.instance, captured))?;
        // The checkpoint is past the records that the operator has reported, in its last hook too:
        // they are on the disk before anybody hears of what was captured.
        Ok(member.ctx.shared.bad_records.sync()?)
    }

    fn run(&mut self, outbox: &mut Outbox) -> Result<Turn, Error> {
        let turn = self.stage.run(outbox)?;
        self.busy = turn != Turn::Done;
        Ok(turn)
    }

    /// Shows the operator what is no record.
    fn control(
        &mut self,
        member: &Member,
        passing: &Passing,
        checkpoints: bool,
        captured: &mut Vec<SlotSnapshot>,
        outbox: &mut Outbox,
    ) -> Result<Turn, Error> {
        match passing {
            Passing::Settle => {
                self.stage.settle(outbox)?;
                return Ok(Turn::Done);
            }
            Passing::Element(_, StreamElement::Watermark(watermark)) => {
                return self.stage.on_watermark(*watermark, outbox);
            }
            Passing::Element(..) | Passing::End => {}
        }
        // All else waits until the operator has finished what it has begun.
        let turn = self.stage.quiesce(outbox)?;
        if turn != Turn::Done {
            return Ok(turn);
        }
        self.stage.settle(outbox)?;
        match passing {
            Passing::Element(_, StreamElement::Barrier(barrier)) => {
                self.stage.on_barrier(*barrier, outbox)?;
                self.capture(member, captured)?;
            }
            Passing::Element(_, StreamElement::Drain) => {
                self.stopped = true;
                return self.stage.on_drain(outbox);
            }
            Passing::Element(_, StreamElement::Probe(probe)) => {
                return self.stage.on_probe(*probe, outbox);
            }
            Passing::End => return self.end(member, checkpoints, captured, outbox),
            Passing::Element(..) | Passing::Settle => {}
        }
        Ok(Turn::Done)
    }

    fn end(
        &mut self,
        member: &Member,
        checkpoints: bool,
        captured: &mut Vec<SlotSnapshot>,
        outbox: &mut Outbox,
    ) -> Result<Turn, Error> {
        if !self.stopped && !self.flushed {
            let turn = self.stage.flush(outbox)?;
            if turn != Turn::Done {
                return Ok(turn);
            }
        }
        self.stage.settle(outbox)?;
        self.stage.finish()?;
        if checkpoints {
            // Announced like any other: an operator may write its buffers to its state there.
            self.stage.on_barrier(Barrier::last(!self.stopped), outbox)?;
            self.capture(member, captured)?;
        }
        Ok(Turn::Done)
    }
}
