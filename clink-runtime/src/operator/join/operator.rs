//! Matches the records of two inputs: on arrival with those that wait, and lets go of those that
//! have waited long enough.

use std::sync::Arc;

use clink_plan::descriptor::SlotDescriptor;

use crate::data::{AsSerialize, Data};
use crate::error::Result;
use crate::state::{StateError, StateVisitor};
use crate::time::EventTime;

use super::super::context::KeyContext;
use super::Join;
use super::buffer::{JoinBuffer, Waiting};
use super::interval::{Hold, Interval};
use super::joiner::Joiner;
use super::kind::{Alone, LatePolicy};

/// The state slots: the records of each side that wait.
pub const SLOTS: [SlotDescriptor; 2] = [slot("left"), slot("right")];

const fn slot(name: &'static str) -> SlotDescriptor {
    SlotDescriptor { name, kind: "join_buffer", keyed: true, version: 1 }
}

/// The two inputs of a join, what waits of them, and what is made of matches.
pub struct IntervalJoin<L, R, J> {
    interval: Interval,
    late: LatePolicy,
    joiner: Arc<J>,
    left: JoinBuffer<L>,
    right: JoinBuffer<R>,
}

/// A join as one of its inputs sees it.
#[derive(Clone, Copy)]
struct View {
    /// Where a record of the other input may lie in time.
    interval: Interval,
    /// When a record of this input leaves by itself.
    own: Alone,
    /// When one of the other input does.
    other: Alone,
    pairs: bool,
}

/// A record that has come, and those of the other input that wait.
struct Arrival<'a, A, B> {
    view: View,
    value: A,
    time: EventTime,
    own: &'a mut JoinBuffer<A>,
    other: &'a mut JoinBuffer<B>,
}

/// What is made of what an arrival finds.
struct Make<P, A, B> {
    pair: P,
    own: A,
    other: B,
}

impl<L: Data, R: Data, J: Joiner<L, R>> IntervalJoin<L, R, J> {
    /// An instance around a joiner that all instances share.
    pub fn new(join: Join<Arc<J>>) -> Self {
        let Join { interval, joiner, late } = join;
        Self { interval, late, joiner, left: JoinBuffer::default(), right: JoinBuffer::default() }
    }

    /// How far event time stays back behind it.
    pub(in crate::operator) fn hold(&self) -> Hold {
        self.interval.hold(J::KIND, self.late)
    }

    /// Shows the state to the engine.
    ///
    /// # Errors
    /// What the visitor returned.
    pub fn visit_state(&mut self, visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        let [left, right] = SLOTS;
        visitor.slot(left.name, &mut self.left)?;
        visitor.slot(right.name, &mut self.right)
    }

    /// When the records that wait are to be looked at, with the keys they have.
    pub(in crate::operator) fn deadlines(&self) -> impl Iterator<Item = (i64, u32)> {
        let (interval, mirrored) = (self.interval, self.interval.mirrored());
        let left = self.left.times().map(move |(key, time)| (interval.gone_at(time), key));
        let right = self.right.times().map(move |(key, time)| (mirrored.gone_at(time), key));
        left.chain(right)
    }

    /// A left record has come.
    pub(in crate::operator) fn on_left<K>(
        &mut self,
        value: L,
        ctx: &mut KeyContext<'_, K, J::Out>,
    ) -> Result<()> {
        let Some(time) = admit(self.late, "left", &value, ctx)? else { return Ok(()) };
        let Self { interval, joiner, left: own, right: other, .. } = self;
        let (own_alone, other_alone) = (J::KIND.left(), J::KIND.right());
        let pairs = J::KIND.pairs();
        let view = View { interval: *interval, own: own_alone, other: other_alone, pairs };
        let make = Make {
            pair: |left: &L, right: &R| joiner.pair(left, right),
            own: |left| joiner.left(left),
            other: |right| joiner.right(right),
        };
        Arrival { view, value, time, own, other }.handle(&make, ctx);
        Ok(())
    }

    /// A right record has come.
    pub(in crate::operator) fn on_right<K>(
        &mut self,
        value: R,
        ctx: &mut KeyContext<'_, K, J::Out>,
    ) -> Result<()> {
        let Some(time) = admit(self.late, "right", &value, ctx)? else { return Ok(()) };
        let Self { interval, joiner, left: other, right: own, .. } = self;
        let (own_alone, other_alone) = (J::KIND.right(), J::KIND.left());
        let (interval, pairs) = (interval.mirrored(), J::KIND.pairs());
        let view = View { interval, own: own_alone, other: other_alone, pairs };
        let make = Make {
            pair: |right: &R, left: &L| joiner.pair(left, right),
            own: |right| joiner.right(right),
            other: |left| joiner.left(left),
        };
        Arrival { view, value, time, own, other }.handle(&make, ctx);
        Ok(())
    }

