//! Says how far one moment lies before or after another (pure).

use std::fmt;
use std::ops::Neg;
use std::time::Duration;

/// How far one moment lies from another, in milliseconds: before it, after it, or neither.
///
/// A span alone is an offset after; [`before`] turns it round. The longest offset is `i64::MAX`
/// milliseconds, and longer spans become that.
///
/// ```
/// use clink_runtime::time::{Offset, after, before, minutes};
///
/// assert_eq!(before(minutes(1)).as_millis(), -60_000);
/// assert_eq!(after(minutes(1)), Offset::from(minutes(1)));
/// assert!(before(minutes(1)) < Offset::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset(i64);

impl Offset {
    /// The same moment.
    pub const ZERO: Self = Self(0);

    /// Milliseconds after the other moment; negative if before it.
    pub const fn as_millis(self) -> i64 {
        self.0
    }
}

/// That span before the other moment.
pub const fn before(span: Duration) -> Offset {
    Offset(-after(span).0)
}

/// That span after the other moment.
pub const fn after(span: Duration) -> Offset {
    let millis = span.as_millis();
    Offset(if millis < i64::MAX as u128 { millis as i64 } else { i64::MAX })
}

impl From<Duration> for Offset {
    fn from(span: Duration) -> Self {
        after(span)
    }
}

impl Neg for Offset {
    type Output = Self;

    /// As far on the other side.
    fn neg(self) -> Self {
        // The least of all numbers, which has no opposite, is no offset.
        Self(-self.0)
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("at the same time"),
            millis if millis < 0 => write!(f, "{} ms before", millis.unsigned_abs()),
            millis => write!(f, "{millis} ms after"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_spans_are_the_longest_offsets_w07() {
        assert_eq!(after(Duration::MAX).as_millis(), i64::MAX);
        assert_eq!(before(Duration::MAX).as_millis(), -i64::MAX);
        assert_eq!(before(Duration::ZERO), Offset::ZERO);
        assert_eq!(before(Duration::from_micros(1_999)).as_millis(), -1);
    }

    #[test]
    fn an_offset_reads_as_it_is_said() {
        assert_eq!(before(Duration::from_secs(1)).to_string(), "1000 ms before");
        assert_eq!(after(Duration::from_millis(7)).to_string(), "7 ms after");
        assert_eq!(Offset::ZERO.to_string(), "at the same time");
    }
}
