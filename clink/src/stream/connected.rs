//! Are two streams on their way into one operator.

use clink_plan::descriptor::SourceLocation;
use clink_runtime::Result;
use clink_runtime::dag::{Broadcast, Dag};
use clink_runtime::data::Data;
use clink_runtime::operator::{Context, OperatorFields};

use super::fit::{KeyedBy, Takes, TwoInputs, TwoKeyedInputs};
use super::{DataStream, KeyedDataStream};

/// Two streams whose records an operator tells apart.
#[must_use = "connected streams do nothing until an operator follows"]
pub struct ConnectedStreams<'p, T, U> {
    first: DataStream<'p, T>,
    second: DataStream<'p, U>,
}

impl<'p, T, U> ConnectedStreams<'p, T, U> {
    pub(super) fn new(first: DataStream<'p, T>, second: DataStream<'p, U>) -> Self {
        Self { first, second }
    }

    /// Passes the records of both streams through an operator.
    #[track_caller]
    pub fn process<O>(self, operator: O) -> DataStream<'p, O::Given>
    where
        O: TwoInputs + OperatorFields + Takes<T, O::First> + Takes<U, O::Second>,
    {
        let at = SourceLocation::caller();
        let ((pipeline, first), (_, second)) = (self.first.into_parts(), self.second.into_parts());
        let id = pipeline.with(|dag| dag.co_operator(first, second, &operator, at));
        DataStream::new(pipeline, id)
    }
}

/// Two streams with keys of one type, whose records an operator tells apart.
#[must_use = "connected streams do nothing until an operator follows"]
pub struct KeyedConnectedStreams<'p, T, U, K> {
    first: KeyedDataStream<'p, T, K>,
    second: KeyedDataStream<'p, U, K>,
}

impl<'p, T, U, K> KeyedConnectedStreams<'p, T, U, K> {
    pub(super) fn new(first: KeyedDataStream<'p, T, K>, second: KeyedDataStream<'p, U, K>) -> Self {
        Self { first, second }
    }

    /// Passes the records of both streams through an operator that remembers something per key.
    #[track_caller]
    pub fn process<O>(self, operator: O) -> DataStream<'p, O::Given>
    where
        O: TwoKeyedInputs
            + OperatorFields
            + Takes<T, O::First>
            + Takes<U, O::Second>
            + KeyedBy<K, O::By>,
    {
        let at = SourceLocation::caller();
        let ((pipeline, first), (_, second)) = (self.first.into_parts(), self.second.into_parts());
        let id = pipeline.with(|dag| dag.keyed_co_operator(first, second, &operator, at));
        DataStream::new(pipeline, id)
    }
}

/// A main stream, and a control stream of which every subtask gets each record.
#[must_use = "connected streams do nothing until an operator follows"]
pub struct BroadcastConnected<'p, T, C> {
    main: DataStream<'p, T>,
    control: DataStream<'p, C>,
}

impl<'p, T, C> BroadcastConnected<'p, T, C> {
    pub(super) fn new(main: DataStream<'p, T>, control: DataStream<'p, C>) -> Self {
        Self { main, control }
    }
}

impl<'p, T: Data, C: Data> BroadcastConnected<'p, T, C> {
    /// Calls one closure for each main record and one for each control record. The control closure
    /// may change the state; the main closure may read it, for each subtask sees other main
    /// records, and all must have the same state.
    ///
    /// Between the two streams no order is promised: a main record may come before the control
    /// record that is meant for it.
    ///
    /// ```
    /// # use clink::prelude::*;
    /// # use clink::{Job, JobError, RunOptions};
    /// let mut kept = None;
    /// let job = Job::build("limit", |pipeline| {
    ///     let limits = pipeline.elements(vec![3_u64]);
    ///     let numbers = pipeline.generate(5, |n| n).connect_broadcast(limits).process(
    ///         u64::MAX,
    ///         |limit, n, ctx| {
    ///             if n < *limit {
    ///                 ctx.emit(n);
    ///             }
    ///             Ok(())
    ///         },
    ///         |limit, new, _| {
    ///             *limit = new;
    ///             Ok(())
    ///         },
    ///     );
    ///     kept = Some(numbers.collect());
    ///     Ok(())
    /// })?;
    /// job.run(&RunOptions::default())?;
    /// assert!(kept.unwrap().take().len() >= 3);
    /// # Ok::<(), JobError>(())
    /// ```
    ///
    /// The main closure cannot change the state:
    ///
    /// ```compile_fail
    /// # use clink::prelude::*;
    /// # fn build(pipeline: &Pipeline) {
    /// let limits = pipeline.elements(vec![3_u64]);
    /// pipeline.generate(5, |n| n).connect_broadcast(limits).process(
    ///     u64::MAX,
    ///     |limit, n, ctx: &mut Context<'_, u64>| {
    ///         *limit = n;
    ///         Ok(())
    ///     },
    ///     |limit, new, _| Ok(()),
    /// );
    /// # }
    /// ```
    #[track_caller]
    pub fn process<S, Out, M, Co>(self, state: S, main: M, control: Co) -> DataStream<'p, Out>
    where
        S: Data,
        Out: Data,
        M: Fn(&S, T, &mut Context<'_, Out>) -> Result<()> + Send + Sync + 'static,
        Co: Fn(&mut S, C, &mut Context<'_, Out>) -> Result<()> + Send + Sync + 'static,
    {
        let at = SourceLocation::caller();
        let broadcast = Broadcast { state, main, control };
        let ((pipeline, main), (_, control)) = (self.main.into_parts(), self.control.into_parts());
        let add =
            |dag: &mut Dag| dag.broadcast::<S, T, C, Out, M, Co>(main, control, broadcast, at);
        DataStream::new(pipeline, pipeline.with(add))
    }
}
