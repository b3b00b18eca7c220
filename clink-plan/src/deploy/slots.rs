//! Says what room a worker has.

use std::collections::BTreeSet;

use crate::id::{SlotId, WorkerId};

/// The slots of one worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSlots {
    worker: WorkerId,
    slot_count: u32,
    taken: BTreeSet<u32>,
}

impl WorkerSlots {
    /// A worker with `slot_count` slots, all free. A worker that says 0 has one: it registered to
    /// be used.
    pub fn new(worker: impl Into<String>, slot_count: u32) -> WorkerSlots {
        WorkerSlots {
            worker: WorkerId(worker.into()),
            slot_count: slot_count.max(1),
            taken: BTreeSet::new(),
        }
    }

    /// The same worker with slot `index` taken by another job; a slot it does not have is ignored.
    pub fn with_taken(mut self, index: u32) -> WorkerSlots {
        if index < self.slot_count {
            self.taken.insert(index);
        }
        self
    }

    /// The worker.
    pub fn worker(&self) -> &WorkerId {
        &self.worker
    }

    /// How many slots it has.
    pub fn slot_count(&self) -> u32 {
        self.slot_count
    }

    /// How many of them are free.
    pub fn free_count(&self) -> usize {
        self.slot_count as usize - self.taken.len()
    }

    /// The free slots from `index` on, lowest first.
    pub(super) fn free_from(&self, index: u32) -> impl Iterator<Item = SlotId> {
        let free = (index..self.slot_count).filter(|index| !self.taken.contains(index));
        free.map(|index| SlotId { worker: self.worker.clone(), index })
    }
}
