//! Runs a planned job in this process, from start to end.

mod build;
mod coordinator;
mod recorder;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clink_plan::graph::JobGraphSpec;
use clink_plan::id::CheckpointId;
use clink_plan::planner::JobPlan;
use crossbeam_channel::{Receiver, Sender};

use crate::checkpoint::CheckpointError;
use crate::checkpoint::restore::RestoredJob;
use crate::checkpoint::store::{CheckpointStore, RestorePoint};
use crate::config;
use crate::metrics::{OperatorMetrics, SourceMetrics};
use crate::registry::Registry;
use crate::scheduler::SchedulerKind;
use crate::scheduler::pool::Pool;
use crate::scheduler::simulation::{ReadySet, Simulation, Turn};
use crate::scheduler::threads::Threads;
use crate::subtask::RuntimeError;
use crate::subtask::{Subtask, SubtaskEvent};
use crate::sync::wake::Wake;
use crate::sys::clock::Clock;

use build::Wiring;
use coordinator::JobCoordinator;
use recorder::{Fact, Recorder, Task};

/// Where and how often to save.
#[derive(Clone, Debug)]
pub struct CheckpointOptions {
    /// Folder of all jobs' checkpoints.
    pub dir: PathBuf,
    /// Time from the start of one checkpoint to the start of the next, in milliseconds.
    pub interval_ms: u64,
    /// Time after which an unfinished checkpoint is given up, in milliseconds.
    pub timeout_ms: u64,
}

/// How to run a job in this process.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// The job's name: the folder of its checkpoints.
    pub job: String,
    /// Who steps subtasks.
    pub scheduler: SchedulerKind,
    /// Records a channel holds.
    pub channel_capacity: u32,
    /// Where and how often to save; `None` to keep nothing.
    pub checkpoints: Option<CheckpointOptions>,
    /// The checkpoint to start from; needs `checkpoints` for its folder.
    pub restore: Option<RestorePoint>,
    /// Restore although the checkpoint holds state that no operator takes.
    pub allow_unmatched_state: bool,
}

impl LocalOptions {
    /// The defaults, for a job of that name.
    pub fn new(job: impl Into<String>) -> Self {
        Self {
            job: job.into(),
            scheduler: SchedulerKind::default(),
            channel_capacity: config::CHANNEL_CAPACITY_RECORDS,
            checkpoints: None,
            restore: None,
            allow_unmatched_state: false,
        }
    }
}

/// What a person asks of a running job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// End the sources, process what is in flight, save a last time.
    Stop,
    /// End now.
    Cancel,
}

/// How a job ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its input was used up.
    Finished,
    /// It was stopped.
    Stopped,
    /// It was cancelled.
    Cancelled,
}

/// The counters of one operator instance.
#[derive(Clone, Debug)]
pub struct InstanceMetrics {
    /// Id of the operator in the graph.
    pub operator: String,
    /// Index of the instance.
    pub subtask_index: u32,
    /// Its counters.
    pub metrics: Arc<OperatorMetrics>,
    /// How far it has come, for a source.
    pub progress: Option<Arc<SourceMetrics>>,
}

/// What can be told of a job at some moment.
#[derive(Clone, Debug, Default)]
pub struct JobView {
    /// Every operator instance.
    pub instances: Vec<InstanceMetrics>,
    /// Checkpoints completed.
    pub checkpoints_completed: u64,
    /// Checkpoints given up.
    pub checkpoints_aborted: u64,
    /// The last complete checkpoint of this run and when it was, in milliseconds since the epoch.
    pub last_checkpoint: Option<(CheckpointId, i64)>,
    /// The checkpoint this run started from.
    pub restored_from: Option<CheckpointId>,
    /// What a person should know though the run goes on.
    pub warnings: Vec<String>,
    /// Processing time of this view, in milliseconds since the epoch.
    pub now_ms: i64,
    /// Processing time of the start.
    pub started_ms: i64,
}

/// Looks at a job while it runs.
pub trait Observer {
    /// How often it wants to look; `None` for never.
    fn every(&self) -> Option<Duration>;
    /// Looks.
    fn look(&mut self, view: &JobView);
}

