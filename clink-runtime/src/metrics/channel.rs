//! Counts the records that wait in the channels into one subtask.
//!
//! The atomics are the standard library's, also under loom: they count and decide nothing.

use std::sync::atomic::{AtomicU64, Ordering};

/// What waits in all channels into one subtask together, in records of credit: a control element
/// counts as one. Senders add before the receiver can take away, so it never falls below zero.
#[derive(Debug)]
pub struct ChannelMetrics {
    capacity: u64,
    depth: AtomicU64,
    high_water: AtomicU64,
}

impl ChannelMetrics {
    /// Of channels that hold so much together.
    pub fn new(capacity: u64) -> Self {
        Self { capacity, depth: AtomicU64::new(0), high_water: AtomicU64::new(0) }
    }

    /// Adds what is sent.
    pub fn add(&self, records: u32) {
        let sent = u64::from(records);
        let depth = self.depth.fetch_add(sent, Ordering::Relaxed) + sent;
        // The mark moves seldom, and looking costs less than writing.
        if depth > self.high_water.load(Ordering::Relaxed) {
            self.high_water.fetch_max(depth, Ordering::Relaxed);
        }
    }

    /// Takes away what has been received.
    pub fn take(&self, records: u32) {
        self.depth.fetch_sub(u64::from(records), Ordering::Relaxed);
    }

    /// Records that the channels hold at most.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Records sent and not yet received.
    pub fn depth(&self) -> u64 {
        self.depth.load(Ordering::Relaxed)
    }

    /// The most there have been at one time.
    pub fn high_water(&self) -> u64 {
        self.high_water.load(Ordering::Relaxed)
    }
}
