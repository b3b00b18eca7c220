//! Runs a job on one thread in an order chosen by a seed, on a virtual clock.
//!
//! Same seed, same run: the only other input is the job itself. Time moves by a few milliseconds
//! between steps, at random, and to the next time somebody waits for when nothing is ready. Where
//! there is no such time and a future waits for another thread, the run waits for that one as well.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use crate::subtask::RuntimeError;
use crate::subtask::{Step, Subtask};
use crate::sync::wake::{Wake, WakeState};
use crate::sys::clock::Clock;

use super::timers::Timers;

/// One step in how many moves the clock.
const CLOCK_EVERY: u64 = 8;

/// Most milliseconds by which the clock moves at once.
const CLOCK_STEP_MS: u64 = 20;

/// The ready subtasks of a simulation; what wakers see of it.
pub struct ReadySet {
    wakes: Vec<WakeState>,
    ready: Mutex<Vec<usize>>,
    /// Holds something once a subtask has become ready, for a thread that waits for that.
    bell: (Sender<()>, Receiver<()>),
}

impl ReadySet {
    /// For that many subtasks.
    pub fn new(subtasks: usize) -> Arc<Self> {
        let wakes = (0..subtasks).map(|_| WakeState::default()).collect();
        Arc::new(Self { wakes, ready: Mutex::default(), bell: crossbeam_channel::bounded(1) })
    }

    fn push(&self, position: usize) {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).push(position);
        // One that rings already is enough.
        let _ = self.bell.0.try_send(());
    }

    fn take(&self, random: &mut fastrand::Rng) -> Option<usize> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if ready.is_empty() {
            return None;
        }
        let chosen = random.usize(..ready.len());
        Some(ready.swap_remove(chosen))
    }
}

impl Wake for ReadySet {
    fn wake(&self, position: usize) {
        if self.wakes.get(position).is_some_and(WakeState::notify) {
            self.push(position);
        }
    }
}

/// One run of a job under a seed.
pub struct Simulation {
    shared: Arc<ReadySet>,
    subtasks: Vec<Option<Subtask>>,
    timers: Timers,
    random: fastrand::Rng,
    clock: Clock,
}

/// What a turn of the simulation came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A subtask made a step.
    Stepped,
    /// No subtask can step until this time, or at all.
    Nothing(Option<i64>),
}

impl Simulation {
    /// Every subtask is ready to begin with.
    pub fn new(shared: Arc<ReadySet>, subtasks: Vec<Subtask>, seed: u64, clock: Clock) -> Self {
        for position in 0..subtasks.len() {
            shared.wake(position);
        }
        Self {
            shared,
            subtasks: subtasks.into_iter().map(Some).collect(),
            timers: Timers::default(),
            random: fastrand::Rng::with_seed(seed),
            clock,
        }
    }

    /// Steps one ready subtask.
    pub fn turn(&mut self) -> Turn {
        if self.random.u64(..CLOCK_EVERY) == 0 {
            self.clock.advance(Duration::from_millis(self.random.u64(..=CLOCK_STEP_MS)));
        }
        let next_ms = self.fire_due();
        let Some(position) = self.shared.take(&mut self.random) else {
            return Turn::Nothing(next_ms);
        };
        self.step(position);
        Turn::Stepped
    }

    fn step(&mut self, position: usize) {
        let Some(slot) = self.subtasks.get_mut(position) else { return };
        let (Some(subtask), Some(wake)) = (slot.as_mut(), self.shared.wakes.get(position)) else {
            return;
        };
        wake.begin();
        let again = match subtask.step() {
            Step::More | Step::Later => {
                wake.end_ready();
                true
            }
            Step::Waiting | Step::Blocked => wake.end_waiting(),
            Step::WaitingUntil(deadline_ms) => {
                self.timers.set(position, deadline_ms);
                wake.end_waiting()
            }
            Step::Finished => {
                slot.take().into_iter().for_each(Subtask::discard);
                false
            }
        };
        if again {
            self.shared.push(position);
        }
    }

    /// What rings when a thread outside the job has woken a subtask, or earlier; `None` if no
    /// subtask waits for one.
    pub fn outside(&self) -> Option<&Receiver<()>> {
        let awaits = self.subtasks.iter().flatten().any(Subtask::awaits_outside);
        awaits.then_some(&self.shared.bell.1)
    }

    /// The error of a job in which nobody can go on.
    pub fn stalled(&self) -> RuntimeError {
        let waiting = self.subtasks.iter().flatten().map(|subtask| subtask.id().0.to_string());
        let detail: Vec<String> = waiting.collect();
        RuntimeError::Stalled { subtasks: detail.len(), detail: detail.join(", ") }
    }

    fn fire_due(&mut self) -> Option<i64> {
        while let Some(position) = self.timers.take_due(self.clock.now_ms()) {
            self.shared.wake(position);
        }
        self.timers.next_ms()
    }
}