    /// The watermark has come to a time at which records of the current key have waited enough.
    pub(in crate::operator) fn on_deadline<K>(
        &mut self,
        at: i64,
        ctx: &mut KeyContext<'_, K, J::Out>,
    ) {
        let Self { interval, joiner, left, right, .. } = self;
        let (key, mirrored) = (ctx.index, interval.mirrored());
        let left_gone = |time| interval.gone_at(time) <= at;
        while let Some((time, gone)) = left.take_first_if(key, left_gone) {
            if J::KIND.left() == Alone::Unmatched && !gone.matched {
                emit(joiner.left(gone.value), time, ctx);
            }
        }
        let right_gone = |time| mirrored.gone_at(time) <= at;
        while let Some((time, gone)) = right.take_first_if(key, right_gone) {
            if J::KIND.right() == Alone::Unmatched && !gone.matched {
                emit(joiner.right(gone.value), time, ctx);
            }
        }
    }
}

fn emit<K, Out: Data>(value: Option<Out>, time: EventTime, ctx: &mut KeyContext<'_, K, Out>) {
    if let Some(value) = value {
        ctx.emit_at(value, time);
    }
}

/// The event time of a record that is to be joined; `None` for one that is not.
fn admit<T: Data, K, Out: Data>(
    late: LatePolicy,
    side: &str,
    value: &T,
    ctx: &KeyContext<'_, K, Out>,
) -> Result<Option<EventTime>> {
    let Some(time) = ctx.event_time() else {
        let record = serde_json::to_string(&AsSerialize(value)).unwrap_or_default();
        let reason = format!(
            "a record of the {side} stream has no event time and cannot be joined: give it one \
             with `.event_time(…)`, or filter such records out before the join"
        );
        return ctx.runtime().report_bad_record(reason, record).map(|()| None);
    };
    let is_late = || ctx.watermark().is_some_and(|watermark| time < watermark);
    if late == LatePolicy::Drop && is_late() {
        ctx.runtime().metrics.add_late(1);
        return Ok(None);
    }
    Ok(Some(time))
}

impl<A, B> Arrival<'_, A, B> {
    fn handle<K, Out: Data, P>(
        self,
        make: &Make<P, impl Fn(A) -> Option<Out>, impl Fn(B) -> Option<Out>>,
        ctx: &mut KeyContext<'_, K, Out>,
    ) where
        P: Fn(&A, &B) -> Option<Out>,
    {
        let Self { view, value, time, own, other } = self;
        let matched = meet(view, (&value, time), other, make, ctx);
        let gone_at = view.interval.gone_at(time);
        let may_match = ctx.watermark().is_none_or(|watermark| watermark.as_millis() < gone_at);
        // Where no pairs are wanted, a record that has had a match needs no other.
        let is_settled = matched && !view.pairs && view.own != Alone::Never;
        if may_match && !is_settled {
            own.insert(ctx.index, time, Waiting { value, matched });
            ctx.timers().register_event_time(EventTime::from_millis(gone_at));
            return;
        }
        let leaves = match view.own {
            Alone::Never => false,
            Alone::Matched => matched,
            Alone::Unmatched => !matched,
        };
        if leaves {
            emit((make.own)(value), time, ctx);
        }
    }
}

/// Matches a record with those of the other input that wait; true if there was one.
fn meet<K, Out: Data, A, B, P, F>(
    view: View,
    (value, time): (&A, EventTime),
    other: &mut JoinBuffer<B>,
    make: &Make<P, impl Fn(A) -> Option<Out>, F>,
    ctx: &mut KeyContext<'_, K, Out>,
) -> bool
where
    P: Fn(&A, &B) -> Option<Out>,
    F: Fn(B) -> Option<Out>,
{
    let Some(times) = view.interval.partners(time) else { return false };
    let key = ctx.index;
    let mut matched = false;
    if view.pairs {
        for (at, found) in other.at(key, times) {
            (matched, found.matched) = (true, true);
            emit((make.pair)(value, &found.value), time.max(at), ctx);
        }
    } else if view.other == Alone::Never {
        matched = other.at(key, times).next().is_some();
    } else {
        // It is settled what becomes of them.
        for (at, found) in other.take(key, times) {
            matched = true;
            if view.other == Alone::Matched {
                emit((make.other)(found.value), at, ctx);
            }
        }
    }
    matched
}
