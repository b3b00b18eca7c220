//! Counts what happens, one cell per operator instance.

use std::sync::atomic::{AtomicU64, Ordering};

/// The counters of one operator instance; written by its subtask, read by anyone.
#[derive(Debug, Default)]
pub struct OperatorMetrics {
    records_in: AtomicU64,
    records_out: AtomicU64,
}

impl OperatorMetrics {
    /// Adds records taken in.
    pub fn add_in(&self, records: u64) {
        self.records_in.fetch_add(records, Ordering::Relaxed);
    }

    /// Adds records emitted.
    pub fn add_out(&self, records: u64) {
        self.records_out.fetch_add(records, Ordering::Relaxed);
    }

    /// Records taken in so far.
    pub fn records_in(&self) -> u64 {
        self.records_in.load(Ordering::Relaxed)
    }

    /// Records emitted so far.
    pub fn records_out(&self) -> u64 {
        self.records_out.load(Ordering::Relaxed)
    }
}

/// How far a source instance has come; written by its subtask, read by the progress line.
#[derive(Debug, Default)]
pub struct SourceMetrics {
    done: AtomicU64,
    total: AtomicU64,
}

impl SourceMetrics {
    /// Notes how far it has come.
    pub fn set(&self, done: u64, total: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Done and total.
    pub fn get(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}
