//! Runs each subtask on a thread of its own, as the reference does.

use std::sync::{Arc, OnceLock};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use crate::subtask::RuntimeError;
use crate::subtask::{Step, Subtask};
use crate::sync::wake::{Wake, WakeState};
use crate::sys::clock::Clock;

/// The wake-up states of all subtasks and the threads they run on.
pub struct Threads {
    wakes: Vec<WakeState>,
    threads: Vec<OnceLock<Thread>>,
    clock: Clock,
}

/// The threads at work; each ends with its subtask.
pub struct Running(Vec<JoinHandle<()>>);

impl Running {
    /// Waits for the threads.
    pub fn join(self) {
        for thread in self.0 {
            // Author code runs contained; nothing else in such a thread panics.
            thread.join().expect("a subtask thread does not panic");
        }
    }
}

impl Threads {
    /// For that many subtasks.
    pub fn new(subtasks: usize, clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            wakes: (0..subtasks).map(|_| WakeState::default()).collect(),
            threads: (0..subtasks).map(|_| OnceLock::new()).collect(),
            clock,
        })
    }

    /// Starts one thread per subtask.
    ///
    /// # Errors
    /// [`RuntimeError::System`] if a thread cannot be started, after the others have ended:
    /// `cancel` tells them to.
    pub fn start(
        self: &Arc<Self>,
        subtasks: Vec<Subtask>,
        cancel: impl FnOnce(),
    ) -> Result<Running, RuntimeError> {
        let mut threads = Vec::with_capacity(subtasks.len());
        for (position, subtask) in subtasks.into_iter().enumerate() {
            let shared = Arc::clone(self);
            let thread = std::thread::Builder::new()
                .name(format!("clink-subtask-{position}"))
                .spawn(move || shared.run(position, subtask));
            match thread {
                Ok(thread) => threads.push(thread),
                Err(source) => {
                    cancel();
                    (0..self.wakes.len()).for_each(|position| self.wake(position));
                    Running(threads).join();
                    let action = "start a thread per subtask";
                    return Err(RuntimeError::System { action, source });
                }
            }
        }
        Ok(Running(threads))
    }

    fn run(&self, position: usize, subtask: Subtask) {
        if let (Some(wake), Some(thread)) = (self.wakes.get(position), self.threads.get(position)) {
            step_alone(subtask, wake, thread, &self.clock);
        }
    }
}

/// Steps one subtask to its end on this thread, which wakers find in `thread`.
pub(super) fn step_alone(
    mut subtask: Subtask,
    wake: &WakeState,
    thread: &OnceLock<Thread>,
    clock: &Clock,
) {
    // Known to wakers before the first step: what they do earlier the first step sees anyway.
    let _ = thread.set(std::thread::current());
    loop {
        wake.begin();
        match subtask.step() {
            Step::More | Step::Later => {}
            Step::Waiting | Step::Blocked => {
                if !wake.end_waiting() {
                    wait(wake, None);
                }
            }
            Step::WaitingUntil(deadline_ms) => {
                if !wake.end_waiting() {
                    let wait_ms = deadline_ms.saturating_sub(clock.now_ms()).max(0);
                    wait(wake, Some(Duration::from_millis(wait_ms.unsigned_abs())));
                }
            }
            Step::Finished => return subtask.discard(),
        }
    }
}

/// Parks until notified, or for that long.
fn wait(wake: &WakeState, span: Option<Duration>) {
    match span {
        None => {
            while !wake.is_notified() {
                std::thread::park();
            }
        }
        // An early return only means one step too many.
        Some(span) if !wake.is_notified() => std::thread::park_timeout(span),
        Some(_) => {}
    }
}

impl Wake for Threads {
    fn wake(&self, position: usize) {
        if self.wakes.get(position).is_some_and(WakeState::notify)
            && let Some(thread) = self.threads.get(position).and_then(OnceLock::get)
        {
            thread.unpark();
        }
    }
}
