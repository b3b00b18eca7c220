//! Runs a job in every way, and collects what passes a point of it.

use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use clink::prelude::*;
use clink::run::{CheckpointOptions, Ending, JobView, PlanOptions, SchedulerKind, Signal};
use clink::testing::World;
use clink::{Job, JobError, RunOptions};
use crossbeam_channel::Receiver;

/// What passed some point of a job, in the order of arrival there.
pub(crate) struct Seen<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Seen<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Clone + Send + 'static> Seen<T> {
    pub(crate) fn push(&self, value: T) {
        self.0.lock().unwrap().push(value);
    }

    pub(crate) fn all(&self) -> Vec<T> {
        self.0.lock().unwrap().clone()
    }

    /// For `map`: notes each record and lets it pass.
    pub(crate) fn tap(&self) -> impl Fn(T) -> T + Send + Sync + 'static {
        let seen = self.clone();
        move |value| {
            seen.push(value.clone());
            value
        }
    }
}

/// How an attempt ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Stop,
    Crash,
    Panic,
    Never,
}

/// For `map`: what passes each record on, and may end the attempt there.
pub(crate) type Pass<T> = Box<dyn Fn(T) -> T + Send + Sync>;

impl Cut {
    /// Has the next attempt of a world end with the record behind so many others.
    pub(crate) fn after<T>(self, at: u64, world: &mut World) -> Pass<T> {
        let passed = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&passed);
        let enough = move |_: &JobView| seen.load(Ordering::Relaxed) > at;
        match self {
            Self::Stop => _ = world.stop_when(enough),
            Self::Crash => _ = world.crash_when(enough),
            Self::Panic | Self::Never => {}
        }
        Box::new(move |record| {
            let is_at = passed.fetch_add(1, Ordering::Relaxed) == at;
            assert!(!(is_at && self == Self::Panic), "cut");
            record
        })
    }
}

impl Cut {
    /// Ends an attempt with the record behind so many others, whoever runs the job; and the
    /// signals for the run.
    pub(crate) fn signalled<T: 'static>(self, at: u64) -> (Pass<T>, Receiver<Signal>) {
        match self {
            Self::Stop => signal_after(Signal::Stop, at),
            Self::Crash => signal_after(Signal::Cancel, at),
            Self::Panic | Self::Never => {
                let passed = AtomicU64::new(0);
                let pass = move |record| {
                    let is_at = passed.fetch_add(1, Ordering::Relaxed) == at;
                    assert!(!(is_at && self == Self::Panic), "cut");
                    record
                };
                (Box::new(pass), crossbeam_channel::never())
            }
        }
    }
}

/// For `map`: sends a signal with the record behind so many others, whoever runs the job; and the
/// signals for the run.
pub(crate) fn signal_after<T>(signal: Signal, at: u64) -> (Pass<T>, Receiver<Signal>) {
    let (send, signals) = crossbeam_channel::bounded(1);
    let passed = AtomicU64::new(0);
    let pass = move |record| {
        if passed.fetch_add(1, Ordering::Relaxed) == at {
            send.send(signal).unwrap();
        }
        record
    };
    (Box::new(pass), signals)
}

/// A job that is interrupted a few times and then comes to its end.
pub(crate) struct Interruptions<'a> {
    /// Its name.
    pub(crate) job: &'a str,
    /// The folder of its checkpoints.
    pub(crate) state: &'a Path,
    /// Attempts in all.
    pub(crate) attempts: u32,
    /// How all but the last may end.
    pub(crate) cuts: &'a [Cut],
    /// How many records there are to end at.
    pub(crate) records: u64,
}

impl Interruptions<'_> {
    /// Runs its attempts in a world, each with other options. `build` gets the parallelism, what
    /// the records have to pass, and whether the attempt goes on from a checkpoint. True if one
    /// did.
    pub(crate) fn run<T>(
        &self,
        world: &mut World,
        mut build: impl FnMut(u32, Pass<T>, bool) -> Result<Job, JobError>,
    ) -> bool {
        let mut restored = false;
        for attempt in 1..=self.attempts {
            let last = attempt == self.attempts;
            let cut = if last { Cut::Never } else { world.choose(self.cuts) };
            let at = world.number(0, self.records - 1);
            let every_ms = world.choose(&[5, 40, 200, 86_400_000]);
            world.vary().save_into(self.state, millis(every_ms));
            let saved = world.has_saved(self.job);
            restored |= saved;
            let pass = cut.after(at, world);
            match world.run(|parallelism| build(parallelism, pass, saved)) {
                Err(error) => {
                    let is_cut = cut == Cut::Panic && error.to_string().contains("cut");
                    assert!(is_cut, "{cut:?} at {at}: {error}");
                }
                Ok(report) => assert!(!last || report.ending == Ending::Finished),
            }
        }
        restored
    }
}

