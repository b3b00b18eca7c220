//! Remembers until when subtasks wait, one time each.

use std::collections::{BTreeMap, BTreeSet};

/// The times that subtasks wait for, in milliseconds; a later call for a subtask replaces its
/// earlier one, so that memory is bounded by the number of subtasks.
#[derive(Debug, Default)]
pub(super) struct Timers {
    queue: BTreeSet<(i64, usize)>,
    deadlines: BTreeMap<usize, i64>,
}

impl Timers {
    /// Subtask `position` waits until then.
    pub(super) fn set(&mut self, position: usize, deadline_ms: i64) {
        if let Some(before_ms) = self.deadlines.insert(position, deadline_ms) {
            self.queue.remove(&(before_ms, position));
        }
        self.queue.insert((deadline_ms, position));
    }

    /// Takes out a subtask whose time has come.
    pub(super) fn take_due(&mut self, now_ms: i64) -> Option<usize> {
        let (deadline_ms, position) = self.queue.first().copied()?;
        if deadline_ms > now_ms {
            return None;
        }
        self.queue.pop_first();
        self.deadlines.remove(&position);
        Some(position)
    }

    /// The next time that somebody waits for.
    pub(super) fn next_ms(&self) -> Option<i64> {
        self.queue.first().map(|(deadline_ms, _)| *deadline_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::Timers;

    #[test]
    fn a_subtask_waits_for_its_last_word_and_fires_once() {
        let mut timers = Timers::default();
        timers.set(1, 50);
        timers.set(2, 20);
        timers.set(1, 10);
        assert_eq!(timers.next_ms(), Some(10));
        assert_eq!(timers.take_due(9), None);
        assert_eq!(timers.take_due(20), Some(1));
        assert_eq!(timers.take_due(20), Some(2));
        assert_eq!(timers.take_due(i64::MAX), None, "the time that was replaced is gone");
    }
}
