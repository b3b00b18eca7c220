//! Runs any number of subtasks on a few threads: a ready queue, wake-ups, and a list of times.
//!
//! The ready queue holds a subtask at most once (see `sync::wake`), so it has room for all and
//! never blocks a waker; its `recv` parks idle threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use crate::error::RuntimeError;
use crate::subtask::{Step, Subtask};
use crate::sync::wake::{Wake, WakeState};
use crate::sys::clock::Clock;

/// What the threads of a pool share.
pub struct Pool {
    wakes: Vec<WakeState>,
    subtasks: OnceLock<Vec<Mutex<Option<Subtask>>>>,
    ready: (Sender<Ready>, Receiver<Ready>),
    timers: Mutex<BinaryHeap<Reverse<(i64, usize)>>>,
    left: AtomicUsize,
    threads: usize,
    clock: Clock,
}

enum Ready {
    Step(usize),
    Stop,
}

/// The threads of a pool at work; ends when every subtask has finished.
pub struct Running(Vec<JoinHandle<()>>);

impl Running {
    /// Waits for the threads.
    pub fn join(self) {
        for thread in self.0 {
            // A pool thread runs author code contained; nothing else in it panics.
            thread.join().expect("a scheduler thread does not panic");
        }
    }
}

impl Pool {
    /// A pool for that many subtasks.
    pub fn new(subtasks: usize, threads: Option<usize>, clock: Clock) -> Arc<Self> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores).clamp(1, subtasks.max(1));
        Arc::new(Self {
            wakes: (0..subtasks).map(|_| WakeState::default()).collect(),
            subtasks: OnceLock::new(),
            ready: crossbeam_channel::bounded(subtasks + threads),
            timers: Mutex::default(),
            left: AtomicUsize::new(subtasks),
            threads,
            clock,
        })
    }

    /// Starts the threads; every subtask is stepped once to begin with.
    ///
    /// # Errors
    /// [`RuntimeError::System`] if a thread cannot be started.
    pub fn start(self: &Arc<Self>, subtasks: Vec<Subtask>) -> Result<Running, RuntimeError> {
        let subtasks = subtasks.into_iter().map(|subtask| Mutex::new(Some(subtask))).collect();
        self.subtasks.set(subtasks).map_err(|_| ()).expect("a pool is started once");
        for position in 0..self.wakes.len() {
            self.wake(position);
        }
        let mut threads = Vec::with_capacity(self.threads);
        for index in 0..self.threads {
            let pool = Arc::clone(self);
            let thread = std::thread::Builder::new()
                .name(format!("clink-pool-{index}"))
                .spawn(move || pool.run())
                .map_err(|source| RuntimeError::System { action: "start a pool thread", source })?;
            threads.push(thread);
        }
        Ok(Running(threads))
    }

    fn run(&self) {
        while self.left.load(Ordering::Acquire) > 0 {
            match self.next() {
                Some(Ready::Step(position)) => self.step(position),
                Some(Ready::Stop) => return,
                None => {}
            }
        }
    }

    /// The next ready subtask; `None` if a time came first.
    fn next(&self) -> Option<Ready> {
        let Some(deadline_ms) = self.fire_due() else { return self.ready.1.recv().ok() };
        match self.clock.instant_of(deadline_ms) {
            Some(deadline) => match self.ready.1.recv_deadline(deadline) {
                Ok(ready) => Some(ready),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
            },
            None => self.ready.1.recv().ok(),
        }
    }

    /// Wakes whoever waits for a time that has come; the next time somebody waits for.
    fn fire_due(&self) -> Option<i64> {
        let mut timers = self.timers.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(Reverse((deadline_ms, position))) = timers.peek().copied() {
            if deadline_ms > self.clock.now_ms() {
                return Some(deadline_ms);
            }
            timers.pop();
            self.wake(position);
        }
        None
    }

    fn step(&self, position: usize) {
        let cell = self.subtasks.get().and_then(|subtasks| subtasks.get(position));
        let (Some(cell), Some(wake)) = (cell, self.wakes.get(position)) else { return };
        let mut subtask = cell.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(running) = subtask.as_mut() else { return };
        wake.begin();
        let again = match running.step() {
            Step::More => {
                wake.end_ready();
                true
            }
            Step::Waiting => wake.end_waiting(),
            Step::WaitingUntil(deadline_ms) => {
                let mut timers = self.timers.lock().unwrap_or_else(PoisonError::into_inner);
                timers.push(Reverse((deadline_ms, position)));
                drop(timers);
                wake.end_waiting()
            }
            Step::Finished => {
                *subtask = None;
                if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                    (0..self.threads).for_each(|_| self.enqueue(Ready::Stop));
                }
                false
            }
        };
        drop(subtask);
        if again {
            self.enqueue(Ready::Step(position));
        }
    }

    fn enqueue(&self, ready: Ready) {
        self.ready.0.try_send(ready).expect("the queue has room for every subtask and thread once");
    }
}

impl Wake for Pool {
    fn wake(&self, position: usize) {
        if self.wakes.get(position).is_some_and(WakeState::notify) {
            self.enqueue(Ready::Step(position));
        }
    }
}
