//! Wakes what is blocked in calls of its own when the job is stopped or cancelled.

use std::fmt;
use std::sync::{Mutex, PoisonError};

/// What to call when the job is stopped or cancelled.
#[derive(Default)]
pub struct Interrupts(Mutex<State>);

#[derive(Default)]
struct State {
    come: bool,
    waiting: Vec<Box<dyn FnOnce() + Send>>,
}

impl Interrupts {
    /// Calls this once the job is stopped or cancelled: at once if it has been.
    pub fn on_interrupt(&self, wake: impl FnOnce() + Send + 'static) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.come {
            state.waiting.push(Box::new(wake));
            return;
        }
        drop(state);
        wake();
    }

    /// The job is stopped or cancelled.
    pub fn interrupt(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.come = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        for wake in waiting {
            wake();
        }
    }

    /// True once the job has been stopped or cancelled.
    pub fn have_come(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).come
    }
}

impl fmt::Debug for Interrupts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupts").finish_non_exhaustive()
    }
}