/// Looks at nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn every(&self) -> Option<Duration> {
        None
    }

    fn look(&mut self, _view: &JobView) {}
}

/// How a job ended, and the last view of it.
#[derive(Clone, Debug)]
pub struct JobReport {
    /// How it ended.
    pub ending: Ending,
    /// The last view.
    pub view: JobView,
}

/// Runs one planned job.
pub struct LocalExecutor<'a> {
    /// The graph the plan was made of.
    pub graph: &'a JobGraphSpec,
    /// What to run.
    pub plan: &'a JobPlan,
    /// The author's code.
    pub registry: &'a Registry,
    /// The state slots of each operator, by operator id.
    pub slots: &'a BTreeMap<String, BTreeSet<String>>,
    /// How to run it.
    pub options: LocalOptions,
}

impl LocalExecutor<'_> {
    /// Runs the job to its end.
    ///
    /// # Errors
    /// The first failure of the job; everything has been closed by then.
    pub fn run(
        self,
        signals: &Receiver<Signal>,
        observer: &mut dyn Observer,
    ) -> Result<JobReport, RuntimeError> {
        let simulated = matches!(self.options.scheduler, SchedulerKind::Simulation { .. });
        let clock = if simulated { Clock::simulated(0) } else { Clock::system() };
        let (store, restored) = self.open_store()?;
        let subtasks = self.plan.tasks.len();
        let driver = Driver::new(self.options.scheduler, subtasks, &clock);
        let (events, arrivals) = events();
        let mut warnings: Vec<String> =
            self.plan.warnings.iter().map(ToString::to_string).collect();
        let restored_from = restored.as_ref().map(|(job, _)| job.id());
        let state = restored.map(|(job, notes)| {
            warnings.extend(notes);
            Arc::new(job)
        });
        let wiring = Wiring {
            executor: &self,
            wake: driver.wake(),
            clock: clock.clone(),
            events,
            restored: state.map(|job| job as _),
            checkpoints: store.is_some(),
        };
        let built = wiring.build()?;
        let view = JobView {
            instances: built.instances,
            restored_from,
            warnings,
            started_ms: clock.now_ms(),
            ..JobView::default()
        };
        let first_id = store.as_ref().map(CheckpointStore::next_id).transpose()?;
        let control = built.control;
        let coordinator = JobCoordinator::new(
            self.plan,
            Arc::clone(&control),
            driver.wake(),
            self.options.checkpoints.as_ref().zip(first_id),
            clock.clone(),
            view,
        );
        let run = Run { clock, coordinator, arrivals, signals, observer };
        match driver {
            Driver::Pool(pool) => {
                let running = pool.start(built.subtasks)?;
                let report = run.threaded(store);
                running.join();
                report
            }
            Driver::Threads(threads) => {
                let running = threads.start(built.subtasks, || control.request_cancel())?;
                let report = run.threaded(store);
                running.join();
                report
            }
            Driver::Simulation(shared, seed) => run.simulated(shared, built.subtasks, seed, store),
        }
    }

    /// The store of the job's checkpoints and, for a restore, the verified state.
    #[expect(clippy::type_complexity, reason = "two options that belong together")]
    fn open_store(
        &self,
    ) -> Result<(Option<CheckpointStore>, Option<(RestoredJob, Vec<String>)>), CheckpointError>
    {
        let Some(checkpoints) = &self.options.checkpoints else { return Ok((None, None)) };
        let store = CheckpointStore::open(&checkpoints.dir, &self.options.job)?;
        let Some(point) = &self.options.restore else { return Ok((Some(store), None)) };
        let restored = RestoredJob::load(&store, point)?;
        let allow = self.options.allow_unmatched_state;
        let identities = build::identities(self.graph);
        let mut notes = restored.check(&identities.values().cloned().collect(), allow)?;
        for (operator, slots) in self.slots {
            if let Some(identity) = identities.get(operator) {
                notes.extend(restored.check_slots(identity, slots, allow)?);
            }
        }
        Ok((Some(store), Some((restored, notes))))
    }
}

enum Driver {
    Pool(Arc<Pool>),
    Threads(Arc<Threads>),
    Simulation(Arc<ReadySet>, u64),
}

