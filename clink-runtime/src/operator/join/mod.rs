//! Joins two streams: pairs records of one key whose event times are near each other.
//!
//! **A match** is a left and a right record of one key where the right one's time lies in an
//! [`Interval`] seen from the left one's. [`JoinKind`] says what is emitted of matches and of
//! records without one. A pair has the later time of the two; a record that leaves alone keeps its
//! own, so that results do not depend on the order of arrival.
//!
//! **What waits** is keyed state: a row per record. A record waits until the watermark says that
//! no match can come any more, and then leaves: alone, if its kind of join says so, else in
//! silence. Left and right semi and anti joins let a record go at its first match already. What
//! still waits at the end of the input leaves then; at a stop nothing leaves, for a restored job
//! goes on.
//!
//! **Late** is a record whose event time is before the watermark, here as everywhere. Such records
//! are taken like others ([`LatePolicy::Allow`]): they match what still waits. Or they are dropped
//! and counted ([`LatePolicy::Drop`]). A record without an event time cannot be joined; it is a bad
//! record.
//!
//! **The watermark behind a join** stays back, so that nothing which the join emits later is late
//! there. With an interval from `a` to `b`, seen from the left record, by the longest of those that
//! apply:
//!
//! - `b`, if that is after, where left records leave alone: left and full outer, left semi and
//!   anti;
//! - `-a`, if `a` is before, where right records do: right and full outer, right semi and anti;
//! - the longer of `-a` and `b`, or the length of an interval that lies on one side, where a late
//!   record can make a pair with one that waits: inner and outer with [`LatePolicy::Allow`].
//!
//! So an inner join that drops late records forwards watermarks as they come, and one without an
//! end of its interval forwards none that say anything before the end of the input. One thing can
//! be late behind a join: a record that was late when it came, and leaves alone.
//!
//! Limit:  a record emits all its matches at once; they are as many as waiting records of its key.
//! Source: Flink's `IntervalJoinOperator` for what a match is and when a record goes, and its
//! `TimeIntervalJoin` for a watermark that stays back.

mod buffer;
mod interval;
mod joiner;
mod kind;
mod operator;
#[cfg(test)]
mod tests;

pub use interval::Interval;
pub use joiner::{
    FullOuter, Inner, Joined, Joiner, LeftAnti, LeftOuter, LeftSemi, RightAnti, RightOuter,
    RightSemi, full_outer, inner, left_anti, left_outer, left_semi, right_anti, right_outer,
    right_semi,
};
pub use kind::{JoinKind, LatePolicy};
pub use operator::{IntervalJoin, SLOTS};

pub(in crate::operator) use interval::Hold;

/// A join to be: what matches, and what is made of it.
///
/// ```
/// use clink_runtime::operator::join::{Interval, Join, LatePolicy, inner};
/// use clink_runtime::time::{after, before, minutes};
///
/// let near = Interval::between(before(minutes(5)), after(minutes(10)));
/// let join = Join::new(near, inner(|left: &u64, right: &u64| left + right));
/// assert_eq!(join.late, LatePolicy::Allow);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Join<J> {
    /// Where a right record may lie in time, seen from a left one.
    pub interval: Interval,
    /// Which join it is, and what it emits.
    pub joiner: J,
    /// What becomes of late records.
    pub late: LatePolicy,
}

impl<J> Join<J> {
    /// One that takes late records like others.
    pub fn new(interval: Interval, joiner: J) -> Self {
        Self { interval, joiner, late: LatePolicy::default() }
    }
}
