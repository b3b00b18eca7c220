//! Tries many seeds on all cores and finds one that fails.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::subtask::contain::contain;

use super::story;

/// A seed whose check panicked.
#[derive(Clone, Debug)]
pub struct FailedSeed {
    /// The seed.
    pub seed: u64,
    /// What the check panicked with, and where.
    pub message: String,
    /// What its worlds had run.
    pub stories: Vec<String>,
}

impl fmt::Display for FailedSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {} fails: {}", self.seed, self.message)?;
        self.stories.iter().try_for_each(|story| write!(f, "\n{story}"))
    }
}

/// Checks every seed, several at a time, until one fails; of those that have failed by then the
/// lowest.
pub fn first_failure(seeds: Range<u64>, check: impl Fn(u64) + Sync) -> Option<FailedSeed> {
    let (next, failing) = (AtomicU64::new(seeds.start), AtomicBool::new(false));
    let failed: Mutex<Vec<FailedSeed>> = Mutex::default();
    let work = || {
        while !failing.load(Ordering::Acquire) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            if let Some(failure) = check_one(seed, &check) {
                failing.store(true, Ordering::Release);
                failed.lock().unwrap_or_else(PoisonError::into_inner).push(failure);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads =
        usize::try_from(seeds.end.saturating_sub(seeds.start)).unwrap_or(cores).min(cores);
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.into_iter().min_by_key(|failure| failure.seed)
}

/// Checks one seed on this thread.
pub fn check_one(seed: u64, check: impl Fn(u64)) -> Option<FailedSeed> {
    story::take();
    let caught = contain(|| check(seed)).err()?;
    let place = caught.location.map(|place| format!(" (at {place})")).unwrap_or_default();
    let message = format!("{}{place}", caught.message);
    Some(FailedSeed { seed, message, stories: story::take() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_that_fails_is_named_with_what_it_said_and_the_others_are_not_tried_for_ever() {
        let tried = AtomicU64::new(0);
        let failure = first_failure(10..u64::MAX, |seed| {
            tried.fetch_add(1, Ordering::Relaxed);
            assert!(seed < 40, "{seed} is too large");
        });
        let failure = failure.unwrap();
        assert_eq!(failure.seed, 40);
        let text = failure.to_string();
        assert!(text.starts_with("seed 40 fails: 40 is too large (at "), "{text}");
        assert!(tried.into_inner() < 1_000);
        let (sum, tried) = (AtomicU64::new(0), 0..100);
        let failure =
            first_failure(tried.clone(), |seed| _ = sum.fetch_add(seed, Ordering::Relaxed));
        assert!(failure.is_none());
        assert_eq!(sum.into_inner(), tried.sum::<u64>());
    }
}
