//! Wakes a subtask exactly once per need, whatever races with its own decision to wait.
//!
//! One atomic byte per subtask:
//!
//! ```text
//! IDLE ──wake──▶ NOTIFIED (enqueued once) ──begin──▶ RUNNING ──end, nothing came──▶ IDLE
//!                     ▲                                │ wake: RUNNING|NOTIFIED
//!                     └────────── end: enqueued ───────┘
//! ```
//!
//! The ready queue holds a subtask at most once, so a queue with room for all never blocks.

use std::sync::Arc;

use super::atomic::{AtomicU8, Ordering};

const IDLE: u8 = 0;
const NOTIFIED: u8 = 1;
const RUNNING: u8 = 2;

/// The wake-up state of one subtask.
#[derive(Debug)]
pub struct WakeState(AtomicU8);

impl Default for WakeState {
    fn default() -> Self {
        Self(AtomicU8::new(IDLE))
    }
}

impl WakeState {
    /// Notes that something happened; true if the caller must put the subtask on the ready queue.
    pub fn notify(&self) -> bool {
        // The read-modify-write is unconditional: a plain load first could miss the RUNNING → IDLE
        // change of `end` and lose the wake-up.
        self.0.fetch_or(NOTIFIED, Ordering::AcqRel) == IDLE
    }

    /// True if something came since the last turn began.
    pub fn is_notified(&self) -> bool {
        self.0.load(Ordering::Acquire) & NOTIFIED != 0
    }

    /// Starts a turn, taking all notifications so far.
    pub fn begin(&self) {
        self.0.swap(RUNNING, Ordering::AcqRel);
    }

    /// Ends a turn that wants to wait; true if something came meanwhile and the subtask must go
    /// back on the ready queue.
    pub fn end_waiting(&self) -> bool {
        match self.0.compare_exchange(RUNNING, IDLE, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => false,
            Err(_) => {
                self.end_ready();
                true
            }
        }
    }

    /// Ends a turn that has more to do: the subtask goes back on the ready queue.
    pub fn end_ready(&self) {
        // A swap and not a store: it must see the records of whoever notified last.
        self.0.swap(NOTIFIED, Ordering::AcqRel);
    }
}

/// Puts subtasks on a ready queue; each scheduler has its own.
pub trait Wake: Send + Sync {
    /// Notes that something happened for the subtask with this position in the scheduler.
    fn wake(&self, position: usize);
}

/// Wakes one subtask.
#[derive(Clone)]
pub struct Waker {
    scheduler: Arc<dyn Wake>,
    position: usize,
}

impl Waker {
    /// A waker for the subtask at `position` of a scheduler.
    pub fn new(scheduler: Arc<dyn Wake>, position: usize) -> Self {
        Self { scheduler, position }
    }

    /// A waker where nobody waits: an operator outside a job, in a test.
    pub fn nobody() -> Self {
        struct Nobody;

        impl Wake for Nobody {
            fn wake(&self, _position: usize) {}
        }

        Self::new(Arc::new(Nobody), 0)
    }

    /// Wakes it.
    pub fn wake(&self) {
        self.scheduler.wake(self.position);
    }
}

impl std::fmt::Debug for Waker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Waker({})", self.position)
    }
}
