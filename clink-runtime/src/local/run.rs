//! Attends a job at work: carries facts to its coordinator and tasks to its writer.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use crate::config::{CANCEL_GRACE_MS, CANCEL_REINFORCE_MS};
use crate::scheduler::simulation::{ReadySet, Simulation, Turn};
use crate::subtask::{RuntimeError, Subtask, SubtaskEvent};
use crate::sys::clock::Clock;

use super::coordinator::JobCoordinator;
use super::recorder::{Fact, Recorder, Task};
use super::{JobReport, Observer, Signal};

/// A job at work, seen from the thread that called.
pub(super) struct Run<'a> {
    pub(super) clock: Clock,
    pub(super) coordinator: JobCoordinator,
    pub(super) arrivals: Receiver<SubtaskEvent>,
    pub(super) signals: &'a Receiver<Signal>,
    pub(super) observer: &'a mut dyn Observer,
}

/// Threads that step subtasks.
pub(super) struct AtWork<'t> {
    /// Waits until all have ended.
    pub(super) join: Box<dyn FnOnce() + 't>,
    /// Starts one more, where one may be stuck.
    pub(super) reinforce: Box<dyn FnOnce() + 't>,
    /// Has those end that are not stuck; nobody waits for them.
    pub(super) abandon: Box<dyn FnOnce() + 't>,
}

impl Run<'_> {
    /// Runs on threads of their own: the writer's first, then those that `start` starts, which
    /// returns how to wait for them.
    pub(super) fn threaded<'t>(
        mut self,
        recorder: Option<Recorder>,
        start: impl FnOnce() -> Result<AtWork<'t>, RuntimeError>,
    ) -> Result<JobReport, RuntimeError> {
        let writer = Writer::start(recorder)?;
        let AtWork { join, reinforce, abandon } = start()?;
        let all_closed = self.attend(&writer, reinforce);
        writer.finish();
        if all_closed {
            join()
        } else {
            abandon()
        }
        self.report()
    }

    /// Carries facts in and tasks out until the job is over; false if subtasks are left behind that
    /// did not return.
    fn attend(&mut self, writer: &Writer, reinforce: Box<dyn FnOnce() + '_>) -> bool {
        let mut reinforce = Some(reinforce);
        let mut signals = self.signals.clone();
        let mut facts = writer.facts.clone();
        let mut next_look_ms = self.next_look_ms();
        while !self.coordinator.is_over() {
            writer.put(self.coordinator.tick(self.clock.now_ms()));
            crossbeam_channel::select! {
                recv(self.arrivals) -> event => match event {
                    Ok(event) => writer.put(self.coordinator.event(event)),
                    Err(_) => return true,
                },
                recv(facts) -> fact => match fact {
                    Ok(fact) => writer.put(self.coordinator.fact(fact)),
                    Err(_) => {
                        self.coordinator.writer_is_gone();
                        facts = crossbeam_channel::never();
                    }
                },
                recv(signals) -> signal => match signal {
                    Ok(signal) => self.coordinator.signal(signal),
                    Err(_) => signals = crossbeam_channel::never(),
                },
                default(self.patience(next_look_ms)) => {},
            }
            // Not only when nothing else happens: checkpoints may come faster than looks.
            let now_ms = self.clock.now_ms();
            if next_look_ms.is_some_and(|due_ms| now_ms >= due_ms) {
                self.observer.look(&self.coordinator.view());
                next_look_ms = self.next_look_ms();
            }
            let stuck_ms = self.coordinator.unnoticed_for_ms(now_ms);
            if stuck_ms.is_some_and(|ms| ms >= CANCEL_REINFORCE_MS)
                && let Some(reinforce) = reinforce.take()
            {
                reinforce();
            }
            if stuck_ms.is_some_and(|ms| ms >= CANCEL_GRACE_MS) {
                self.coordinator.abandon();
                return false;
            }
        }
        true
    }

    /// When the observer wants to look next, in milliseconds.
    fn next_look_ms(&self) -> Option<i64> {
        let every_ms = i64::try_from(self.observer.every()?.as_millis()).unwrap_or(i64::MAX);
        Some(self.clock.now_ms().saturating_add(every_ms))
    }

    /// How long to wait for something to happen.
    fn patience(&self, next_look_ms: Option<i64>) -> Duration {
        let now_ms = self.clock.now_ms();
        let due_ms = self.coordinator.next_deadline_ms(now_ms);
        let stuck_ms = self.coordinator.unnoticed_for_ms(now_ms).map(|ms| {
            let next = if ms < CANCEL_REINFORCE_MS { CANCEL_REINFORCE_MS } else { CANCEL_GRACE_MS };
            now_ms.saturating_add(next.saturating_sub(ms))
        });
        let next_ms = next_look_ms.into_iter().chain(due_ms).chain(stuck_ms).min();
        next_ms.map_or(Duration::from_secs(3_600), |next_ms| {
            Duration::from_millis(next_ms.saturating_sub(now_ms).max(0).unsigned_abs())
        })
    }

    /// Runs on this thread in an order that the seed chooses.
    pub(super) fn simulated(
        mut self,
        shared: Arc<ReadySet>,
        subtasks: Vec<Subtask>,
        seed: u64,
        mut recorder: Option<Recorder>,
    ) -> Result<JobReport, RuntimeError> {
        let mut simulation = Simulation::new(shared, subtasks, seed, self.clock.clone());
        while !self.coordinator.is_over() {
            self.observer.before_step(self.clock.now_ms(), &|| self.coordinator.view());
            while let Ok(signal) = self.signals.try_recv() {
                self.coordinator.signal(signal);
            }
            let mut tasks = self.coordinator.tick(self.clock.now_ms());
            while let Ok(event) = self.arrivals.try_recv() {
                tasks.extend(self.coordinator.event(event));
            }
            let progressed = !tasks.is_empty();
            while let Some(recorder) = recorder.as_mut().filter(|_| !tasks.is_empty()) {
                let facts: Vec<Fact> =
                    tasks.drain(..).map(|task| recorder.carry_out(task)).collect();
                for fact in facts {
                    tasks.extend(self.coordinator.fact(fact));
                }
            }
            if self.coordinator.is_over() {
                break;
            }
            if let Turn::Nothing(next_ms) = simulation.turn() {
                let now_ms = self.clock.now_ms();
                let due_ms = self.coordinator.next_deadline_ms(now_ms);
                match next_ms.into_iter().chain(due_ms).min() {
                    Some(deadline_ms) => {
                        let wait = deadline_ms.saturating_sub(now_ms).max(1).unsigned_abs();
                        self.clock.advance(Duration::from_millis(wait));
                    }
                    None if progressed || !self.arrivals.is_empty() => {}
                    None => match simulation.outside() {
                        Some(bell) => self.wait_for(bell),
                        None => return Err(simulation.stalled()),
                    },
                }
            }
        }
        self.report()
    }

    /// Waits in real time until the bell rings or a person asks for something.
    fn wait_for(&mut self, bell: &Receiver<()>) {
        let signals = self.signals;
        crossbeam_channel::select! {
            recv(bell) -> _ => {}
            recv(signals) -> signal => match signal {
                Ok(signal) => self.coordinator.signal(signal),
                // Nobody is left to ask.
                Err(_) => {
                    let _ = bell.recv();
                }
            },
        }
    }

    fn report(self) -> Result<JobReport, RuntimeError> {
        let view = self.coordinator.view();
        self.observer.look(&view);
        let ending = self.coordinator.ending()?;
        Ok(JobReport { ending, view })
    }
}