/// Numbers from one on to another, which leave nothing in a checkpoint once they have all been
/// given: so the next run may have others.
#[clink::operator(uid = "numbers")]
pub(crate) struct Numbers {
    from: u64,
    to: u64,
    #[transient]
    next: Option<u64>,
}

impl Numbers {
    pub(crate) fn between(from: u64, to: u64) -> Self {
        Self { from, to, next: None }
    }
}

impl Source for Numbers {
    type Out = u64;
    type Split = u64;

    fn splits(&self, _: u32) -> Result<Vec<u64>> {
        Ok(vec![self.from])
    }

    fn open(&mut self, splits: Vec<u64>, _: &RuntimeContext) -> Result<()> {
        self.next = splits.first().copied();
        Ok(())
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, u64>) -> Result<Produced> {
        let Some(next) = self.next.filter(|next| *next < self.to) else {
            self.next = None;
            return Ok(Produced::End);
        };
        ctx.emit(next);
        self.next = Some(next + 1);
        Ok(Produced::More)
    }

    fn snapshot(&mut self) -> Result<Vec<u64>> {
        Ok(self.next.into_iter().collect())
    }
}

/// Every scheduler.
pub(crate) fn schedulers() -> [SchedulerKind; 3] {
    let pool = SchedulerKind::Pool { threads: Some(2) };
    [pool, SchedulerKind::Threads, SchedulerKind::Simulation { seed: 1 }]
}

/// Runs a job at several parallelisms, channel capacities, chained and not, under every scheduler,
/// and compares what passed as a multiset.
#[track_caller]
pub(crate) fn every_way<T: Data + Ord + Debug>(
    expected: &[T],
    build: impl Fn(&Pipeline, &Seen<T>, u32),
) {
    let mut expected = expected.to_vec();
    expected.sort();
    for options in ways() {
        let (parallelism, options) = options;
        let way = format!(
            "parallelism {parallelism}, capacity {}, {:?}, {:?}",
            options.channel_capacity, options.scheduler, options.plan
        );
        let seen = Seen::default();
        let job = Job::build_with("job", Some(parallelism), |pipeline| {
            build(pipeline, &seen, parallelism);
            Ok(())
        });
        let report = job.unwrap().run(&options);
        report.unwrap_or_else(|error| panic!("{way}: {error}"));
        let mut found = seen.all();
        found.sort();
        assert_eq!(found.len(), expected.len(), "{way}: how many records");
        assert_eq!(found, expected, "{way}");
    }
}

/// Every way to run a job: parallelism × scheduler × channel capacity × chained or not.
pub(crate) fn ways() -> impl Iterator<Item = (u32, RunOptions)> {
    let chained = |chaining| PlanOptions { chaining, ..PlanOptions::default() };
    [1, 2, 3, 7].into_iter().flat_map(move |parallelism| {
        [1, 2_048].into_iter().flat_map(move |channel_capacity| {
            [chained(true), chained(false)].into_iter().flat_map(move |plan| {
                schedulers().into_iter().map(move |scheduler| {
                    let options =
                        RunOptions { scheduler, channel_capacity, plan, ..RunOptions::default() };
                    (parallelism, options)
                })
            })
        })
    })
}

/// A folder for checkpoints: in memory where there is such a file system, since waiting for a
/// disk proves nothing here.
pub(crate) fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir()).unwrap()
}

/// Saves into a folder every so many milliseconds.
pub(crate) fn saving(folder: &Path, interval_ms: u64) -> Option<CheckpointOptions> {
    Some(CheckpointOptions { dir: folder.to_owned(), interval_ms, timeout_ms: 600_000 })
}

/// Removes the files of a folder, and no folder.
pub(crate) fn clear(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_file() {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
}
