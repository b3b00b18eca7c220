//! Says how many records an asynchronous map has in flight, in which order their results leave, and
//! what becomes of an attempt that fails.

use std::time::Duration;

use crate::config::{
    ASYNC_BACKOFF_MAX_MS, ASYNC_BACKOFF_MS, ASYNC_CAPACITY_RECORDS, ASYNC_CAPACITY_RECORDS_MAX,
};

/// How an asynchronous map goes about its records.
///
/// ```
/// use clink_runtime::operator::async_map::AsyncOptions;
/// use clink_runtime::time::{millis, seconds};
///
/// let patient = AsyncOptions::unordered()
///     .capacity(500)
///     .timeout(seconds(2))
///     .retries(3)
///     .backoff(millis(50))
///     .backoff_max(seconds(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct AsyncOptions {
    pub(super) ordered: bool,
    pub(super) capacity: u32,
    pub(super) timeout: Option<Duration>,
    pub(super) retries: u32,
    backoff: Duration,
    backoff_max: Duration,
}

impl AsyncOptions {
    /// Results leave in the order of their records: one that comes early waits for those before it.
    pub const fn ordered() -> Self {
        Self {
            ordered: true,
            capacity: ASYNC_CAPACITY_RECORDS,
            timeout: None,
            retries: 0,
            backoff: Duration::from_millis(ASYNC_BACKOFF_MS),
            backoff_max: Duration::from_millis(ASYNC_BACKOFF_MAX_MS),
        }
    }

    /// Results leave as they come, but never before a watermark that came before their record, nor
    /// after one that came after it.
    pub const fn unordered() -> Self {
        Self { ordered: false, ..Self::ordered() }
    }

    /// Records that each subtask has in flight at most, from 1 to 65,536; by default 100. A result
    /// that waits for its turn to leave counts.
    pub const fn capacity(mut self, records: u32) -> Self {
        self.capacity = records;
        self
    }

    /// How long an attempt may take, in whole milliseconds, rounded up; by default for ever. What
    /// takes longer is dropped and has failed.
    pub const fn timeout(mut self, span: Duration) -> Self {
        self.timeout = Some(span);
        self
    }

    /// Attempts that may follow a first one that has failed; by default none. An error that is
    /// [`terminal`](crate::Error::terminal) is not tried again.
    pub const fn retries(mut self, attempts: u32) -> Self {
        self.retries = attempts;
        self
    }

    /// How long to wait before the first retry, twice as long before each one more; by default
    /// 100 ms.
    pub const fn backoff(mut self, span: Duration) -> Self {
        self.backoff = span;
        self
    }

    /// How long to wait at most before a retry; by default a minute.
    pub const fn backoff_max(mut self, span: Duration) -> Self {
        self.backoff_max = span;
        self
    }

    /// What is wrong with them, and what to do.
    pub(crate) fn problem(&self) -> Option<String> {
        if !(1..=ASYNC_CAPACITY_RECORDS_MAX).contains(&self.capacity) {
            return Some(format!(
                "its capacity is {}: give it 1 to {ASYNC_CAPACITY_RECORDS_MAX} records in flight",
                self.capacity
            ));
        }
        if self.timeout.is_some_and(|span| span.is_zero()) {
            return Some(
                "its timeout is 0, so that every attempt would fail: leave it out for \
                         attempts that may take for ever"
                    .to_owned(),
            );
        }
        None
    }

    /// When an attempt that starts now has taken too long, in milliseconds.
    pub(super) fn timeout_at_ms(&self, now_ms: i64) -> Option<i64> {
        self.timeout.map(|span| after_ms(now_ms, span))
    }

    /// When the retry starts that follows so many failed attempts, in milliseconds.
    pub(super) fn retry_at_ms(&self, failed: u32, now_ms: i64) -> i64 {
        let doubled = 1_u32.checked_shl(failed.saturating_sub(1)).unwrap_or(u32::MAX);
        after_ms(now_ms, self.backoff.saturating_mul(doubled).min(self.backoff_max))
    }
}

/// The moment a span after another one, in milliseconds: never too early.
fn after_ms(now_ms: i64, span: Duration) -> i64 {
    let span_ms = span.as_nanos().div_ceil(1_000_000);
    now_ms.saturating_add(i64::try_from(span_ms).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backoff_doubles_up_to_its_limit_and_never_overflows() {
        let options = AsyncOptions::ordered()
            .backoff(Duration::from_millis(100))
            .backoff_max(Duration::from_secs(1));
        let waits: Vec<i64> = (1..=6).map(|failed| options.retry_at_ms(failed, 5) - 5).collect();
        assert_eq!(waits, [100, 200, 400, 800, 1_000, 1_000]);
        assert_eq!(options.retry_at_ms(u32::MAX, 0), 1_000);
        let endless = options.backoff(Duration::MAX).backoff_max(Duration::MAX);
        assert_eq!(endless.retry_at_ms(u32::MAX, 1), i64::MAX);
        assert_eq!(options.backoff(Duration::ZERO).retry_at_ms(9, 3), 3);
    }

    #[test]
    fn a_timeout_is_never_cut_short() {
        let options = AsyncOptions::ordered();
        assert_eq!(options.timeout_at_ms(3), None);
        assert_eq!(options.timeout(Duration::from_nanos(1)).timeout_at_ms(3), Some(4));
        assert_eq!(options.timeout(Duration::from_millis(2)).timeout_at_ms(3), Some(5));
        assert_eq!(options.timeout(Duration::MAX).timeout_at_ms(3), Some(i64::MAX));
    }

    #[test]
    fn what_is_out_of_bounds_is_said() {
        let options = AsyncOptions::unordered();
        assert_eq!(options.problem(), None);
        assert_eq!(options.capacity(ASYNC_CAPACITY_RECORDS_MAX).problem(), None);
        for capacity in [0, ASYNC_CAPACITY_RECORDS_MAX + 1] {
            let problem = options.capacity(capacity).problem().unwrap_or_default();
            assert!(problem.starts_with(&format!("its capacity is {capacity}: ")), "{problem}");
        }
        assert!(options.timeout(Duration::ZERO).problem().is_some());
        assert_eq!(options.timeout(Duration::from_nanos(1)).problem(), None);
    }
}