/// How subtasks report to the job.
#[expect(
    clippy::disallowed_methods,
    reason = "bounded by the protocol: a subtask reports once per checkpoint and once at its end"
)]
pub(super) fn events() -> (Sender<SubtaskEvent>, Receiver<SubtaskEvent>) {
    crossbeam_channel::unbounded()
}

/// The thread that writes snapshots, in a run with a store.
struct Writer {
    tasks: Sender<Task>,
    facts: Receiver<Fact>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    #[expect(
        clippy::disallowed_methods,
        reason = "bounded by the protocol: one checkpoint is in flight, one task per subtask of it"
    )]
    fn start(recorder: Option<Recorder>) -> Result<Self, RuntimeError> {
        let (tasks, todo) = crossbeam_channel::unbounded::<Task>();
        let Some(mut recorder) = recorder else {
            // A closed channel would be ready all the time, and the loop that listens would spin.
            return Ok(Self { tasks, facts: crossbeam_channel::never(), thread: None });
        };
        let (done, facts) = crossbeam_channel::unbounded();
        let write = move || {
            for task in todo {
                if done.send(recorder.carry_out(task)).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("clink-checkpoints".to_owned()).spawn(write);
        let action = "start the checkpoint thread";
        let thread = thread.map_err(|source| RuntimeError::System { action, source })?;
        Ok(Self { tasks, facts, thread: Some(thread) })
    }

    fn put(&self, tasks: Vec<Task>) {
        for task in tasks {
            // A writer that is gone shows in its facts.
            let _ = self.tasks.send(task);
        }
    }

    fn finish(self) {
        drop(self.tasks);
        if let Some(thread) = self.thread {
            // A panic in it has ended the job already.
            let _ = thread.join();
        }
    }
}
