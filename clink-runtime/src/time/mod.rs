//! Defines event time, watermarks and how several inputs agree on one.

pub mod merge;
pub mod offset;
pub mod timers;
pub mod watermark;

use std::time::Duration;

use crate::data::Timestamp;

pub use offset::{Offset, after, before};
pub use watermark::{Watermark, WatermarkStrategy, bounded, monotonic};

/// When something happened: milliseconds since the epoch, any `i64` but its minimum.
///
/// Arithmetic saturates at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventTime(i64);

impl EventTime {
    /// The earliest event time. `i64::MIN` itself is kept free: a batch marks records without an
    /// event time with it.
    pub const MIN: Self = Self(i64::MIN + 1);
    /// The latest event time; a watermark of this time says that the input has ended.
    pub const MAX: Self = Self(i64::MAX);

    /// The event time that many milliseconds after the epoch (`i64::MIN` becomes [`Self::MIN`]).
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.max(i64::MIN + 1))
    }

    /// Milliseconds since the epoch.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// This time less a span, not below [`Self::MIN`].
    #[must_use]
    pub fn saturating_sub(self, span: Duration) -> Self {
        let span = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.0.saturating_sub(span))
    }
}

impl From<Timestamp> for EventTime {
    /// The same moment; the one before [`EventTime::MIN`] becomes that.
    fn from(at: Timestamp) -> Self {
        Self::from_millis(at.as_millis())
    }
}

/// What an event-time closure may return: a [`Timestamp`], or an `Option` of one where `None`
/// means that the record has no event time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event time",
    label = "expected `Timestamp` or `Option<Timestamp>`",
    note = "make one with `Timestamp::from_millis(…)`"
)]
pub trait IntoEventTime {
    /// The event time, if there is one.
    fn into_event_time(self) -> Option<EventTime>;
}

impl IntoEventTime for Timestamp {
    fn into_event_time(self) -> Option<EventTime> {
        Some(self.into())
    }
}

impl IntoEventTime for Option<Timestamp> {
    fn into_event_time(self) -> Option<EventTime> {
        self.and_then(Timestamp::into_event_time)
    }
}

/// A span of milliseconds.
pub const fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// A span of seconds.
pub const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// A span of minutes.
pub const fn minutes(count: u64) -> Duration {
    Duration::from_secs(count.saturating_mul(60))
}

/// A span of hours.
pub const fn hours(count: u64) -> Duration {
    Duration::from_secs(count.saturating_mul(3_600))
}

/// A span of days of 24 hours.
pub const fn days(count: u64) -> Duration {
    Duration::from_secs(count.saturating_mul(86_400))
}
