//! Are two keyed streams on their way into a join.

use std::sync::Arc;

use clink_plan::descriptor::SourceLocation;
use clink_runtime::dag::Outputs;
use clink_runtime::data::Data;
use clink_runtime::operator::join::{
    self, Interval, Join, Joined, Joiner, LatePolicy, full_outer, inner, left_outer, right_outer,
};
use clink_runtime::registry::KeyExtractor;
use clink_runtime::state::Key;
use clink_runtime::time::Offset;

use super::{DataStream, KeyedDataStream, Pipeline};

/// Two streams with keys of one type, to be joined once it is said how near in time their records
/// must be: `.between(…)`.
#[must_use = "two streams are joined once `.between(…)` and a kind such as `.inner(…)` follow"]
pub struct IntervalJoin<'p, L, R, K> {
    left: KeyedDataStream<'p, L, K>,
    right: KeyedDataStream<'p, R, K>,
}

impl<'p, L, R, K> IntervalJoin<'p, L, R, K> {
    pub(super) fn new(left: KeyedDataStream<'p, L, K>, right: KeyedDataStream<'p, R, K>) -> Self {
        Self { left, right }
    }

    /// Says where a right record may lie in time to match, seen from the left one, both ends
    /// included: `between(before(minutes(5)), after(minutes(10)))`. A span alone is `after`.
    pub fn between(
        self,
        from: impl Into<Offset>,
        to: impl Into<Offset>,
    ) -> IntervalJoined<'p, L, R, K> {
        let Self { left, right } = self;
        let interval = Interval::between(from, to);
        IntervalJoined { left, right, interval, late: LatePolicy::default() }
    }
}

/// Two streams to be joined, whose records match if they are as near in time as was said; what is
/// emitted of them is the kind of join.
///
/// - [`inner`](Self::inner): each pair that matches;
/// - [`left_outer`](Self::left_outer), [`right_outer`](Self::right_outer),
///   [`full_outer`](Self::full_outer): that, and records without a match;
/// - [`left_semi`](Self::left_semi), [`right_semi`](Self::right_semi): records that have a match,
///   each once;
/// - [`left_anti`](Self::left_anti), [`right_anti`](Self::right_anti): records that have none.
///
/// A pair has the later event time of the two, a record alone its own. A record without a match is
/// emitted when the watermark says that none can come any more, at the end of the input at last.
/// A record without an event time is a bad record.
///
/// The watermark behind a join stays back by as much as is needed for nothing of this to be late
/// there: [`clink_runtime::operator::join`] says how much.
#[must_use = "two streams are joined once a kind such as `.inner(…)` follows"]
pub struct IntervalJoined<'p, L, R, K> {
    left: KeyedDataStream<'p, L, K>,
    right: KeyedDataStream<'p, R, K>,
    interval: Interval,
    late: LatePolicy,
}

/// The two sides of a join: what is read, and what finds its keys.
type Side = (Outputs, Arc<dyn KeyExtractor>);

impl<'p, L: Data, R: Data, K: Key> IntervalJoined<'p, L, R, K> {
    /// Says what becomes of records that come late; without it they are taken like others.
    pub fn late(mut self, policy: LatePolicy) -> Self {
        self.late = policy;
        self
    }

