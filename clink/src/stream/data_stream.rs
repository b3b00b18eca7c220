//! Is a stream without a key.

use std::borrow::Borrow;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;

use clink_plan::descriptor::SourceLocation;
use clink_plan::key_group::KeyEncode;
use clink_runtime::data::Data;
use clink_runtime::operator::event_time::EventTimeStage;
use clink_runtime::operator::filter::Filter;
use clink_runtime::operator::flat_map::FlatMapStage;
use clink_runtime::operator::map::Map;
use clink_runtime::operator::sink::{Collect, Collected};
use clink_runtime::operator::stage::{OperatorStage, SinkStage, Stage};
use clink_runtime::operator::{Operator, OperatorFields, Sink};
use clink_runtime::registry::{Registry, TypedExtractor};
use clink_runtime::state::Key;
use clink_runtime::time::{IntoEventTime, WatermarkStrategy};

use super::fit::{Keyless, StreamKey, Takes};
use super::pipeline::{NewOperator, Pipeline};
use super::{KeyedDataStream, SinkHandle};

/// Records of type `T` on their way.
#[must_use = "a stream that nothing reads is never run; end it with `.sink(…)`"]
pub struct DataStream<'p, T> {
    pipeline: &'p Pipeline,
    /// The operators whose main outputs this stream is; several after a union.
    inputs: Vec<String>,
    types: PhantomData<fn() -> T>,
}

impl<T> Clone for DataStream<'_, T> {
    /// The same stream once more: each consumer gets every record.
    fn clone(&self) -> Self {
        Self { pipeline: self.pipeline, inputs: self.inputs.clone(), types: PhantomData }
    }
}

impl<'p, T> DataStream<'p, T> {
    pub(super) fn new(pipeline: &'p Pipeline, id: String) -> Self {
        Self { pipeline, inputs: vec![id], types: PhantomData }
    }

    /// Gives the operator a label for people.
    #[track_caller]
    pub fn name(self, name: &str) -> Self {
        if let Some(id) = self.operator("name") {
            self.pipeline.change(id, |spec| name.clone_into(&mut spec.display_name));
        }
        self
    }

    /// Gives the operator the stable name under which its state is filed.
    #[track_caller]
    pub fn uid(self, uid: &str) -> Self {
        if let Some(id) = self.operator("uid") {
            self.pipeline.set_uid(id, uid, SourceLocation::caller());
        }
        self
    }

    /// Sets how many subtasks the operator has, whatever the job's default.
    #[track_caller]
    pub fn set_parallelism(self, parallelism: u32) -> Self {
        if let Some(id) = self.operator("set_parallelism") {
            self.pipeline.fix_parallelism(id, parallelism);
        }
        self
    }

    /// Passes each record through an operator.
    #[track_caller]
    pub fn process<O>(self, operator: O) -> DataStream<'p, O::Given>
    where
        O: Keyless + OperatorFields + Takes<T, O::Taken>,
    {
        self.pipeline.registry(Registry::register_operator::<O>);
        let mut new = NewOperator::annotated(&operator, O::Out::type_name());
        new.inputs = self.inputs;
        let id = self.pipeline.add(new, Some(&operator));
        DataStream::new(self.pipeline, id)
    }

    /// The records of both streams; their order is that of arrival.
    pub fn union(mut self, other: Self) -> Self {
        self.inputs.extend(other.inputs);
        self
    }

    /// Hands the records to a sink.
    #[track_caller]
    pub fn sink<S>(self, sink: S) -> SinkHandle<'p>
    where
        S: Sink + OperatorFields + Takes<T, S::In>,
    {
        self.pipeline.registry(Registry::register_sink::<S>);
        let mut new = NewOperator::annotated(&sink, S::In::type_name());
        new.inputs = self.inputs;
        let id = self.pipeline.add(new, Some(&sink));
        SinkHandle::new(self.pipeline, id)
    }

    #[track_caller]
    fn operator(&self, what: &str) -> Option<&str> {
        match self.inputs.as_slice() {
            [id] => Some(id),
            _ => {
                self.pipeline.no_operator(what, SourceLocation::caller());
                None
            }
        }
    }
}

