//! Is a stream with a key.

use std::marker::PhantomData;
use std::sync::Arc;

use clink_runtime::data::Data;
use clink_runtime::operator::OperatorFields;
use clink_runtime::operator::reduce::Reduce;
use clink_runtime::operator::stage::KeyedStage;
use clink_runtime::registry::Registry;
use clink_runtime::state::Key;

use super::DataStream;
use super::fit::{Keyed, KeyedBy, Takes};
use super::pipeline::{NewOperator, Pipeline};

/// Records of type `T` partitioned by keys `K`: all records of a key reach one subtask, in order.
#[must_use = "a keyed stream does nothing until an operator follows"]
pub struct KeyedDataStream<'p, T, K> {
    pipeline: &'p Pipeline,
    inputs: Vec<String>,
    extractor: String,
    types: PhantomData<fn() -> (T, K)>,
}

impl<'p, T, K> KeyedDataStream<'p, T, K> {
    pub(super) fn new(pipeline: &'p Pipeline, inputs: Vec<String>, extractor: String) -> Self {
        Self { pipeline, inputs, extractor, types: PhantomData }
    }

    /// Passes each record through an operator that remembers something per key.
    #[track_caller]
    pub fn process<O>(self, operator: O) -> DataStream<'p, O::Given>
    where
        O: Keyed + OperatorFields + Takes<T, O::Taken> + KeyedBy<K, O::By>,
    {
        self.pipeline.registry(Registry::register_keyed_operator::<O>);
        let mut new = NewOperator::annotated(&operator, O::Out::type_name());
        new.inputs = self.inputs;
        new.key_by = self.extractor;
        let id = self.pipeline.add(new, Some(&operator));
        DataStream::new(self.pipeline, id)
    }

    /// Combines all records of a key into one, and emits the result so far after each record.
    #[track_caller]
    pub fn reduce(self, combine: impl Fn(T, T) -> T + Send + Sync + 'static) -> DataStream<'p, T>
    where
        T: Data,
        K: Key,
    {
        let combine = Arc::new(combine);
        let factory = Registry::inline_keyed::<T, K>(move |keys| {
            let reduce = Reduce::new(Arc::clone(&combine));
            Box::new(KeyedStage::with_fields(reduce, keys, Reduce::visit_state))
        });
        let type_name = self.pipeline.inline_name("reduce");
        self.pipeline.registry(|r| r.add_operator::<T, T>(type_name.clone(), factory));
        let mut new = NewOperator::inline(type_name, self.inputs, T::type_name());
        new.key_by = self.extractor;
        new.slots.push(clink_runtime::operator::reduce::SLOT);
        let id = self.pipeline.add_inline(new);
        DataStream::new(self.pipeline, id)
    }
}

impl<T, K> std::fmt::Debug for KeyedDataStream<'_, T, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeyedDataStream of {} by {}", self.inputs.join(", "), self.extractor)
    }
}
