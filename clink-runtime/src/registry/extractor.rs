//! Keeps the key closures of a job: for routing by key group and for the key index of operators.

use std::any::Any;
use std::borrow::Borrow;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;

use clink_plan::key_group::{
    KeyEncode, KeyGroup, KeyGroupPartitioner, KeyGroupRange, key_group_of,
};
use clink_plan::planner::ChainOp;

use crate::channel::ErasedBatch;
use crate::channel::partition::Partitioner;
use crate::data::Data;
use crate::operator::stage::Stage;
use crate::state::key_index::{BorrowedLookup, OwnedLookup};
use crate::state::{Key, KeyLookup};

use super::{BuildError, Registry, StageFactory};

/// A key closure, its types erased.
pub trait KeyExtractor: Any + Send + Sync {
    /// What finds the target of each record, once its key group is known.
    fn partitioner(&self, targets: KeyGroupPartitioner) -> Box<dyn Partitioner>;
}

type Lookup<T, K> = Box<dyn KeyLookup<T, K>>;
type MakeLookup<T, K> = dyn Fn() -> Lookup<T, K> + Send + Sync;
type MakePartitioner = dyn Fn(KeyGroupPartitioner) -> Box<dyn Partitioner> + Send + Sync;

/// A key closure over records `T` that yields keys `K`.
pub struct TypedExtractor<T, K> {
    lookup: Box<MakeLookup<T, K>>,
    partitioner: Box<MakePartitioner>,
}

impl<T: Data, K: Key> TypedExtractor<T, K> {
    /// From a closure that computes an owned key.
    pub fn owned(extract: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        let extract = Arc::new(extract);
        let shared = Arc::clone(&extract);
        Self {
            lookup: Box::new(move || Box::new(OwnedLookup(Arc::clone(&shared)))),
            partitioner: Box::new(move |targets| {
                let extract = Arc::clone(&extract);
                HashPartitioner::boxed(targets, move |value: &T| key_group_of(&extract(value)))
            }),
        }
    }

    /// From a closure that borrows the key from the record.
    pub fn borrowed<Q>(extract: impl Fn(&T) -> &Q + Send + Sync + 'static) -> Self
    where
        K: Borrow<Q>,
        Q: ToOwned<Owned = K> + Hash + Eq + KeyEncode + ?Sized + 'static,
    {
        let extract = Arc::new(extract);
        let shared = Arc::clone(&extract);
        Self {
            lookup: Box::new(move || Box::new(BorrowedLookup::<_, Q>::new(Arc::clone(&shared)))),
            partitioner: Box::new(move |targets| {
                let extract = Arc::clone(&extract);
                HashPartitioner::boxed(targets, move |value: &T| key_group_of(extract(value)))
            }),
        }
    }
}

impl<T: Data, K: Key> KeyExtractor for TypedExtractor<T, K> {
    fn partitioner(&self, targets: KeyGroupPartitioner) -> Box<dyn Partitioner> {
        (self.partitioner)(targets)
    }
}

/// Routes each record to the subtask that owns its key's group.
struct HashPartitioner<F, T> {
    group_of: F,
    targets: KeyGroupPartitioner,
    types: PhantomData<fn(&T)>,
}

impl<T: Data, F: Fn(&T) -> KeyGroup + Send + 'static> HashPartitioner<F, T> {
    fn boxed(targets: KeyGroupPartitioner, group_of: F) -> Box<dyn Partitioner> {
        Box::new(Self { group_of, targets, types: PhantomData })
    }
}

impl<T: Data, F: Fn(&T) -> KeyGroup + Send + 'static> Partitioner for HashPartitioner<F, T> {
    fn targets(&mut self, batch: &ErasedBatch, targets: &mut Vec<u32>) {
        let batch = batch
            .downcast_ref::<T>()
            .expect("an extractor is registered for the channel type it reads");
        let target = |value| self.targets.target((self.group_of)(value));
        targets.extend(batch.values().iter().map(target));
    }
}

impl Registry {
    /// What finds the keys of records that a keyed operator reads at that input.
    pub(crate) fn key_lookup<T: Data, K: Key>(
        &self,
        op: &ChainOp,
        input: usize,
    ) -> Result<Box<dyn KeyLookup<T, K>>, BuildError> {
        let channel = T::type_name();
        let extractor = self.extractor(&channel, &op.key_by, input).and_then(|extractor| {
            let any: &dyn Any = extractor.as_ref();
            any.downcast_ref::<TypedExtractor<T, K>>()
        });
        let extractor = extractor.ok_or_else(|| BuildError::Key {
            expected: K::type_name(),
            extractor: op.key_by.clone(),
            channel,
        })?;
        Ok((extractor.lookup)())
    }

    /// An inline keyed operator: `make` gets what finds keys, and the key groups of its instance.
    pub fn inline_keyed<T: Data, K: Key>(
        make: impl Fn(Lookup<T, K>, KeyGroupRange) -> Box<dyn Stage> + Send + Sync + 'static,
    ) -> StageFactory {
        Box::new(move |registry, op, instance| {
            Ok(make(registry.key_lookup::<T, K>(op, 0)?, instance.key_groups))
        })
    }
}
