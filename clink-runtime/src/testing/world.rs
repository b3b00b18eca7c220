//! Runs a whole job under a seed, cuts it short and lets it go on from what it had saved.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clink_plan::planner::PlanOptions;
use crossbeam_channel::Sender;

use crate::checkpoint::store::{CheckpointStore, RestorePoint};
use crate::config;
use crate::local::{CheckpointOptions, JobReport, JobView, LocalOptions, Observer, Signal};
use crate::scheduler::SchedulerKind;
use crate::sys::files;

use super::simulate::{Attempt, Simulate};
use super::story::tell;

/// Most subtasks that [`World::vary`] gives an operator.
const PARALLELISM_MAX: u64 = 6;

/// Channel capacities that [`World::vary`] chooses from: one record, a few, more than a batch.
const CAPACITIES: [u32; 4] = [1, 3, 16, 2_048];

/// When an attempt is cut short.
enum Moment {
    /// At this virtual time, in milliseconds since the epoch.
    At(i64),
    /// Once this holds.
    When(Box<dyn FnMut(&JobView) -> bool>),
}

/// One job's world: its order of steps, its clock and its faults, all from one seed.
///
/// Each [`run`](Self::run) is an attempt of the job on one thread, in an order that the seed
/// chooses, on a virtual clock that goes on from attempt to attempt. In a world that saves, an
/// attempt goes on from the latest checkpoint, at whatever parallelism. The same seed and the same
/// calls are the same run.
///
/// An attempt runs to the end of its input unless it was told before how to end. One that
/// [stops](Self::stop_after) ends its sources, works off what is in flight and saves a last time.
/// One that [crashes](Self::crash_after) closes where it stands: what came after its last
/// checkpoint is lost.
pub struct World {
    seed: u64,
    random: fastrand::Rng,
    attempts: u32,
    now_ms: i64,
    parallelism: u32,
    plan: PlanOptions,
    channel_capacity: u32,
    checkpoints: Option<CheckpointOptions>,
    /// A folder for checkpoints that goes with the world.
    own_folder: Option<PathBuf>,
    allow_unmatched_state: bool,
    cut: Option<(Moment, Signal)>,
    told: Vec<String>,
}

