//! Interrupts jobs at random records under many seeds, lets them go on at another parallelism, and
//! compares what they remember with a run that nobody disturbed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use clink::prelude::*;
use clink::run::{CheckpointOptions, Ending};
use clink::{Job, JobError, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::{JobReport, NoObserver, Signal};
use clink_runtime::scheduler::SchedulerKind;
use crossbeam_channel::Sender;

use crate::support::{Seen, folder, saving};

/// Records of the longer of the two sources.
const LONG: u64 = 2_400;

/// Records of the shorter one, which ends while the other still runs.
const SHORT: u64 = 60;

/// Keys: more than key groups of one subtask.
const KEYS: u64 = 37;

/// How many seeds to try: a quarter of what is asked for, since each runs several jobs.
fn seeds() -> u64 {
    let asked = std::env::var("CLINK_SIM_SEEDS").ok();
    asked.map_or(500, |count| count.parse().expect("CLINK_SIM_SEEDS is a number")) / 4
}

/// Counts and adds up the records of a key.
#[clink::operator(uid = "sum")]
#[derive(Default)]
struct Sum {
    #[state]
    count: ValueState<u64>,
    #[state]
    total: ValueState<u64>,
}

impl KeyedOperator for Sum {
    type Key = u64;
    type In = u64;
    type Out = (u64, u64, u64);

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let count = self.count.update(ctx, |count| count + 1)?;
        let total = self.total.update(ctx, |total| total + n)?;
        let key = *ctx.key();
        ctx.emit((key, count, total));
        Ok(())
    }
}

/// Counts the records that pass, in a row per instance, and tells its count when it is closed.
#[clink::operator(uid = "tally")]
#[derive(Default)]
struct Tally {
    attempt: u64,
    #[state]
    passed: OperatorListState<u64>,
}

impl Operator for Tally {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        let passed: u64 = self.passed.rows().iter().sum();
        self.passed.set(vec![passed + 1]);
        ctx.emit(n);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        let passed = self.passed.rows().iter().sum::<u64>();
        *PASSED.lock().unwrap().entry(self.attempt).or_default() += passed;
        Ok(())
    }
}

/// What the tallies of each attempt counted.
static PASSED: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

/// A number for each attempt.
static ATTEMPTS: AtomicU64 = AtomicU64::new(0);

/// How an attempt is cut short, after how many records.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Stop(u64),
    Panic(u64),
    Cancel(u64),
    Never,
}

/// What one attempt lets a test see.
#[derive(Default)]
struct Attempt {
    sums: Seen<(u64, u64, u64)>,
    number: u64,
}

/// The job under test; it is cut after so many records have passed the first operator.
fn job(parallelism: u32, cut: Cut, signals: Sender<Signal>, attempt: &Attempt) -> Job {
    let passed = Arc::new(AtomicU64::new(0));
    let number = attempt.number;
    let sums = attempt.sums.tap();
    let build = |pipeline: &Pipeline| {
        let long = pipeline.generate(LONG, |n| n).uid("long");
        let short = pipeline.generate(SHORT, |n| n + LONG).uid("short");
        let tallied = long.union(short).process(Tally { attempt: number, ..Tally::default() }).map(
            move |n| {
                let passed = passed.fetch_add(1, Ordering::Relaxed);
                let _ = match cut {
                    Cut::Stop(at) if at == passed => signals.try_send(Signal::Stop),
                    Cut::Cancel(at) if at == passed => signals.try_send(Signal::Cancel),
                    Cut::Panic(at) if at == passed => panic!("a failure after {at} records"),
                    _ => Ok(()),
                };
                n
            },
        );
        tallied.key_by(|n| n % KEYS).process(Sum::default()).map(sums).sink(blackhole());
        Ok(())
    };
    Job::build_with("recovery", Some(parallelism), build).unwrap()
}

/// A story chosen by a seed: attempts that are cut, one that is not, and a look at the state.
struct Story<'a> {
    random: fastrand::Rng,
    checkpoints: &'a Path,
    told: Vec<String>,
    last: BTreeMap<u64, (u64, u64)>,
}

