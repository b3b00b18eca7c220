//! Interrupts jobs at random records under many seeds, lets them go on at another parallelism, and
//! compares what they remember with a run that nobody disturbed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clink::prelude::*;
use clink::run::{Ending, JobReport};
use clink::testing::{World, for_each_seed, seed_count};
use clink::{Job, JobError};

use crate::support::{Cut, Pass, Seen, folder};

/// Records of the longer of the two sources.
const LONG: u64 = 2_400;

/// Records of the shorter one, which ends while the other still runs.
const SHORT: u64 = 60;

/// Keys: more than key groups of one subtask.
const KEYS: u64 = 37;

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

/// What one attempt lets a test see.
#[derive(Default)]
struct Attempt {
    sums: Seen<(u64, u64, u64)>,
    number: u64,
}

/// The job under test.
fn job(parallelism: u32, pass: Pass<u64>, attempt: &Attempt) -> Result<Job, JobError> {
    let (number, sums) = (attempt.number, attempt.sums.tap());
    Job::build_with("recovery", Some(parallelism), |pipeline| {
        let long = pipeline.generate(LONG, |n| n).uid("long");
        let short = pipeline.generate(SHORT, |n| n + LONG).uid("short");
        let tallied = long.union(short).process(Tally { attempt: number, ..Tally::default() });
        let passed = tallied.map(pass).key_by(|n| n % KEYS);
        passed.process(Sum::default()).map(sums).sink(blackhole());
        Ok(())
    })
}

/// A story chosen by a seed: attempts that are cut, one that is not, and a look at the state.
struct Story<'a> {
    world: World,
    checkpoints: &'a Path,
    last: BTreeMap<u64, (u64, u64)>,
}

impl Story<'_> {
    /// What the next attempt must not depend on.
    fn vary(&mut self) {
        let interval_ms = self.world.choose(&[1, 10, 50, 200]);
        // Short ones give checkpoints up on the way, and the next one overtakes them.
        let timeout_ms = self.world.choose(&[3, 20, 100, 600_000]);
        self.world.vary().save_into(self.checkpoints, millis(interval_ms));
        self.world.set_checkpoint_timeout(millis(timeout_ms));
    }

    fn attempt(&mut self, cut: Cut) -> (Attempt, Result<JobReport, JobError>) {
        self.vary();
        let number = ATTEMPTS.fetch_add(1, Ordering::Relaxed);
        let attempt = Attempt { number, ..Attempt::default() };
        let pass = cut.after(self.world.number(0, LONG + SHORT - 1), &mut self.world);
        let result = self.world.run(|parallelism| job(parallelism, pass, &attempt));
        for (key, count, total) in attempt.sums.all() {
            self.last.insert(key, (count, total));
        }
        (attempt, result)
    }

    fn cut(&mut self) {
        let cut = self.world.choose(&[Cut::Stop, Cut::Crash, Cut::Panic]);
        let (_, result) = self.attempt(cut);
        match result {
            Ok(_) => {}
            Err(error) => assert!(error.to_string().contains("cut"), "{error}"),
        }
    }

    /// What the last checkpoint holds for each key.
    fn remembered(&mut self) -> BTreeMap<u64, (u64, u64)> {
        self.vary();
        self.world.allow_unmatched_state();
        let seen = Seen::default();
        let probing = |parallelism| {
            Job::build_with("recovery", Some(parallelism), |pipeline| {
                let keys = pipeline.generate(KEYS, |key| key).uid("probes");
                let sums = keys.key_by(|key| *key).process(Probe::default());
                sums.map(seen.tap()).sink(blackhole());
                Ok(())
            })
        };
        self.world.run(probing).unwrap();
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
    let world = World::new(seed);
    let mut story = Story { world, checkpoints: checkpoints.path(), last: BTreeMap::new() };
    for _ in 0..story.world.number(1, 3) {
        story.cut();
    }
    let (attempt, result) = story.attempt(Cut::Never);
    let report = result.unwrap();
    assert_eq!(report.ending, Ending::Finished);
    let went_on = report.view.restored_from.is_some() && !attempt.sums.all().is_empty();
    let passed = PASSED.lock().unwrap().remove(&attempt.number).unwrap_or_default();
    assert_eq!(passed, LONG + SHORT, "operator state counts records twice or not");
    assert_eq!(story.last, expected());
    assert_eq!(story.remembered(), expected(), "the state");
    went_on
}

/// A quarter of the seeds that are asked for, since each runs several jobs.
#[test]
fn interrupted_jobs_remember_each_record_once_under_many_seeds() {
    let went_on = AtomicU64::new(0);
    let checked = for_each_seed(0..seed_count(500) / 4, |seed| {
        went_on.fetch_add(check(seed).into(), Ordering::Relaxed);
    });
    let went_on = went_on.into_inner();
    assert!(went_on >= checked / 4, "only {went_on} of {checked} seeds restored in mid-stream");
}