impl World {
    /// A world in which nothing is saved, until [`save_every`](Self::save_every) or
    /// [`save_into`](Self::save_into) is called.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            random: fastrand::Rng::with_seed(seed),
            attempts: 0,
            now_ms: 0,
            parallelism: 1,
            plan: PlanOptions::default(),
            channel_capacity: config::CHANNEL_CAPACITY_RECORDS,
            checkpoints: None,
            own_folder: None,
            allow_unmatched_state: false,
            cut: None,
            told: Vec::new(),
        }
    }

    /// The seed it is made from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The virtual clock, in milliseconds since the epoch.
    pub fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// Lets time pass between two attempts.
    pub fn pass(&mut self, time: Duration) -> &mut Self {
        self.now_ms = self.later_ms(time);
        self
    }

    /// What the build function of the next attempts is given as parallelism; 1 at first.
    pub fn set_parallelism(&mut self, parallelism: u32) -> &mut Self {
        self.parallelism = parallelism;
        self
    }

    /// How many records a channel holds; 1 is the tightest.
    pub fn set_channel_capacity(&mut self, records: u32) -> &mut Self {
        self.channel_capacity = records;
        self
    }

    /// Whether operators may share a subtask, as they do unless said.
    pub fn set_chaining(&mut self, chaining: bool) -> &mut Self {
        self.plan = PlanOptions { chaining, fuse_par1: false };
        self
    }

    /// Chooses at random what the result of a job must not depend on: the parallelism (from 1 to
    /// 6), the capacity of channels, chaining.
    pub fn vary(&mut self) -> &mut Self {
        let parallelism = self.number(1, PARALLELISM_MAX);
        self.parallelism = u32::try_from(parallelism).unwrap_or(1);
        self.channel_capacity = self.choose(&CAPACITIES);
        self.plan = self.choose(&[
            PlanOptions { chaining: true, fuse_par1: false },
            PlanOptions { chaining: true, fuse_par1: true },
            PlanOptions { chaining: false, fuse_par1: false },
        ]);
        self
    }

    /// Has the next attempts save each so much virtual time, and begin with the latest checkpoint;
    /// the folder is gone when the world is.
    pub fn save_every(&mut self, every: Duration) -> &mut Self {
        let fresh = || files::temporary_beside(&files::temporary_folder().join("clink-world"));
        let folder = self.own_folder.get_or_insert_with(fresh).clone();
        self.save_into(&folder, every)
    }

    /// Has the next attempts save into a folder, each time so much virtual time after the last
    /// time, and begin with the latest checkpoint there.
    pub fn save_into(&mut self, folder: &Path, every: Duration) -> &mut Self {
        self.checkpoints = Some(CheckpointOptions {
            dir: PathBuf::from(folder),
            interval_ms: whole_ms(every),
            timeout_ms: config::CHECKPOINT_TIMEOUT_MS,
        });
        self
    }

    /// Has checkpoints be given up that are not complete after so much virtual time.
    ///
    /// # Panics
    /// If nothing is saved.
    #[track_caller]
    pub fn set_checkpoint_timeout(&mut self, timeout: Duration) -> &mut Self {
        let checkpoints = self.checkpoints.as_mut();
        checkpoints.expect("call `save_every` or `save_into` first").timeout_ms = whole_ms(timeout);
        self
    }

    /// Lets the next attempts begin although a checkpoint holds state that nothing takes.
    pub fn allow_unmatched_state(&mut self) -> &mut Self {
        self.allow_unmatched_state = true;
        self
    }

    /// Has the next attempt stop after so much virtual time.
    pub fn stop_after(&mut self, time: Duration) -> &mut Self {
        self.cut(Moment::At(self.later_ms(time)), Signal::Stop)
    }

    /// Has the next attempt stop once this holds; asked before each step of a subtask.
    pub fn stop_when(&mut self, holds: impl FnMut(&JobView) -> bool + 'static) -> &mut Self {
        self.cut(Moment::When(Box::new(holds)), Signal::Stop)
    }

    /// Has the next attempt crash after so much virtual time.
    pub fn crash_after(&mut self, time: Duration) -> &mut Self {
        self.cut(Moment::At(self.later_ms(time)), Signal::Cancel)
    }

    /// Has the next attempt crash once this holds; asked before each step of a subtask.
    pub fn crash_when(&mut self, holds: impl FnMut(&JobView) -> bool + 'static) -> &mut Self {
        self.cut(Moment::When(Box::new(holds)), Signal::Cancel)
    }

    fn cut(&mut self, moment: Moment, signal: Signal) -> &mut Self {
        self.cut = Some((moment, signal));
        self
    }

    fn later_ms(&self, by: Duration) -> i64 {
        self.now_ms.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX))
    }

    /// A number from `least` to `most`, both included, that the seed chooses.
    pub fn number(&mut self, least: u64, most: u64) -> u64 {
        self.random.u64(least..=most.max(least))
    }

    /// One of these, which the seed chooses.
    ///
    /// # Panics
    /// If there are none.
    #[track_caller]
    pub fn choose<T: Clone>(&mut self, of: &[T]) -> T {
        let chosen = of.get(self.random.usize(..of.len().max(1)));
        chosen.expect("there must be something to choose from").clone()
    }

    /// True if there is a checkpoint of that job for the next attempt to begin with.
    ///
    /// # Panics
    /// If the folder of checkpoints cannot be used.
    #[track_caller]
    pub fn has_saved(&self, job: &str) -> bool {
        self.checkpoints.as_ref().is_some_and(|checkpoints| {
            let store = CheckpointStore::open(&checkpoints.dir, job);
            let found = store.and_then(|store| store.list());
            !found.unwrap_or_else(|error| panic!("{error}")).is_empty()
        })
    }

    /// Builds the job with the parallelism that is set, and runs one attempt of it.
    ///
    /// # Errors
    /// It could not be built, was refused, or failed.
    ///
    /// # Panics
    /// If the folder of checkpoints cannot be used.
    #[track_caller]
    pub fn run<J: Simulate>(
        &mut self,
        build: impl FnOnce(u32) -> Result<J, J::Error>,
    ) -> Result<JobReport, J::Error> {
        let job = build(self.parallelism)?;
        let restore = self.has_saved(job.name()).then_some(RestorePoint::Latest);
        // The first attempt is the one that `--seed` runs.
        let seed = if self.attempts == 0 { self.seed } else { self.random.u64(..) };
        self.attempts += 1;
        self.tell_options(seed, restore.is_some());
        let options = LocalOptions {
            scheduler: SchedulerKind::Simulation { seed },
            channel_capacity: self.channel_capacity,
            checkpoints: self.checkpoints.clone(),
            restore,
            allow_unmatched_state: self.allow_unmatched_state,
            simulated_start_ms: self.now_ms,
            ..LocalOptions::new(job.name())
        };
        let (signals, received) = crossbeam_channel::bounded(1);
        let mut watch = Watch { cut: self.cut.take(), signals, now_ms: self.now_ms };
        let attempt = Attempt { plan: self.plan, options };
        let result = job.simulate(attempt, &received, &mut watch);
        self.now_ms = watch.now_ms;
        self.told.push(match &result {
            Ok(report) => format!("  {:?} at {} ms", report.ending, self.now_ms),
            Err(error) => format!("  failed at {} ms: {error}", self.now_ms),
        });
        result
    }

    fn tell_options(&mut self, seed: u64, restored: bool) {
        let chained = match self.plan {
            PlanOptions { chaining: false, .. } => "unchained",
            PlanOptions { fuse_par1: true, .. } => "fused",
            PlanOptions { .. } => "chained",
        };
        let saves = self.checkpoints.as_ref().map_or(String::new(), |checkpoints| {
            let CheckpointOptions { interval_ms, timeout_ms, .. } = checkpoints;
            format!(", saves each {interval_ms} ms, given up after {timeout_ms} ms")
        });
        let from = if restored { "the latest checkpoint" } else { "nothing" };
        self.told.push(format!(
            "attempt {} from {from}: simulation {seed}, parallelism {}, channels of {} records, \
             {chained}{saves}",
            self.attempts, self.parallelism, self.channel_capacity
        ));
    }

    /// What has been run so far, a line for the beginning and one for the end of each attempt.
    pub fn story(&self) -> String {
        self.told.join("\n")
    }
}

impl Drop for World {
    /// A test that fails tells what led to it; its own folder goes.
    fn drop(&mut self) {
        if std::thread::panicking() {
            tell(self.story());
        }
        if let Some(folder) = &self.own_folder {
            // It is among temporary files: what stays is the system's to remove.
            let _ = files::remove_folder(folder);
        }
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "World {}\n{}", self.seed, self.story())
    }
}

fn whole_ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX).max(1)
}

/// Ends an attempt at its moment.
struct Watch {
    cut: Option<(Moment, Signal)>,
    signals: Sender<Signal>,
    now_ms: i64,
}

impl Observer for Watch {
    fn before_step(&mut self, now_ms: i64, view: &dyn Fn() -> JobView) {
        self.now_ms = now_ms;
        let now = |(moment, _): &mut (Moment, Signal)| match moment {
            Moment::At(at_ms) => now_ms >= *at_ms,
            Moment::When(holds) => holds(&view()),
        };
        if let Some((_, signal)) = self.cut.take_if(now) {
            // One signal an attempt: there is room for it.
            let _ = self.signals.try_send(signal);
        }
    }

    fn every(&self) -> Option<Duration> {
        None
    }

    fn look(&mut self, view: &JobView) {
        self.now_ms = view.now_ms;
    }
}
