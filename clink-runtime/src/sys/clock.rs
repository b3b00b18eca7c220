//! Tells the time: the machine's, or a virtual one that a simulation moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A clock that every part of one run shares.
#[derive(Clone, Debug)]
pub struct Clock(Kind);

#[derive(Clone, Debug)]
enum Kind {
    System { origin: Instant, epoch_ms: i64 },
    Virtual(Arc<AtomicI64>),
}

impl Clock {
    /// The machine's clock. Processing time never goes back: it is the wall clock at the start
    /// plus the monotonic time since.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine")]
    pub fn system() -> Self {
        let epoch_ms = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        Self(Kind::System { origin: Instant::now(), epoch_ms })
    }

    /// A clock that stands at `epoch_ms` until it is moved.
    pub fn simulated(epoch_ms: i64) -> Self {
        Self(Kind::Virtual(Arc::new(AtomicI64::new(epoch_ms))))
    }

    /// Processing time in milliseconds since the epoch; never goes back.
    pub fn now_ms(&self) -> i64 {
        match &self.0 {
            Kind::System { origin, epoch_ms } => epoch_ms.saturating_add(elapsed_ms(*origin)),
            Kind::Virtual(now) => now.load(Ordering::Acquire),
        }
    }

    /// Time since the clock was made, or since the epoch on a simulated one; never goes back.
    pub fn elapsed(&self) -> Duration {
        match &self.0 {
            Kind::System { origin, .. } => elapsed(*origin),
            Kind::Virtual(now) => {
                Duration::from_millis(u64::try_from(now.load(Ordering::Acquire)).unwrap_or(0))
            }
        }
    }

    /// Moves a simulated clock forward; the machine's clock ignores it.
    pub fn advance(&self, by: Duration) {
        if let Kind::Virtual(now) = &self.0 {
            let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
            let _ = now.fetch_update(Ordering::AcqRel, Ordering::Acquire, |at| {
                Some(at.saturating_add(by))
            });
        }
    }

    /// The instant at which [`now_ms`](Self::now_ms) reaches `deadline_ms`, for a thread that
    /// parks; `None` on a simulated clock, which no thread can wait for.
    pub fn instant_of(&self, deadline_ms: i64) -> Option<Instant> {
        match &self.0 {
            Kind::System { origin, epoch_ms } => {
                let after = u64::try_from(deadline_ms.saturating_sub(*epoch_ms)).unwrap_or(0);
                origin.checked_add(Duration::from_millis(after))
            }
            Kind::Virtual(_) => None,
        }
    }
}

fn elapsed_ms(origin: Instant) -> i64 {
    i64::try_from(elapsed(origin).as_millis()).unwrap_or(i64::MAX)
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine")]
fn elapsed(origin: Instant) -> Duration {
    Instant::now().saturating_duration_since(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_clock_moves_only_when_told_and_saturates() {
        let clock = Clock::simulated(5);
        assert_eq!(clock.now_ms(), 5);
        clock.advance(Duration::from_millis(7));
        assert_eq!(clock.now_ms(), 12);
        assert_eq!(clock.elapsed(), Duration::from_millis(12));
        clock.advance(Duration::MAX);
        assert_eq!(clock.now_ms(), i64::MAX);
    }
}
