//! Adds joins of two keyed streams.

use std::collections::BTreeMap;
use std::sync::Arc;

use clink_plan::descriptor::SourceLocation;

use crate::data::Data;
use crate::operator::join::{Join, Joiner, SLOTS};
use crate::operator::stage::JoinStage;
use crate::registry::{KeyExtractor, StageFactory};
use crate::state::Key;

use super::{Dag, Extractor, NewOperator, Outputs, ParallelStageHandle, StageHandle};

impl Dag {
    /// Joins two stages with one subtask: see [`operator::join`](crate::operator::join).
    ///
    /// ```
    /// use clink_runtime::dag::{Dag, Extractor, StageHandle, key};
    /// use clink_runtime::operator::join::{Interval, Join, left_outer};
    /// use clink_runtime::time::{Offset, before, minutes};
    ///
    /// /// Adds to each order what was paid for it in the five minutes before, if anything was.
    /// fn pay(
    ///     dag: &mut Dag,
    ///     orders: StageHandle<u64>,
    ///     payments: StageHandle<(u64, i64)>,
    /// ) -> StageHandle<(u64, Option<i64>)> {
    ///     let before_the_order = Interval::between(before(minutes(5)), Offset::ZERO);
    ///     let join = Join::new(
    ///         before_the_order,
    ///         left_outer(|order: &u64, payment: Option<&(u64, i64)>| {
    ///             (*order, payment.map(|(_, cents)| *cents))
    ///         }),
    ///     );
    ///     let orders = (orders, key(|order: &u64| *order));
    ///     let payments = (payments, key(|(order, _): &(u64, i64)| *order));
    ///     dag.interval_join(orders, payments, join)
    /// }
    /// # let _ = pay;
    /// ```
    #[track_caller]
    pub fn interval_join<L: Data, R: Data, K: Key, J: Joiner<L, R>>(
        &mut self,
        (left, left_key): (StageHandle<L>, Extractor<L, K>),
        (right, right_key): (StageHandle<R>, Extractor<R, K>),
        join: Join<J>,
    ) -> StageHandle<J::Out> {
        self.add_join((left, left_key), (right, right_key), join, 1, SourceLocation::caller())
    }

    /// Joins two stages in that many subtasks: each record goes to the one that owns its key.
    #[track_caller]
    pub fn parallel_interval_join<L: Data, R: Data, K: Key, J: Joiner<L, R>>(
        &mut self,
        (left, left_key): (ParallelStageHandle<L>, Extractor<L, K>),
        (right, right_key): (ParallelStageHandle<R>, Extractor<R, K>),
        join: Join<J>,
        parallelism: u32,
    ) -> ParallelStageHandle<J::Out> {
        let at = SourceLocation::caller();
        let (left, right) = ((left.stage, left_key), (right.stage, right_key));
        let stage = self.add_join(left, right, join, parallelism, at);
        ParallelStageHandle::new(stage, parallelism)
    }

    fn add_join<L: Data, R: Data, K: Key, J: Joiner<L, R>>(
        &mut self,
        (left, left_key): (StageHandle<L>, Extractor<L, K>),
        (right, right_key): (StageHandle<R>, Extractor<R, K>),
        join: Join<J>,
        parallelism: u32,
        at: SourceLocation,
    ) -> StageHandle<J::Out> {
        let (left, right) = (self.take(left, at), self.take(right, at));
        let left = (left, Arc::new(left_key) as _);
        let right = (right, Arc::new(right_key) as _);
        let id = self.join::<L, R, K, J>(left, right, join, at);
        self.stage(id, parallelism)
    }

    /// Adds a join; its id. Each input comes with what finds its keys.
    pub fn join<L: Data, R: Data, K: Key, J: Joiner<L, R>>(
        &mut self,
        (left, left_key): (Outputs, Arc<dyn KeyExtractor>),
        (right, right_key): (Outputs, Arc<dyn KeyExtractor>),
        join: Join<J>,
        location: SourceLocation,
    ) -> String {
        let (from, to) = join.interval.ends();
        let params = [
            ("kind", J::KIND.name().to_owned()),
            ("from_ms", from.as_millis().to_string()),
            ("to_ms", to.as_millis().to_string()),
            ("late", join.late.name().to_owned()),
        ];
        let params: BTreeMap<_, _> =
            params.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let interval = join.interval;
        let name = self.inline_name("interval_join");
        self.registry().add_join::<L, R, J::Out>(&name, factory::<L, R, K, J>(join));
        let key_by = self.two_keys::<L, R>(left_key, right_key);
        let inputs = self.two_inputs::<L, R>(left, right, location);
        let new = NewOperator::inline(name, inputs, J::Out::type_name(), location);
        let id = self.push(NewOperator { key_by, params, slots: SLOTS.to_vec(), ..new });
        if interval.is_empty() {
            let (from, to) = interval.ends();
            let message = format!(
                "no two records can match: its interval begins {from} and ends {to}, seen from the \
                 left record; name the earlier end first"
            );
            self.problem("P0909", &id, location, message);
        }
        id
    }
}

fn factory<L: Data, R: Data, K: Key, J: Joiner<L, R>>(join: Join<J>) -> StageFactory {
    let Join { interval, joiner, late } = join;
    let joiner = Arc::new(joiner);
    Box::new(move |registry, op, instance| {
        let join = Join { interval, joiner: Arc::clone(&joiner), late };
        let left = registry.key_lookup::<L, K>(op, 0)?;
        let right = registry.key_lookup::<R, K>(op, 1)?;
        Ok(Box::new(JoinStage::new(join, left, right, instance.key_groups)))
    })
}
