//! Knows which operator instance is at work on a thread, so that a log line can say where it is
//! from.
//!
//! A log that asks for the [`current`] place says so first ([`asked_by_log`]). For any other
//! subscriber there is a span instead, which costs more: the registry of `tracing-subscriber`
//! counts references whenever one is entered, one to two per cent of the time of small operators
//! (W2 of the benchmarks).

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tracing::Span;
use tracing::span::Entered;

/// An operator instance, as log lines name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The job's name.
    pub job: String,
    /// Id of the operator in the graph.
    pub operator: String,
    /// Index of the instance.
    pub subtask_index: u32,
}

/// All instances that there are, by number.
static PLACES: Mutex<BTreeMap<u64, Place>> = Mutex::new(BTreeMap::new());

/// The last number that was given out; 0 is nobody's.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Somebody asks where log lines are from.
static ASKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Who is at work on this thread; a number, so that coming and going costs nothing.
    static AT_WORK: Cell<u64> = const { Cell::new(0) };
}

/// Whoever writes the log will ask for the [`current`] place: jobs that are built from now on have
/// no spans.
pub fn asked_by_log() {
    ASKED.store(true, Ordering::Relaxed);
}

/// The operator instance that is at work on this thread.
pub fn current() -> Option<Place> {
    let number = AT_WORK.get();
    let places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    places.get(&number).cloned()
}

/// The place of one operator instance, for as long as there is the instance.
#[derive(Debug)]
pub struct WorkPlace {
    number: u64,
    span: Span,
}

impl WorkPlace {
    /// Of that instance.
    pub fn new(job: &str, operator: &str, subtask_index: u32) -> Self {
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        let place = Place { job: job.to_owned(), operator: operator.to_owned(), subtask_index };
        PLACES.lock().unwrap_or_else(PoisonError::into_inner).insert(number, place);
        let span = if ASKED.load(Ordering::Relaxed) {
            Span::none()
        } else {
            // Of the highest level, so that lines of every level are in it.
            tracing::error_span!(target: "clink", "operator", operator, subtask = subtask_index)
        };
        Self { number, span }
    }

    /// The instance is at work on this thread until the guard is dropped.
    #[inline]
    pub fn enter(&self) -> AtWork<'_> {
        AtWork { before: AT_WORK.replace(self.number), _span: self.span.enter() }
    }
}

impl Drop for WorkPlace {
    fn drop(&mut self) {
        PLACES.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

/// An operator instance is at work.
#[derive(Debug)]
pub struct AtWork<'p> {
    before: u64,
    _span: Entered<'p>,
}

impl Drop for AtWork<'_> {
    #[inline]
    fn drop(&mut self) {
        AT_WORK.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_at_work_is_known_on_its_thread_until_it_stops() {
        let (outer, inner) = (WorkPlace::new("job", "op_1", 2), WorkPlace::new("job", "op_2", 0));
        let at = || current().map(|place| (place.operator, place.subtask_index));
        assert_eq!(at(), None);
        let _outer = outer.enter();
        assert_eq!(at(), Some(("op_1".to_owned(), 2)));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _inner = inner.enter();
            assert_eq!(at(), Some(("op_2".to_owned(), 0)));
            let elsewhere = std::thread::spawn(|| current().is_none()).join().unwrap();
            assert!(elsewhere);
            std::panic::panic_any(1);
        }));
        assert!(panicked.is_err());
        assert_eq!(at(), Some(("op_1".to_owned(), 2)), "a panic leaves like any other end");
    }
}