impl Driver {
    fn new(kind: SchedulerKind, subtasks: usize, clock: &Clock) -> Self {
        match kind {
            SchedulerKind::Pool { threads } => {
                Self::Pool(Pool::new(subtasks, threads, clock.clone()))
            }
            SchedulerKind::Threads => Self::Threads(Threads::new(subtasks, clock.clone())),
            SchedulerKind::Simulation { seed } => Self::Simulation(ReadySet::new(subtasks), seed),
        }
    }

    fn wake(&self) -> Arc<dyn Wake> {
        match self {
            Self::Pool(pool) => Arc::clone(pool) as _,
            Self::Threads(threads) => Arc::clone(threads) as _,
            Self::Simulation(shared, _) => Arc::clone(shared) as _,
        }
    }
}

/// A job at work, seen from the thread that called.
struct Run<'a> {
    clock: Clock,
    coordinator: JobCoordinator,
    arrivals: Receiver<SubtaskEvent>,
    signals: &'a Receiver<Signal>,
    observer: &'a mut dyn Observer,
}

impl Run<'_> {
    fn threaded(mut self, store: Option<CheckpointStore>) -> Result<JobReport, RuntimeError> {
        let (tasks, facts, writer) = start_writer(store)?;
        let mut signals = self.signals.clone();
        let mut next_look_ms = self.next_look_ms();
        while !self.coordinator.is_over() {
            for task in self.coordinator.tick(self.clock.now_ms()) {
                let _ = tasks.send(task);
            }
            crossbeam_channel::select! {
                recv(self.arrivals) -> event => match event {
                    Ok(event) => self.coordinator.event(event).into_iter().for_each(|task| {
                        let _ = tasks.send(task);
                    }),
                    Err(_) => break,
                },
                recv(facts) -> fact => {
                    if let Ok(fact) = fact {
                        self.coordinator.fact(fact).into_iter().for_each(|task| {
                            let _ = tasks.send(task);
                        });
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
        }
        drop(tasks);
        if let Some(writer) = writer {
            writer.join().expect("the writer does not panic: store errors come back as facts");
        }
        self.report()
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
        let next_ms = next_look_ms.into_iter().chain(due_ms).min();
        next_ms.map_or(Duration::from_secs(3_600), |next_ms| {
            Duration::from_millis(next_ms.saturating_sub(now_ms).max(0).unsigned_abs())
        })
    }

    fn simulated(
        mut self,
        shared: Arc<ReadySet>,
        subtasks: Vec<Subtask>,
        seed: u64,
        store: Option<CheckpointStore>,
    ) -> Result<JobReport, RuntimeError> {
        let mut simulation = Simulation::new(shared, subtasks, seed, self.clock.clone());
        let mut recorder = store.map(Recorder::new);
        while !self.coordinator.is_over() {
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
                    None => return Err(simulation.stalled()),
                }
            }
        }
        self.report()
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
fn events() -> (Sender<SubtaskEvent>, Receiver<SubtaskEvent>) {
    crossbeam_channel::unbounded()
}

type Writer = (Sender<Task>, Receiver<Fact>, Option<std::thread::JoinHandle<()>>);

/// Starts the thread that writes snapshots, in a run with a store.
#[expect(
    clippy::disallowed_methods,
    reason = "bounded by the protocol: one checkpoint is in flight, one task per subtask of it"
)]
fn start_writer(store: Option<CheckpointStore>) -> Result<Writer, RuntimeError> {
    let (tasks, todo) = crossbeam_channel::unbounded::<Task>();
    // A closed channel would be ready all the time, and the loop that listens would spin.
    let Some(store) = store else { return Ok((tasks, crossbeam_channel::never(), None)) };
    let (done, facts) = crossbeam_channel::unbounded();
    let thread = std::thread::Builder::new()
        .name("clink-checkpoints".to_owned())
        .spawn(move || {
            let mut recorder = Recorder::new(store);
            for task in todo {
                if done.send(recorder.carry_out(task)).is_err() {
                    return;
                }
            }
        })
        .map_err(|source| RuntimeError::System { action: "start the checkpoint thread", source })?;
    Ok((tasks, facts, Some(thread)))
}