impl Story<'_> {
    fn options(&mut self, parallelism: u32) -> RunOptions {
        let seed = self.random.u64(..);
        let interval_ms = *self.random.choice(&[1, 10, 50, 200]).unwrap();
        // Short ones give checkpoints up on the way, and the next one overtakes them.
        let timeout_ms = *self.random.choice(&[3, 20, 100, 600_000]).unwrap();
        let channel_capacity = *self.random.choice(&[1, 3, 16, 2_048]).unwrap();
        let complete = std::fs::read_dir(self.checkpoints.join("recovery")).into_iter().flatten();
        let found = complete.map(Result::unwrap).any(|e| e.path().join("manifest.json").exists());
        self.told.push(format!(
            "parallelism {parallelism}, capacity {channel_capacity}, every {interval_ms} ms, \
             given up after {timeout_ms} ms, simulation {seed}, restored: {found}"
        ));
        RunOptions {
            scheduler: SchedulerKind::Simulation { seed },
            channel_capacity,
            checkpoints: saving(self.checkpoints, interval_ms)
                .map(|checkpoints| CheckpointOptions { timeout_ms, ..checkpoints }),
            restore: found.then_some(RestorePoint::Latest),
            ..RunOptions::default()
        }
    }

    fn attempt(&mut self, cut: Cut) -> (Attempt, Result<JobReport, JobError>) {
        let parallelism = self.random.u32(1..=6);
        let options = self.options(parallelism);
        let (send, signals) = crossbeam_channel::bounded(2);
        let number = ATTEMPTS.fetch_add(1, Ordering::Relaxed);
        let attempt = Attempt { number, ..Attempt::default() };
        let job = job(parallelism, cut, send, &attempt);
        let result = job.run_watched(&options, &signals, &mut NoObserver);
        let ending = result.as_ref().map(|report| report.ending).map_err(ToString::to_string);
        self.told.push(format!("{cut:?}: {ending:?}"));
        for (key, count, total) in attempt.sums.all() {
            self.last.insert(key, (count, total));
        }
        (attempt, result)
    }

    fn cut(&mut self) {
        let at = self.random.u64(..LONG + SHORT);
        let cut = match self.random.u8(..3) {
            0 => Cut::Stop(at),
            1 => Cut::Cancel(at),
            _ => Cut::Panic(at),
        };
        let (_, result) = self.attempt(cut);
        match result {
            Ok(_) => {}
            Err(error) => assert!(error.to_string().contains("a failure after"), "{error}"),
        }
    }

    /// What the last checkpoint holds for each key.
    fn remembered(&mut self) -> BTreeMap<u64, (u64, u64)> {
        let parallelism = self.random.u32(1..=6);
        let mut options = self.options(parallelism);
        options.allow_unmatched_state = true;
        let seen = Seen::default();
        let job = Job::build_with("recovery", Some(parallelism), |pipeline| {
            let keys = pipeline.generate(KEYS, |key| key).uid("probes");
            let sums = keys.key_by(|key| *key).process(Probe::default());
            sums.map(seen.tap()).sink(blackhole());
            Ok(())
        });
        job.unwrap().run(&options).unwrap();
        seen.all().into_iter().map(|(key, count, total)| (key, (count, total))).collect()
    }
}

/// Reads the state of [`Sum`] under its uid.
#[clink::operator(uid = "sum")]
#[derive(Default)]
struct Probe {
    #[state]
    count: ValueState<u64>,
    #[state]
    total: ValueState<u64>,
}

impl KeyedOperator for Probe {
    type Key = u64;
    type In = u64;
    type Out = (u64, u64, u64);

    fn process(&mut self, _: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let count = self.count.get(ctx)?.copied().unwrap_or_default();
        let total = self.total.get(ctx)?.copied().unwrap_or_default();
        let key = *ctx.key();
        ctx.emit((key, count, total));
        Ok(())
    }
}

fn expected() -> BTreeMap<u64, (u64, u64)> {
    let mut sums: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for n in 0..LONG + SHORT {
        let (count, total) = sums.entry(n % KEYS).or_default();
        (*count, *total) = (*count + 1, *total + n);
    }
    sums
}

/// True if the last attempt had both something to go on from and something left to do.
fn check(seed: u64) -> bool {
    let checkpoints = folder();
    let mut story = Story {
        random: fastrand::Rng::with_seed(seed),
        checkpoints: checkpoints.path(),
        told: Vec::new(),
        last: BTreeMap::new(),
    };
    for _ in 0..story.random.u32(1..=3) {
        story.cut();
    }
    let (attempt, result) = story.attempt(Cut::Never);
    let told = |story: &Story<'_>| {
        format!(
            "seed {seed}; replay: CLINK_ONE_SEED={seed} cargo test -p clink --test jobs \
             interrupted\n{:#?}",
            story.told
        )
    };
    let report = result.unwrap_or_else(|error| panic!("{error}: {}", told(&story)));
    assert_eq!(report.ending, Ending::Finished, "{}", told(&story));
    let went_on = report.view.restored_from.is_some() && !attempt.sums.all().is_empty();
    let passed = PASSED.lock().unwrap().remove(&attempt.number).unwrap_or_default();
    assert_eq!(
        passed,
        LONG + SHORT,
        "operator state counts records twice or not: {}",
        told(&story)
    );
    assert_eq!(story.last, expected(), "{}", told(&story));
    let remembered = story.remembered();
    assert_eq!(remembered, expected(), "state: {}", told(&story));
    went_on
}

#[test]
fn interrupted_jobs_remember_each_record_once_under_many_seeds() {
    if let Ok(seed) = std::env::var("CLINK_ONE_SEED") {
        check(seed.parse().expect("CLINK_ONE_SEED is a number"));
        return;
    }
    let (next, went_on) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let worker = || {
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= seeds() {
                    return;
                }
                went_on.fetch_add(check(seed).into(), Ordering::Relaxed);
            }
        };
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        (0..workers).for_each(|_| {
            scope.spawn(worker);
        });
    });
    let went_on = went_on.into_inner();
    assert!(went_on > seeds() / 4, "only {went_on} of {} seeds restored in mid-stream", seeds());
}
