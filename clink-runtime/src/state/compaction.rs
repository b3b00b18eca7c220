//! Gives back the memory of keys without a value, so that it grows with living keys only.

use super::Key;
use super::key_index::KeyTable;
use super::slot::{ErasedOperatorSlot, ErasedSlot, StateError, StateVisitor};

/// Keys below which nothing is gained.
const KEYS_MIN: usize = 1_024;

/// When to look for keys without a value: once their number has doubled since the last time, so
/// that looking costs a constant per key taken in.
#[derive(Debug)]
pub(crate) struct Compaction {
    due_at: usize,
}

impl Default for Compaction {
    fn default() -> Self {
        Self { due_at: KEYS_MIN }
    }
}

impl Compaction {
    /// Drops keys without a value, if it is time to look and half of them have none.
    ///
    /// `slots` shows every slot of the operator to a visitor.
    pub(crate) fn run<K: Key>(
        &mut self,
        keys: &mut KeyTable<K>,
        mut slots: impl FnMut(&mut dyn StateVisitor) -> Result<(), StateError>,
    ) -> Result<(), StateError> {
        let count = keys.count();
        if count < self.due_at {
            return Ok(());
        }
        let mut living = Living(vec![false; count]);
        slots(&mut living)?;
        let alive = living.0.iter().filter(|alive| **alive).count();
        self.due_at = alive.max(count / 2).saturating_mul(2).max(KEYS_MIN);
        if alive > count / 2 {
            return Ok(());
        }
        let moved = keys.compact(&living.0);
        self.due_at = alive.saturating_mul(2).max(KEYS_MIN);
        slots(&mut Moving(&moved))
    }
}

/// Marks the keys that have a value in some slot.
struct Living(Vec<bool>);

impl StateVisitor for Living {
    fn slot(&mut self, _name: &str, slot: &mut dyn ErasedSlot) -> Result<(), StateError> {
        slot.mark(&mut self.0);
        Ok(())
    }

    fn operator_slot(
        &mut self,
        _name: &str,
        _slot: &mut dyn ErasedOperatorSlot,
    ) -> Result<(), StateError> {
        Ok(())
    }
}

/// Moves values to where their keys have gone.
struct Moving<'a>(&'a [Option<u32>]);

impl StateVisitor for Moving<'_> {
    fn slot(&mut self, _name: &str, slot: &mut dyn ErasedSlot) -> Result<(), StateError> {
        slot.compact(self.0);
        Ok(())
    }

    fn operator_slot(
        &mut self,
        _name: &str,
        _slot: &mut dyn ErasedOperatorSlot,
    ) -> Result<(), StateError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clink_plan::key_group::KeyGroupRange;

    use super::*;
    use crate::state::{CurrentKey, ValueState, sealed};

    struct At(u32);

    impl sealed::Sealed for At {}

    impl CurrentKey for At {
        fn key_index(&self) -> u32 {
            self.0
        }
    }

    #[test]
    fn keys_whose_values_were_cleared_give_their_memory_back_and_the_others_keep_theirs() {
        let mut keys = KeyTable::<u64>::new(KeyGroupRange::ALL);
        let mut state = ValueState::<u64>::default();
        let mut compaction = Compaction::default();
        let mut most = 0;
        for round in 0..100u64 {
            for number in round * 100..round * 100 + 100 {
                let index = keys.insert(number).unwrap();
                state.set(&At(index), number).unwrap();
                if number % 50 != 0 {
                    state.clear(&At(index)).unwrap();
                }
            }
            let slots = |visitor: &mut dyn StateVisitor| visitor.slot("n", &mut state);
            compaction.run(&mut keys, slots).unwrap();
            most = most.max(keys.count());
        }
        assert!(most <= 1_124, "{most} keys at once");
        for number in (0..10_000).step_by(50) {
            let index = keys.insert(number).unwrap();
            assert_eq!(state.get(&At(index)).unwrap(), Some(&number));
        }
    }
}