impl<'p, T: Data> DataStream<'p, T> {
    /// Turns each record into one other record.
    #[track_caller]
    pub fn map<U: Data>(self, apply: impl Fn(T) -> U + Send + Sync + 'static) -> DataStream<'p, U> {
        let apply = Arc::new(apply);
        self.inline("map", move || Map::new(Arc::clone(&apply)))
    }

    /// Keeps the records for which the closure says so.
    #[track_caller]
    pub fn filter(self, keep: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        let keep = Arc::new(keep);
        self.inline("filter", move || Filter::new(Arc::clone(&keep)))
    }

    /// Turns each record into any number of records.
    #[track_caller]
    pub fn flat_map<I>(
        self,
        apply: impl Fn(T) -> I + Send + Sync + 'static,
    ) -> DataStream<'p, I::Item>
    where
        I: IntoIterator<Item: Data, IntoIter: Send> + 'static,
    {
        let apply = Arc::new(apply);
        self.inline_stage("flat_map", move || Box::new(FlatMapStage::new(Arc::clone(&apply))))
    }

    /// Gives each record the event time that the closure reads from it (a `Timestamp`, or an
    /// `Option` whose `None` means that the record has none), and makes watermarks.
    #[track_caller]
    pub fn event_time<E: IntoEventTime + 'static>(
        self,
        of: impl Fn(&T) -> E + Send + Sync + 'static,
        strategy: WatermarkStrategy,
    ) -> Self {
        let of = Arc::new(of);
        self.inline_stage("event_time", move || {
            Box::new(EventTimeStage::new(Arc::clone(&of), strategy))
        })
    }

    /// Partitions the records by a key that is computed from each. If the key is a part of the
    /// record, [`key_by_ref`](Self::key_by_ref) saves a copy per record.
    #[track_caller]
    pub fn key_by<K: StreamKey<M>, M>(
        self,
        key: impl Fn(&T) -> K + Send + Sync + 'static,
    ) -> KeyedDataStream<'p, T, K::Checked> {
        self.keyed(TypedExtractor::<T, K>::owned(key))
    }

    /// Partitions the records by a key that is borrowed from each.
    #[track_caller]
    pub fn key_by_ref<Q>(
        self,
        key: impl Fn(&T) -> &Q + Send + Sync + 'static,
    ) -> KeyedDataStream<'p, T, Q::Owned>
    where
        Q: ToOwned<Owned: Key + Borrow<Q>> + Hash + Eq + KeyEncode + ?Sized + 'static,
    {
        self.keyed(TypedExtractor::<T, Q::Owned>::borrowed(key))
    }

    /// Keeps the records in memory, for a test that runs the job in its own process.
    ///
    /// ```
    /// # use clink::prelude::*;
    /// # use clink::{Job, JobError, RunOptions};
    /// let mut squares = None;
    /// let job = Job::build("squares", |pipeline| {
    ///     squares = Some(pipeline.generate(4, |n| n).map(|n| n * n).collect());
    ///     Ok(())
    /// })?;
    /// job.run(&RunOptions::default())?;
    /// assert_eq!(squares.unwrap().take(), [0, 1, 4, 9]);
    /// # Ok::<(), JobError>(())
    /// ```
    #[track_caller]
    pub fn collect(self) -> Collected<T> {
        let collected = Collected::default();
        let records = collected.clone();
        let type_name = self.pipeline.inline_name("collect");
        let factory = Registry::inline_stage(move || {
            Box::new(SinkStage::inline(Collect::new(records.clone())))
        });
        self.pipeline.registry(|registry| registry.add_sink::<T>(type_name.clone(), factory));
        let new = NewOperator::inline(type_name, self.inputs, T::type_name());
        self.pipeline.add_inline(new);
        collected
    }

    fn keyed<K: Key, C>(self, extractor: TypedExtractor<T, K>) -> KeyedDataStream<'p, T, C> {
        let name = self.pipeline.inline_name("key");
        self.pipeline.registry(|registry| registry.add_extractor::<T>(name.clone(), extractor));
        KeyedDataStream::new(self.pipeline, self.inputs, name)
    }

    #[track_caller]
    fn inline<O: Operator<In = T>>(
        self,
        kind: &str,
        make: impl Fn() -> O + Send + Sync + 'static,
    ) -> DataStream<'p, O::Out> {
        self.inline_stage(kind, move || Box::new(OperatorStage::inline(make())))
    }

    #[track_caller]
    fn inline_stage<Out: Data>(
        self,
        kind: &str,
        make: impl Fn() -> Box<dyn Stage> + Send + Sync + 'static,
    ) -> DataStream<'p, Out> {
        let type_name = self.pipeline.inline_name(kind);
        let factory = Registry::inline_stage(make);
        self.pipeline.registry(|r| r.add_operator::<T, Out>(type_name.clone(), factory));
        let new = NewOperator::inline(type_name, self.inputs, Out::type_name());
        DataStream::new(self.pipeline, self.pipeline.add_inline(new))
    }
}

impl<T> std::fmt::Debug for DataStream<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DataStream of {}", self.inputs.join(", "))
    }
}
