//! Runs any number of subtasks on a few threads: a ready queue, wake-ups, and a list of times.
//!
//! There are two ready queues: subtasks with input come before sources, so that what is in flight
//! is worked off before more is made, while it is still in the caches. A ready subtask is in one of
//! them, once (see `sync::wake`), so each has room for all and never blocks a waker; their `recv`
//! parks idle threads. A source that may block has a thread of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{JoinHandle, Thread};

use crossbeam_channel::{Receiver, Sender};

use crate::subtask::RuntimeError;
use crate::subtask::{Step, Subtask};
use crate::sync::wake::{Wake, WakeState};
use crate::sys::clock::Clock;

use super::threads::step_alone;
use super::timers::Timers;

/// What the threads of a pool share.
pub struct Pool {
    wakes: Vec<WakeState>,
    subtasks: OnceLock<Vec<Cell>>,
    ready: (Sender<Ready>, Receiver<Ready>),
    /// Subtasks that wait until nothing is ready.
    later: (Sender<Ready>, Receiver<Ready>),
    timers: Mutex<Timers>,
    left: AtomicUsize,
    threads: usize,
    clock: Clock,
}

enum Ready {
    Step(usize),
    Stop,
}

struct Cell {
    subtask: Mutex<Option<Subtask>>,
    is_source: bool,
    /// The thread of a subtask that may block.
    alone: Option<OnceLock<Thread>>,
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
            ready: crossbeam_channel::bounded(subtasks + threads + 1),
            later: crossbeam_channel::bounded(subtasks),
            timers: Mutex::default(),
            left: AtomicUsize::new(subtasks),
            threads,
            clock,
        })
    }

    /// Starts the threads; every subtask is stepped once to begin with.
    ///
    /// # Errors
    /// [`RuntimeError::System`] if not even one thread can be started. Fewer than wanted will do.
    pub fn start(self: &Arc<Self>, subtasks: Vec<Subtask>) -> Result<Running, RuntimeError> {
        let cell = |subtask: Subtask| Cell {
            is_source: subtask.is_source(),
            alone: subtask.is_blocking().then(OnceLock::new),
            subtask: Mutex::new(Some(subtask)),
        };
        let alone = subtasks.iter().enumerate().filter(|(_, subtask)| subtask.is_blocking());
        let alone: Vec<usize> = alone.map(|(position, _)| position).collect();
        self.subtasks
            .set(subtasks.into_iter().map(cell).collect())
            .map_err(|_| ())
            .expect("a pool is started once");
        for position in 0..self.wakes.len() {
            self.wake(position);
        }
        let mut threads = Vec::with_capacity(self.threads + alone.len());
        for position in alone {
            let pool = Arc::clone(self);
            let name = format!("clink-source-{position}");
            threads.push(spawn(name, move || pool.run_alone(position))?);
        }
        let blocking = threads.len();
        for index in 0..self.threads {
            let pool = Arc::clone(self);
            match spawn(format!("clink-pool-{index}"), move || pool.run()) {
                Ok(thread) => threads.push(thread),
                Err(error) if threads.len() == blocking => return Err(error),
                Err(_) => break,
            }
        }
        Ok(Running(threads))
    }

    /// One thread more, where one may be stuck in a call that does not return.
    pub fn reinforce(self: &Arc<Self>) {
        let pool = Arc::clone(self);
        // Without it the others do what they can.
        let _ = spawn("clink-pool-more".to_owned(), move || pool.run());
    }

    /// Lets the threads end that are not stuck in a call.
    pub fn abandon(&self) {
        for _ in 0..=self.threads {
            // A queue that is full has enough of them.
            let _ = self.ready.0.try_send(Ready::Stop);
        }
    }

    /// The life of a thread that has one subtask.
    fn run_alone(&self, position: usize) {
        let (Some(cell), Some(wake)) = (self.cell(position), self.wakes.get(position)) else {
            return;
        };
        let subtask = cell.subtask.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(subtask), Some(thread)) = (subtask, &cell.alone) {
            step_alone(subtask, wake, thread, &self.clock);
            self.leave();
        }
    }

    /// One subtask less; the last one ends the threads.
    fn leave(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.abandon();
        }
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
        let deadline = self.fire_due().and_then(|deadline_ms| self.clock.instant_of(deadline_ms));
        let (ready, later) = (&self.ready.1, &self.later.1);
        if let Ok(next) = ready.try_recv().or_else(|_| later.try_recv()) {
            return Some(next);
        }
        let timer = deadline.map_or_else(crossbeam_channel::never, crossbeam_channel::at);
        crossbeam_channel::select! {
            recv(ready) -> next => next.ok(),
            recv(later) -> next => next.ok(),
            recv(timer) -> _ => None,
        }
    }

    /// Wakes whoever waits for a time that has come; the next time somebody waits for.
    fn fire_due(&self) -> Option<i64> {
        let mut timers = self.timers.lock().unwrap_or_else(PoisonError::into_inner);
        timers.next_ms()?;
        let now_ms = self.clock.now_ms();
        while let Some(position) = timers.take_due(now_ms) {
            self.wake(position);
        }
        timers.next_ms()
    }

    fn step(&self, position: usize) {
        let (Some(cell), Some(wake)) = (self.cell(position), self.wakes.get(position)) else {
            return;
        };
        let mut subtask = cell.subtask.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(running) = subtask.as_mut() else { return };
        wake.begin();
        let step = running.step();
        let again = match step {
            Step::More | Step::Later => {
                wake.end_ready();
                true
            }
            Step::Waiting | Step::Blocked => wake.end_waiting(),
            Step::WaitingUntil(deadline_ms) => {
                let mut timers = self.timers.lock().unwrap_or_else(PoisonError::into_inner);
                timers.set(position, deadline_ms);
                drop(timers);
                wake.end_waiting()
            }
            Step::Finished => {
                subtask.take().into_iter().for_each(Subtask::discard);
                self.leave();
                false
            }
        };
        drop(subtask);
        if again {
            self.enqueue(position, step == Step::Later);
        }
    }

    fn cell(&self, position: usize) -> Option<&Cell> {
        self.subtasks.get()?.get(position)
    }

    fn enqueue(&self, position: usize, later: bool) {
        let later = later || self.cell(position).is_some_and(|cell| cell.is_source);
        put(if later { &self.later.0 } else { &self.ready.0 }, Ready::Step(position));
    }
}

fn spawn(
    name: String,
    run: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, RuntimeError> {
    let thread = std::thread::Builder::new().name(name).spawn(run);
    thread.map_err(|source| RuntimeError::System { action: "start a pool thread", source })
}

fn put(queue: &Sender<Ready>, ready: Ready) {
    queue.try_send(ready).expect("a queue has room for every subtask and thread once");
}

impl Wake for Pool {
    fn wake(&self, position: usize) {
        if !self.wakes.get(position).is_some_and(WakeState::notify) {
            return;
        }
        match self.cell(position).and_then(|cell| cell.alone.as_ref()) {
            Some(thread) => thread.get().into_iter().for_each(Thread::unpark),
            None => self.enqueue(position, false),
        }
    }
}
