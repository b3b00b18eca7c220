//! Runs a planned job in this process, from start to end.

mod build;
mod coordinator;
mod recorder;
mod run;
mod view;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clink_plan::descriptor::Locations;
use clink_plan::graph::{BLOCKING_EXCHANGE, JobGraphSpec, OperatorSpec};
use clink_plan::id::{CheckpointId, SubtaskId};
use clink_plan::planner::{JobPlan, PlannedTask};
use crossbeam_channel::Receiver;

use crate::checkpoint::CheckpointError;
use crate::checkpoint::protocol::{Protocol, ProtocolConfig};
use crate::checkpoint::restore::RestoredJob;
use crate::checkpoint::store::{CheckpointStore, RestorePoint};
use crate::config;
use crate::metrics::{Accumulated, OperatorMetrics, SourceMetrics};
use crate::operator::JobShared;
use crate::operator::bad_records::{BadRecordPolicy, BadRecords};
use crate::registry::Registry;
use crate::scheduler::SchedulerKind;
use crate::scheduler::pool::Pool;
use crate::scheduler::simulation::ReadySet;
use crate::scheduler::threads::Threads;
use crate::state::KnownSlots;
use crate::subtask::contain::contain;
use crate::subtask::{JobControl, RuntimeError, Subtask};
use crate::sync::wake::Wake;
use crate::sys::clock::Clock;

use build::Wiring;
use coordinator::{JobCoordinator, JobFacts};
use recorder::{GivenUp, Recorder};
use run::{AtWork, Run};
pub use view::{CheckpointCost, SubtaskView};

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
    /// What becomes of records that do not fit their type.
    pub bad_records: BadRecordPolicy,
    /// Longest record of text, in bytes without its line end.
    pub record_bytes_max: usize,
    /// When a simulated clock starts, in milliseconds since the epoch.
    pub simulated_start_ms: i64,
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
            bad_records: BadRecordPolicy::default(),
            record_bytes_max: config::RECORD_BYTES_MAX,
            simulated_start_ms: 0,
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
    /// Its name.
    pub name: Arc<str>,
    /// The author's uid; empty when none was given.
    pub uid: Arc<str>,
    /// Index of the instance.
    pub subtask_index: u32,
    /// True if what it takes leaves the job.
    pub is_sink: bool,
    /// True if it has side outputs.
    pub has_side_outputs: bool,
    /// Its counters.
    pub metrics: Arc<OperatorMetrics>,
    /// How far it has come, for a source.
    pub progress: Option<Arc<SourceMetrics>>,
}

/// What can be told of a job at some moment.
#[derive(Clone, Debug, Default)]
pub struct JobView {
    /// The job's name.
    pub job: String,
    /// Every operator instance.
    pub instances: Vec<InstanceMetrics>,
    /// Every subtask.
    pub subtasks: Arc<[SubtaskView]>,
    /// True if it takes checkpoints.
    pub takes_checkpoints: bool,
    /// Checkpoints completed.
    pub checkpoints_completed: u64,
    /// Checkpoints given up.
    pub checkpoints_aborted: u64,
    /// The last complete checkpoint of this run and when it was, in milliseconds since the epoch.
    pub last_checkpoint: Option<(CheckpointId, i64)>,
    /// What that checkpoint took.
    pub last_checkpoint_cost: Option<CheckpointCost>,
    /// The checkpoint this run started from.
    pub restored_from: Option<CheckpointId>,
    /// What a person should know though the run goes on.
    pub warnings: Vec<String>,
    /// What operators want a person to know, in order: the last thousand.
    pub notices: Vec<String>,
    /// How many notices there were before these.
    pub notices_before: usize,
    /// What the accumulators of operators have come to, by operator and name.
    pub accumulators: Vec<Accumulated>,
    /// The file that bad records are written to.
    pub bad_records_file: Option<PathBuf>,
    /// Processing time of this view, in milliseconds since the epoch.
    pub now_ms: i64,
    /// Processing time of the start.
    pub started_ms: i64,
}

/// Looks at a job while it runs.
pub trait Observer {
    /// The job has been built and nothing has run.
    fn started(&mut self, view: &JobView) {
        let _ = view;
    }

    /// The job's metrics can be read at this URL from now on.
    fn serving(&mut self, url: &str) {
        let _ = url;
    }

    /// The simulation is about to let a subtask make a step, at that virtual time in milliseconds;
    /// signals it sends now are seen before the next one. `view` makes a view of the job.
    fn before_step(&mut self, now_ms: i64, view: &dyn Fn() -> JobView) {
        let _ = (now_ms, view);
    }

