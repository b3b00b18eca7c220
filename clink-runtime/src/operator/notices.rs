//! Collects what a person should know though the job goes on.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Notices kept for whoever has not looked yet; the oldest go first.
const NOTICES_MAX: usize = 1_000;

/// What operators want to be told, in order.
#[derive(Debug, Default)]
pub struct Notices(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    notices: VecDeque<String>,
    /// How many there were before those that are kept.
    before: usize,
}

impl Notices {
    /// Adds a notice.
    pub fn add(&self, notice: String) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.notices.len() == NOTICES_MAX {
            kept.notices.pop_front();
            kept.before += 1;
        }
        kept.notices.push_back(notice);
    }

    /// How many there were before the last thousand, and these.
    pub fn list(&self) -> (usize, Vec<String>) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (kept.before, kept.notices.iter().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thousand_are_kept_and_the_others_counted() {
        let notices = Notices::default();
        (0..1_003).for_each(|n| notices.add(n.to_string()));
        let (before, kept) = notices.list();
        assert_eq!((before, kept.len(), kept[0].as_str()), (3, 1_000, "3"));
    }
}
