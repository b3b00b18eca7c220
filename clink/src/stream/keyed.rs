//! Is a stream with a key.

use std::marker::PhantomData;
use std::sync::Arc;

use clink_plan::descriptor::SourceLocation;
use clink_runtime::dag::Outputs;
use clink_runtime::data::Data;
use clink_runtime::operator::OperatorFields;
use clink_runtime::operator::reduce::{self, Reduce};
use clink_runtime::operator::stage::KeyedStage;
use clink_runtime::registry::{KeyExtractor, Registry};
use clink_runtime::state::Key;

use super::fit::{Keyed, KeyedBy, Takes};
use super::pipeline::Pipeline;
use super::{DataStream, IntervalJoin, KeyedConnectedStreams};

/// Records of type `T` partitioned by keys `K`: all records of a key reach one subtask, in order.
#[must_use = "a keyed stream does nothing until an operator follows"]
pub struct KeyedDataStream<'p, T, K> {
    pipeline: &'p Pipeline,
    outputs: Outputs,
    extractor: Arc<dyn KeyExtractor>,
    types: PhantomData<fn() -> (T, K)>,
}

impl<'p, T, K> KeyedDataStream<'p, T, K> {
    pub(super) fn new(stream: DataStream<'p, T>, extractor: Arc<dyn KeyExtractor>) -> Self {
        let (pipeline, outputs) = stream.into_parts();
        Self { pipeline, outputs, extractor, types: PhantomData }
    }

    /// What is read, and what finds its keys.
    pub(super) fn into_parts(self) -> (&'p Pipeline, (Outputs, Arc<dyn KeyExtractor>)) {
        (self.pipeline, (self.outputs, self.extractor))
    }

    /// Passes each record through an operator that remembers something per key.
    #[track_caller]
    pub fn process<O>(self, operator: O) -> DataStream<'p, O::Given>
    where
        O: Keyed + OperatorFields + Takes<T, O::Taken> + KeyedBy<K, O::By>,
    {
        let (pipeline, at) = (self.pipeline, SourceLocation::caller());
        let id = pipeline.with(|dag| {
            let key_by = dag.key::<O::In>(self.extractor);
            dag.keyed_operator((self.outputs, key_by), &operator, at)
        });
        DataStream::new(pipeline, id)
    }

    /// Connects the stream with another one that has the same key, for an operator that tells them
    /// apart: records of a key from either stream reach one subtask.
    pub fn connect<U>(
        self,
        second: KeyedDataStream<'p, U, K>,
    ) -> KeyedConnectedStreams<'p, T, U, K> {
        KeyedConnectedStreams::new(self, second)
    }

    /// Joins the stream with another one that has the same key: pairs records of a key that are
    /// near each other in event time. See [`IntervalJoined`](super::IntervalJoined).
    pub fn interval_join<U>(self, right: KeyedDataStream<'p, U, K>) -> IntervalJoin<'p, T, U, K> {
        IntervalJoin::new(self, right)
    }

    /// Combines all records of a key into one, and emits the result so far after each record.
    #[track_caller]
    pub fn reduce(self, combine: impl Fn(T, T) -> T + Send + Sync + 'static) -> DataStream<'p, T>
    where
        T: Data,
        K: Key,
    {
        let (pipeline, at) = (self.pipeline, SourceLocation::caller());
        let combine = Arc::new(combine);
        let factory = Registry::inline_keyed::<T, K>(move |keys, own| {
            let reduce = Reduce::new(Arc::clone(&combine));
            Box::new(KeyedStage::with_fields(reduce, keys, own, Reduce::visit_state))
        });
        let id = pipeline.with(|dag| {
            let read = (self.outputs, dag.key::<T>(self.extractor));
            dag.inline_keyed::<T, T>("reduce", read, factory, vec![reduce::SLOT], at)
        });
        DataStream::new(pipeline, id)
    }
}

impl<T, K> std::fmt::Debug for KeyedDataStream<'_, T, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeyedDataStream of {}", self.outputs.join(", "))
    }
}
