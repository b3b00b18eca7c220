//! Counts what one operator instance takes in and emits.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use super::CustomMetrics;

/// What stands for a watermark before the first one; no event time has this value.
const NO_WATERMARK: i64 = i64::MIN;

/// The counters of one operator instance; written by its subtask, read by anyone.
#[derive(Debug)]
pub struct OperatorMetrics {
    records_in: AtomicU64,
    records_out: AtomicU64,
    side_records: AtomicU64,
    bad_records: AtomicU64,
    late_records: AtomicU64,
    watermark_ms: AtomicI64,
    custom: CustomMetrics,
}

impl Default for OperatorMetrics {
    fn default() -> Self {
        Self {
            records_in: AtomicU64::new(0),
            records_out: AtomicU64::new(0),
            side_records: AtomicU64::new(0),
            bad_records: AtomicU64::new(0),
            late_records: AtomicU64::new(0),
            watermark_ms: AtomicI64::new(NO_WATERMARK),
            custom: CustomMetrics::default(),
        }
    }
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

    /// Adds records emitted to side outputs.
    pub fn add_side(&self, records: u64) {
        self.side_records.fetch_add(records, Ordering::Relaxed);
    }

    /// Adds records that could not be read, or not be used.
    pub fn add_bad(&self, records: u64) {
        self.bad_records.fetch_add(records, Ordering::Relaxed);
    }

    /// Adds records that were dropped because they came late.
    pub fn add_late(&self, records: u64) {
        self.late_records.fetch_add(records, Ordering::Relaxed);
    }

    /// Notes the watermark that was forwarded last, in milliseconds since the epoch.
    pub fn set_watermark(&self, ms: i64) {
        self.watermark_ms.store(ms, Ordering::Relaxed);
    }

    /// Records taken in so far.
    pub fn records_in(&self) -> u64 {
        self.records_in.load(Ordering::Relaxed)
    }

    /// Records emitted so far.
    pub fn records_out(&self) -> u64 {
        self.records_out.load(Ordering::Relaxed)
    }

    /// Records emitted to side outputs so far.
    pub fn side_records(&self) -> u64 {
        self.side_records.load(Ordering::Relaxed)
    }

    /// The counters and gauges that the operator keeps itself.
    pub fn custom(&self) -> &CustomMetrics {
        &self.custom
    }

    /// Records that could not be read, or not be used, so far.
    pub fn bad_records(&self) -> u64 {
        self.bad_records.load(Ordering::Relaxed)
    }

    /// Records that were dropped because they came late, so far.
    pub fn late_records(&self) -> u64 {
        self.late_records.load(Ordering::Relaxed)
    }

    /// The watermark that was forwarded last, in milliseconds since the epoch; `i64::MAX` once the
    /// input has ended, `None` before the first.
    pub fn watermark(&self) -> Option<i64> {
        Some(self.watermark_ms.load(Ordering::Relaxed)).filter(|ms| *ms != NO_WATERMARK)
    }
}

/// How far a source instance has come; written by its subtask, read by the progress line.
#[derive(Debug, Default)]
pub struct SourceMetrics {
    done: AtomicU64,
    total: AtomicU64,
    bytes: AtomicU64,
}

impl SourceMetrics {
    /// Notes how far it has come, and the bytes it has read of the input as stored.
    pub fn set(&self, done: u64, total: u64, bytes: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Done and total.
    pub fn get(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Bytes this run has read of the input as it is stored; 0 where a source reads none.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}