    /// How often it wants to look; `None` for only at the end.
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
    pub slots: &'a BTreeMap<String, KnownSlots>,
    /// Where the author wrote the operators, as far as that is known.
    pub locations: &'a Locations,
    /// How to run it.
    pub options: LocalOptions,
}

impl LocalExecutor<'_> {
    /// Whether the engine can run the job at all.
    fn check(&self) -> Result<(), RuntimeError> {
        let found = self.registry.check(self.graph);
        let found = found.into_iter().map(|found| found.located(self.locations).to_string());
        let mut problems: Vec<String> = found.collect();
        if let BadRecordPolicy::File(file) = &self.options.bad_records {
            problems.extend(self.registry.check_bad_records(self.graph, file));
        }
        // A run that goes on from a checkpoint reads what that speaks of.
        if matches!(self.options.restore, None | Some(RestorePoint::Nothing)) {
            let sources = self.graph.operators.iter().filter(|spec| spec.inputs.is_empty());
            problems.extend(sources.filter_map(|spec| self.check_input(spec)));
        }
        if self.options.checkpoints.is_some() {
            let is_exchange = |spec: &&OperatorSpec| spec.params.contains_key(BLOCKING_EXCHANGE);
            problems.extend(self.graph.operators.iter().filter(is_exchange).map(|spec| {
                format!(
                    "error: operator `{}`: it holds back its input until that has ended, so no \
                     checkpoint can pass it: run without --checkpoint-dir",
                    spec.id
                )
            }));
        }
        let (subtasks, most) = (self.plan.tasks.len(), config::SUBTASK_THREADS_MAX);
        if self.options.scheduler == SchedulerKind::Threads && subtasks > most {
            problems.push(format!(
                "error: a thread for each of {subtasks} subtasks is more than the limit of {most}: \
                 use `--scheduler pool`, which needs a few, or lower the parallelism"
            ));
        }
        if problems.is_empty() { Ok(()) } else { Err(RuntimeError::Refused { problems }) }
    }

    /// What is wrong with the input of a source.
    fn check_input(&self, spec: &OperatorSpec) -> Option<String> {
        match contain(|| self.registry.check_input(spec)) {
            Ok(found) => found.map(|found| found.located(self.locations).to_string()),
            Err(caught) => {
                let (id, message) = (&spec.id, caught.message);
                Some(format!("error: operator `{id}`: panicked in its check: {message}"))
            }
        }
    }

    /// What its operators share.
    fn shared(&self, restored: bool) -> Result<Arc<JobShared>, RuntimeError> {
        let bad_records = BadRecords::open(self.options.bad_records.clone(), restored);
        let bad_records = bad_records.map_err(|error| RuntimeError::Refused {
            problems: vec![format!("error: keep bad records: {error}")],
        })?;
        let record_bytes_max = self.options.record_bytes_max;
        Ok(Arc::new(JobShared { bad_records, record_bytes_max, ..JobShared::default() }))
    }

    /// Runs the job to its end.
    ///
    /// # Errors
    /// [`RuntimeError::Refused`] with everything because of which it cannot run, before a file is
    /// touched; else the first failure of the job, and everything has been closed by then.
    pub fn run(
        self,
        signals: &Receiver<Signal>,
        observer: &mut dyn Observer,
    ) -> Result<JobReport, RuntimeError> {
        self.check()?;
        let simulated = matches!(self.options.scheduler, SchedulerKind::Simulation { .. });
        let clock = match simulated {
            true => Clock::simulated(self.options.simulated_start_ms),
            false => Clock::system(),
        };
        let Saved { store, restored, mut notes } = Saved::open(&self)?;
        let shared = self.shared(restored.is_some())?;
        let driver = Driver::new(self.options.scheduler, self.plan.tasks.len(), &clock);
        let (events, arrivals) = run::events();
        let wiring = Wiring {
            executor: &self,
            wake: driver.wake(),
            clock: clock.clone(),
            events,
            restored: restored.clone().map(|job| job as _),
            checkpoints: store.is_some(),
            shared: Arc::clone(&shared),
        };
        let built = wiring.build()?;
        notes.splice(0..0, self.plan.warnings.iter().map(ToString::to_string));
        let view = JobView {
            job: self.options.job.clone(),
            instances: built.metrics,
            subtasks: built.watched.into(),
            takes_checkpoints: store.is_some(),
            restored_from: restored.as_ref().map(|job| job.id()),
            warnings: notes,
            bad_records_file: shared.bad_records.file().map(Path::to_path_buf),
            started_ms: clock.now_ms(),
            now_ms: clock.now_ms(),
            ..JobView::default()
        };
        observer.started(&view);
        let given_up = GivenUp::default();
        let first_id = store.as_ref().map(CheckpointStore::next_id).transpose()?;
        let protocol = self
            .options
            .checkpoints
            .as_ref()
            .zip(first_id)
            .map(|(options, id)| Protocol::new(protocol_config(self.plan, options, id)));
        // A run that goes on from a checkpoint goes on with its retention as well.
        let first_own = first_id.filter(|_| restored.is_none()).unwrap_or(CheckpointId(0));
        let recorder = store.map(|store| Recorder::new(store, given_up.clone(), first_own));
        let facts = JobFacts {
            instances: built.instances,
            restored: restored.as_deref().map(|job| job as _),
            control: Arc::clone(&built.control),
            wake: driver.wake(),
            clock: clock.clone(),
            given_up,
            shared,
        };
        let coordinator = JobCoordinator::new(facts, protocol, view);
        let run = Run { clock, coordinator, arrivals, signals, observer };
        driver.drive(run, built.subtasks, built.control, recorder)
    }
}

