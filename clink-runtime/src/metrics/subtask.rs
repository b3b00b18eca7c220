//! Measures what one subtask does with its time.
//!
//! Whoever writes says when a phase begins; the time is an argument, so that it is virtual under
//! simulation. A subtask is in one phase at a time, so its times add up to its age.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What a subtask is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Makes a step.
    Busy,
    /// Waits for input or for a time.
    Idle,
    /// Waits for room in a channel out of it.
    Blocked,
    /// Has more to do and waits for its turn.
    Ready,
    /// Is over.
    Ended,
}

/// How long a subtask has been in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// In steps.
    pub busy: Duration,
    /// Waiting for input or for a time.
    pub idle: Duration,
    /// Waiting for room in a channel out of it.
    pub blocked: Duration,
    /// Waiting for its turn.
    pub ready: Duration,
}

impl Times {
    fn add(&mut self, phase: Phase, span: Duration) {
        match phase {
            Phase::Busy => self.busy += span,
            Phase::Idle => self.idle += span,
            Phase::Blocked => self.blocked += span,
            Phase::Ready => self.ready += span,
            Phase::Ended => {}
        }
    }
}

/// The times of one subtask; written by it at each end of a step, read by anyone.
///
/// Behind a lock that is free but when somebody reads: times that were read while they change would
/// seem to go back. Twice a step that is nothing.
#[derive(Debug)]
pub struct SubtaskMetrics(Mutex<Account>);

#[derive(Debug)]
struct Account {
    past: Times,
    phase: Phase,
    since: Duration,
}

impl SubtaskMetrics {
    /// Of a subtask that waits for its first turn from `now` on.
    pub fn new(now: Duration) -> Self {
        Self(Mutex::new(Account { past: Times::default(), phase: Phase::Ready, since: now }))
    }

    /// A phase begins at `now`.
    pub fn enter(&self, phase: Phase, now: Duration) {
        let mut account = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let span = now.saturating_sub(account.since);
        let before = account.phase;
        account.past.add(before, span);
        (account.phase, account.since) = (phase, now.max(account.since));
    }

    /// The times until `now`, the phase at hand included.
    pub fn times(&self, now: Duration) -> Times {
        let account = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut times = account.past;
        times.add(account.phase, now.saturating_sub(account.since));
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn times_add_up_to_the_age_and_stand_still_at_the_end() {
        let metrics = SubtaskMetrics::new(ms(10));
        metrics.enter(Phase::Busy, ms(13));
        metrics.enter(Phase::Blocked, ms(20));
        assert_eq!(metrics.times(ms(25)).blocked, ms(5), "the phase at hand counts");
        assert_eq!(metrics.times(ms(15)).blocked, ms(0), "a look from before it began");
        metrics.enter(Phase::Busy, ms(30));
        metrics.enter(Phase::Idle, ms(31));
        metrics.enter(Phase::Ended, ms(40));
        let times = metrics.times(ms(1_000));
        let expected = Times { busy: ms(8), idle: ms(9), blocked: ms(10), ready: ms(3) };
        assert_eq!(times, expected);
        assert_eq!(times.busy + times.idle + times.blocked + times.ready, ms(40 - 10));
    }
}