    /// Emits what the closure makes of each pair that matches.
    ///
    /// ```
    /// # use clink::prelude::*;
    /// # use clink::{Job, JobError, RunOptions};
    /// #[derive(Data, Clone, Debug, PartialEq)]
    /// struct Click { user: u64, at: Timestamp, page: String }
    ///
    /// #[derive(Data, Clone, Debug, PartialEq)]
    /// struct Sale { user: u64, at: Timestamp, cents: i64 }
    ///
    /// let at = |second: i64| Timestamp::from_millis(second * 1_000);
    /// let click = |user, second, page: &str| Click { user, at: at(second), page: page.into() };
    /// let mut sold = None;
    /// let job = Job::build("clicks-that-sell", |pipeline| {
    ///     let clicks = pipeline
    ///         .elements(vec![click(1, 10, "shoes"), click(2, 15, "hats"), click(1, 99, "socks")])
    ///         .event_time(|click| click.at, monotonic());
    ///     let sales = pipeline
    ///         .elements(vec![Sale { user: 1, at: at(40), cents: 500 }])
    ///         .event_time(|sale| sale.at, monotonic());
    ///     let pages = clicks
    ///         .key_by(|click| click.user)
    ///         .interval_join(sales.key_by(|sale| sale.user))
    ///         .between(Offset::ZERO, after(minutes(1)))
    ///         .inner(|click, sale| (click.page.clone(), sale.cents))
    ///         .uid("clicks-that-sell");
    ///     sold = Some(pages.collect());
    ///     Ok(())
    /// })?;
    /// job.run(&RunOptions::default())?;
    /// assert_eq!(sold.unwrap().take(), [("shoes".to_owned(), 500)]);
    /// # Ok::<(), JobError>(())
    /// ```
    ///
    /// Both keys have one type:
    ///
    /// ```compile_fail,E0308
    /// # use clink::prelude::*;
    /// # fn build(pipeline: &Pipeline) {
    /// let numbers = pipeline.generate(5, |n| n).key_by(|n| *n);
    /// let words = pipeline.elements(vec![String::new()]).key_by(|word| word.clone());
    /// let _ = numbers.interval_join(words);
    /// # }
    /// ```
    #[track_caller]
    pub fn inner<Out: Data>(
        self,
        join: impl Fn(&L, &R) -> Out + Send + Sync + 'static,
    ) -> DataStream<'p, Out> {
        self.add(inner(join), SourceLocation::caller())
    }

    /// Emits what the closure makes of each pair that matches, and of each left record without a
    /// match.
    #[track_caller]
    pub fn left_outer<Out: Data>(
        self,
        join: impl Fn(&L, Option<&R>) -> Out + Send + Sync + 'static,
    ) -> DataStream<'p, Out> {
        self.add(left_outer(join), SourceLocation::caller())
    }

    /// Emits what the closure makes of each pair that matches, and of each right record without a
    /// match.
    #[track_caller]
    pub fn right_outer<Out: Data>(
        self,
        join: impl Fn(Option<&L>, &R) -> Out + Send + Sync + 'static,
    ) -> DataStream<'p, Out> {
        self.add(right_outer(join), SourceLocation::caller())
    }

    /// Emits what the closure makes of each pair that matches, and of each record of either side
    /// without a match.
    ///
    /// ```
    /// # use clink::prelude::*;
    /// # fn build(pipeline: &Pipeline) {
    /// # let left = pipeline.generate(5, |n| n).key_by(|n| *n);
    /// # let right = pipeline.generate(5, |n| n).key_by(|n| *n);
    /// let near = left.interval_join(right).between(before(seconds(1)), after(seconds(1)));
    /// let said = near.full_outer(|found| match found {
    ///     Joined::Both(left, right) => format!("{left} and {right}"),
    ///     Joined::Left(left) => format!("{left} and nothing"),
    ///     Joined::Right(right) => format!("nothing and {right}"),
    /// });
    /// # said.sink(blackhole());
    /// # }
    /// ```
    #[track_caller]
    pub fn full_outer<Out: Data>(
        self,
        join: impl Fn(Joined<'_, L, R>) -> Out + Send + Sync + 'static,
    ) -> DataStream<'p, Out> {
        self.add(full_outer(join), SourceLocation::caller())
    }

    /// Emits each left record that has a match, once, at its first.
    #[track_caller]
    pub fn left_semi(self) -> DataStream<'p, L> {
        self.add(join::left_semi(), SourceLocation::caller())
    }

    /// Emits each right record that has a match, once, at its first.
    #[track_caller]
    pub fn right_semi(self) -> DataStream<'p, R> {
        self.add(join::right_semi(), SourceLocation::caller())
    }

    /// Emits each left record without a match.
    #[track_caller]
    pub fn left_anti(self) -> DataStream<'p, L> {
        self.add(join::left_anti(), SourceLocation::caller())
    }

    /// Emits each right record without a match.
    #[track_caller]
    pub fn right_anti(self) -> DataStream<'p, R> {
        self.add(join::right_anti(), SourceLocation::caller())
    }

    fn add<J: Joiner<L, R>>(self, joiner: J, at: SourceLocation) -> DataStream<'p, J::Out> {
        let Self { left, right, interval, late } = self;
        let (pipeline, left): (&'p Pipeline, Side) = left.into_parts();
        let (_, right): (_, Side) = right.into_parts();
        let join = Join { interval, joiner, late };
        let id = pipeline.with(|dag| dag.join::<L, R, K, J>(left, right, join, at));
        DataStream::new(pipeline, id)
    }
}