/// The store of the job's checkpoints and, for a restore, the verified state.
struct Saved {
    store: Option<CheckpointStore>,
    restored: Option<Arc<RestoredJob>>,
    /// What a person should know of the restore.
    notes: Vec<String>,
}

impl Saved {
    fn open(executor: &LocalExecutor<'_>) -> Result<Self, CheckpointError> {
        let LocalExecutor { graph, slots, options, .. } = executor;
        let none = Self { store: None, restored: None, notes: Vec::new() };
        let Some(checkpoints) = &options.checkpoints else { return Ok(none) };
        let store = CheckpointStore::open(&checkpoints.dir, &options.job)?;
        let point = match &options.restore {
            Some(RestorePoint::Nothing) => return Ok(Self { store: Some(store), ..none }),
            Some(point) => point,
            None => match store.list()?.last() {
                // Its checkpoints would be deleted one by one: a flag that was forgotten after a
                // crash must not cost the state.
                Some(newest) => {
                    let folder = store.job_folder().to_path_buf();
                    return Err(CheckpointError::EarlierRun { folder, newest: *newest });
                }
                None => return Ok(Self { store: Some(store), ..none }),
            },
        };
        let restored = RestoredJob::load(&store, point)?;
        let allow = options.allow_unmatched_state;
        let identities = build::identities(graph);
        let mut notes = restored.check(&identities.values().cloned().collect(), allow)?;
        for (operator, slots) in *slots {
            if let Some(identity) = identities.get(operator) {
                notes.extend(restored.check_slots(identity, slots, allow)?);
            }
        }
        Ok(Self { store: Some(store), restored: Some(Arc::new(restored)), notes })
    }
}

fn protocol_config(
    plan: &JobPlan,
    options: &CheckpointOptions,
    first_id: CheckpointId,
) -> ProtocolConfig {
    let id = |task: &PlannedTask| SubtaskId(task.subtask_idx);
    let is_source = |task: &&PlannedTask| task.chain.is_source();
    ProtocolConfig {
        interval_ms: options.interval_ms,
        timeout_ms: options.timeout_ms,
        subtasks: plan.tasks.iter().map(id).collect(),
        sources: plan.tasks.iter().filter(is_source).map(id).collect(),
        first_id,
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

    /// Runs subtasks to their end.
    fn drive(
        self,
        run: Run<'_>,
        subtasks: Vec<Subtask>,
        control: Arc<JobControl>,
        recorder: Option<Recorder>,
    ) -> Result<JobReport, RuntimeError> {
        match self {
            Self::Pool(pool) => run.threaded(recorder, || {
                let running = pool.start(subtasks)?;
                Ok(AtWork {
                    join: Box::new(|| running.join()),
                    reinforce: Box::new(|| pool.reinforce()),
                    abandon: Box::new(|| pool.abandon()),
                })
            }),
            Self::Threads(threads) => run.threaded(recorder, || {
                let running = threads.start(subtasks, || control.request_cancel())?;
                Ok(AtWork {
                    join: Box::new(|| running.join()),
                    // Each has its own, and ends with it.
                    reinforce: Box::new(|| {}),
                    abandon: Box::new(|| {}),
                })
            }),
            Self::Simulation(shared, seed) => run.simulated(shared, subtasks, seed, recorder),
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
