//! Turns keys into dense indices, one look-up per record and by borrow where the key allows it.

use std::borrow::Borrow;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;

use ahash::RandomState;
use clink_plan::key_group::{Fnv1a64, KeyEncode, KeyGroup, KeyGroupRange, key_group_of};
use hashbrown::HashTable;

use super::Key;

/// The keys of one operator instance by dense index.
#[derive(Debug)]
pub struct KeyTable<K> {
    keys: Vec<K>,
    table: HashTable<u32>,
    hasher: RandomState,
    own: KeyGroupRange,
}

/// A key that has no place in a subtask.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A record's key lies outside the key groups of the subtask that got the record.
    #[error(
        "a record with a key of key group {found} reached a subtask that owns groups {own}: the \
         key must be the same each time it is computed from the same record"
    )]
    Foreign {
        /// The group of the key.
        found: u16,
        /// The groups of the subtask.
        own: KeyGroupRange,
    },
    /// What the key type calls equal has other bytes, or the other way about.
    #[error(
        "`Eq`, `Hash` or `Borrow` of the key type `{type_name}` disagrees with its bytes: keys \
         are equal if and only if they encode alike, so derive them with `Key`"
    )]
    Unequal {
        /// The name of the key type.
        type_name: String,
    },
}

/// Whether two keys, or a key and what it lends, are the same to routing.
fn same_bytes<A: KeyEncode + ?Sized, B: KeyEncode + ?Sized>(a: &A, b: &B) -> bool {
    let (mut left, mut right) = (Fnv1a64::new(), Fnv1a64::new());
    a.encode(&mut left);
    b.encode(&mut right);
    left.finish() == right.finish()
}

impl<K: Key> KeyTable<K> {
    /// An empty table for keys of those groups.
    pub fn new(own: KeyGroupRange) -> Self {
        Self { keys: Vec::new(), table: HashTable::new(), hasher: RandomState::new(), own }
    }

    /// Keys in order of their index.
    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    /// The key with that index.
    #[inline]
    pub fn key(&self, index: u32) -> &K {
        self.keys.get(index as usize).expect("an index came from this table")
    }

    /// The key group of the key with that index.
    pub fn group(&self, index: u32) -> KeyGroup {
        key_group_of(self.key(index))
    }

    /// The index of a key, which is taken in on first sight.
    #[inline]
    pub fn resolve<Q>(&mut self, key: &Q, own: impl FnOnce(&Q) -> K) -> Result<u32, KeyError>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + KeyEncode + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        let keys = &self.keys;
        let same = |index: &u32| keys.get(*index as usize).is_some_and(|k| k.borrow() == key);
        if let Some(index) = self.table.find(hash, same) {
            // For each record this would cost more than the look-up, and an author's tests do it.
            if cfg!(debug_assertions) && !same_bytes(self.key(*index), key) {
                return Err(Self::unequal());
            }
            return Ok(*index);
        }
        let own = own(key);
        let alike = own.borrow() == key && self.hasher.hash_one(&own) == hash;
        if !alike || !same_bytes(&own, key) {
            return Err(Self::unequal());
        }
        self.take_in(hash, own)
    }

    #[cold]
    fn unequal() -> KeyError {
        KeyError::Unequal { type_name: K::type_name() }
    }

    /// How many keys there are.
    pub fn count(&self) -> usize {
        self.keys.len()
    }

    /// Takes a restored key in.
    ///
    /// # Errors
    /// If the key lies outside the key groups of the subtask.
    pub fn insert(&mut self, key: K) -> Result<u32, KeyError> {
        self.resolve(&key, K::clone)
    }

    /// Drops the keys that are not alive; where each key that is has gone, by its old index.
    pub(crate) fn compact(&mut self, alive: &[bool]) -> Vec<Option<u32>> {
        let mut moved = Vec::with_capacity(self.keys.len());
        let (mut kept, mut index) = (0, 0);
        self.keys.retain(|_| {
            let lives = alive.get(index).copied().unwrap_or(false);
            index += 1;
            moved.push(lives.then_some(kept));
            kept += u32::from(lives);
            lives
        });
        self.keys.shrink_to_fit();
        let Self { keys, hasher, table, .. } = self;
        let hash = |index: &u32| {
            hasher.hash_one(keys.get(*index as usize).expect("an index came from this table"))
        };
        *table = HashTable::with_capacity(keys.len());
        for index in 0..kept {
            table.insert_unique(hash(&index), index, hash);
        }
        moved
    }

    #[cold]
    fn take_in(&mut self, hash: u64, key: K) -> Result<u32, KeyError> {
        let group = key_group_of(&key);
        if !self.own.contains(group) {
            return Err(KeyError::Foreign { found: group.0, own: self.own });
        }
        let index = u32::try_from(self.keys.len()).expect("fewer than 2^32 keys fit in memory");
        self.keys.push(key);
        let Self { keys, hasher, table, .. } = self;
        table.insert_unique(hash, index, |index| {
            hasher.hash_one(keys.get(*index as usize).expect("an index came from this table"))
        });
        Ok(index)
    }
}

/// Finds the dense index of each record's key in a table of keys; several inputs of one operator
/// look theirs up in the same table.
pub trait KeyLookup<T, K>: Send {
    /// Appends one index per value.
    fn resolve(
        &self,
        values: &[T],
        table: &mut KeyTable<K>,
        indices: &mut Vec<u32>,
    ) -> Result<(), KeyError>;
}

/// A key computed for each record.
pub(crate) struct OwnedLookup<F>(pub(crate) Arc<F>);

/// A key borrowed from each record, owned only on first sight.
pub(crate) struct BorrowedLookup<F, Q: ?Sized> {
    extract: Arc<F>,
    borrowed: PhantomData<fn(&Q)>,
}

impl<F, Q: ?Sized> BorrowedLookup<F, Q> {
    pub(crate) fn new(extract: Arc<F>) -> Self {
        Self { extract, borrowed: PhantomData }
    }
}

impl<T, K: Key, F: Fn(&T) -> K + Send + Sync> KeyLookup<T, K> for OwnedLookup<F> {
    fn resolve(
        &self,
        values: &[T],
        table: &mut KeyTable<K>,
        indices: &mut Vec<u32>,
    ) -> Result<(), KeyError> {
        for value in values {
            let key = (self.0)(value);
            indices.push(table.resolve(&key, K::clone)?);
        }
        Ok(())
    }
}

impl<T, K, Q, F> KeyLookup<T, K> for BorrowedLookup<F, Q>
where
    K: Key + Borrow<Q>,
    Q: ToOwned<Owned = K> + Hash + Eq + KeyEncode + ?Sized,
    F: Fn(&T) -> &Q + Send + Sync,
{
    fn resolve(
        &self,
        values: &[T],
        table: &mut KeyTable<K>,
        indices: &mut Vec<u32>,
    ) -> Result<(), KeyError> {
        for value in values {
            let key = (self.extract)(value);
            indices.push(table.resolve(key, Q::to_owned)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_another_subtask_is_refused_with_its_group_and_the_range_k12() {
        let own = KeyGroupRange { start: 0, end: 64 };
        let mut table = KeyTable::<i64>::new(own);
        // The groups of 0 and 1 are 69 and 36.
        let foreign = table.resolve(&0, i64::clone).unwrap_err();
        assert_eq!(foreign, KeyError::Foreign { found: 69, own });
        let text = foreign.to_string();
        assert!(text.contains("key group 69 ") && text.contains("groups 0..64:"), "{text}");
        assert_eq!(table.resolve(&1, i64::clone), Ok(0));
        assert_eq!(table.keys(), [1]);
    }

    #[test]
    fn a_key_that_lends_something_else_is_refused_k04() {
        let mut table = KeyTable::<String>::new(KeyGroupRange::ALL);
        let shouted = |key: &str| key.to_uppercase();
        let unequal = KeyError::Unequal { type_name: "string".to_owned() };
        assert_eq!(table.resolve("a", shouted), Err(unequal));
        assert_eq!(table.resolve("A", shouted), Ok(0));
    }
}
