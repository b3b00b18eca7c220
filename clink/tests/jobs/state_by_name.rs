//! Keeps state under names that only the operator at work knows, and looks for it again: under the
//! same name, in a field, at another parallelism, after a long time in which nobody asked.

use std::collections::BTreeMap;
use std::path::Path;

use clink::prelude::*;
use clink::run::NoObserver;
use clink::{Job, JobError, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::operator::OperatorFields;
use clink_runtime::scheduler::SchedulerKind;

use crate::support::{Cut, Numbers, Seen, every_way, folder, saving};

/// Keys.
const KEYS: u64 = 13;

/// What an operator emits: the key, and the value under each name.
type Values = (u64, u64, u64);

/// Counts the records of a key under `first` and adds them up under `second`, if these are given:
/// an empty one is not asked for.
#[clink::operator(uid = "named")]
#[derive(Clone, Default)]
struct Named {
    first: String,
    second: String,
}

impl KeyedOperator for Named {
    type Key = u64;
    type In = u64;
    type Out = Values;

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let (mut count, mut sum) = (0, 0);
        if !self.first.is_empty() {
            count = ctx.keyed_state::<u64>(&self.first)?.update(|count| count + 1)?;
        }
        if !self.second.is_empty() {
            sum = ctx.keyed_state::<u64>(&self.second)?.update(|sum| sum + n)?;
        }
        let key = *ctx.key();
        ctx.emit((key, count, sum));
        Ok(())
    }
}

fn named(first: &str, second: &str) -> Named {
    Named { first: first.to_owned(), second: second.to_owned() }
}

/// The same, remembered in fields.
#[clink::operator(uid = "named")]
#[derive(Default)]
struct Fields {
    #[state]
    count: ValueState<u64>,
    #[state]
    sum: ValueState<u64>,
}

impl KeyedOperator for Fields {
    type Key = u64;
    type In = u64;
    type Out = Values;

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let count = self.count.update(ctx, |count| count + 1)?;
        let sum = self.sum.update(ctx, |sum| sum + n)?;
        let key = *ctx.key();
        ctx.emit((key, count, sum));
        Ok(())
    }
}

/// The same, by names that were fields.
#[clink::operator(uid = "named")]
struct Moved;

impl KeyedOperator for Moved {
    type Key = u64;
    type In = u64;
    type Out = Values;

    const STATE_BY_NAME: &'static [&'static str] = &["count", "sum"];

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let count = ctx.keyed_state::<u64>("count")?.update(|count| count + 1)?;
        let mut state = ctx.keyed_state::<u64>("sum")?;
        *state.get_mut()? += n;
        let sum = state.get()?.copied().unwrap_or_default();
        let key = *ctx.key();
        ctx.emit((key, count, sum));
        Ok(())
    }
}

/// How to run a job over numbers that goes on from whatever is in a folder.
#[derive(Clone, Copy)]
struct Run<'f> {
    folder: &'f Path,
    parallelism: u32,
    keys: u64,
    allow_unmatched_state: bool,
}

impl Run<'_> {
    fn at(folder: &Path, parallelism: u32) -> Run<'_> {
        Run { folder, parallelism, keys: KEYS, allow_unmatched_state: false }
    }

    /// The last values of each key.
    fn over(
        self,
        numbers: std::ops::Range<u64>,
        operator: impl KeyedOperator<Key = u64, In = u64, Out = Values> + OperatorFields,
    ) -> Result<BTreeMap<u64, (u64, u64)>, JobError> {
        self.through(numbers, |keyed| keyed.process(operator))
    }

    fn through(
        self,
        numbers: std::ops::Range<u64>,
        follow: impl for<'p> FnOnce(KeyedDataStream<'p, u64, u64>) -> DataStream<'p, Values>,
    ) -> Result<BTreeMap<u64, (u64, u64)>, JobError> {
        let Self { folder, parallelism, keys, allow_unmatched_state } = self;
        let seen = Seen::default();
        let (from, to) = (numbers.start, numbers.end);
        let job = Job::build_with("named", Some(parallelism), |pipeline| {
            // A source of its own for each run: it starts afresh.
            let source = format!("numbers-{from}-{to}");
            let numbers = pipeline.source(Numbers::between(from, to)).uid(&source);
            follow(numbers.key_by(move |n| n % keys)).map(seen.tap()).sink(blackhole());
            Ok(())
        });
        let restores = folder.join("named").exists();
        let options = RunOptions {
            scheduler: SchedulerKind::Simulation { seed: 7 },
            checkpoints: saving(folder, 86_400_000),
            restore: restores.then_some(RestorePoint::Latest),
            allow_unmatched_state,
            ..RunOptions::default()
        };
        job?.run(&options)?;
        Ok(seen.all().into_iter().map(|(key, count, sum)| (key, (count, sum))).collect())
    }
}

/// What each key has come to after the numbers below some.
fn expected(below: u64) -> BTreeMap<u64, (u64, u64)> {
    let mut sums: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for n in 0..below {
        let (count, sum) = sums.entry(n % KEYS).or_default();
        (*count, *sum) = (*count + 1, *sum + n);
    }
    sums
}

#[test]
fn values_by_name_are_those_of_the_key_at_hand() {
    let expected: Vec<Values> = (0..300)
        .map(|n| (n % KEYS, n / KEYS + 1, (n % KEYS..=n).step_by(KEYS as usize).sum()))
        .collect();
    every_way(&expected, |pipeline, seen, _| {
        let numbers = pipeline.generate(300, |n| n).set_parallelism(1).key_by(|n| n % KEYS);
        numbers.process(named("count", "sum")).map(seen.tap()).sink(blackhole());
    });
}

/// Every handover from one form to another, at other parallelisms; `Moved` says that it asks for
/// what were fields.
#[test]
fn what_one_form_has_left_the_other_finds_at_any_parallelism() {
    for (before, after) in [(1, 1), (1, 4), (4, 3), (3, 1), (2, 7)] {
        let folder = folder();
        let (before, after) = (Run::at(folder.path(), before), Run::at(folder.path(), after));
        let by_name = || named("count", "sum");
        before.over(0..40, by_name()).unwrap();
        assert_eq!(after.over(40..80, by_name()).unwrap(), expected(80), "name → name");
        assert_eq!(before.over(80..120, Fields::default()).unwrap(), expected(120));
        assert_eq!(after.over(120..160, Moved).unwrap(), expected(160), "field → name");
        assert_eq!(before.over(160..200, by_name()).unwrap(), expected(200), "name → name");
        assert_eq!(after.over(200..240, Fields::default()).unwrap(), expected(240));
    }
}

#[test]
fn rows_that_nobody_asked_for_are_there_for_whoever_does_later() {
    for parallelisms in [[1, 1, 1, 1], [3, 1, 4, 2], [1, 5, 2, 7]] {
        let folder = folder();
        let [first, second, third, fourth] = parallelisms.map(|p| Run::at(folder.path(), p));
        first.over(0..100, named("count", "sum")).unwrap();
        // One record, so that most subtasks have none; and nobody asks for anything.
        second.over(100..101, named("", "")).unwrap();
        let counts = third.over(101..140, named("count", "")).unwrap();
        for (key, (count, _)) in expected(140) {
            assert_eq!(counts[&key].0, count - u64::from(key == 100 % KEYS), "key {key}");
        }
        let sums = fourth.over(140..200, named("", "sum")).unwrap();
        for (key, (_, sum)) in expected(200) {
            let missed: u64 = (100..140).filter(|n| n % KEYS == key).sum();
            assert_eq!(sums[&key].1, sum - missed, "key {key}");
        }
        // At last both again, in fields: no key has lost a value.
        let both = first.over(200..213, Fields::default()).unwrap();
        for (key, (count, sum)) in expected(213) {
            let missed: u64 = (100..140).filter(|n| n % KEYS == key).sum();
            let uncounted = (140..200).filter(|n| n % KEYS == key).count() as u64;
            let count = count - u64::from(key == 100 % KEYS) - uncounted;
            assert_eq!(both[&key], (count, sum - missed), "key {key}");
        }
    }
}

/// Sets a value for each key and one under another name for each hundredth; or clears the first.
#[clink::operator(uid = "named")]
struct Passing {
    keeps: bool,
}

impl KeyedOperator for Passing {
    type Key = u64;
    type In = u64;
    type Out = Values;

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let key = *ctx.key();
        let mut state = ctx.keyed_state::<u64>("early")?;
        if !self.keeps {
            assert_eq!(state.get()?, Some(&n).filter(|n| **n < 10_000), "key {key}");
            return Ok(state.clear()?);
        }
        state.set(n)?;
        assert_eq!(state.get()?, Some(&n));
        if key.is_multiple_of(100) {
            ctx.keyed_state::<u64>("kept")?.set(key + 1)?;
        }
        Ok(())
    }
}

/// Says what is kept.
#[clink::operator(uid = "named")]
struct Shows;

impl KeyedOperator for Shows {
    type Key = u64;
    type In = u64;
    type Out = Values;

    fn process(&mut self, _: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let key = *ctx.key();
        let value = ctx.keyed_state::<u64>("kept")?.get()?.copied();
        ctx.emit((key, value.unwrap_or_default(), 0));
        Ok(())
    }
}

/// Keys without a value are forgotten; those of values by name are not, nor those of restored rows
/// that nobody has asked for.
#[test]
fn values_by_name_stay_with_their_keys_while_keys_without_one_are_forgotten() {
    let folder = folder();
    let many = Run { keys: u64::MAX, ..Run::at(folder.path(), 2) };
    many.over(0..10_000, Passing { keeps: true }).unwrap();
    many.over(0..30_000, Passing { keeps: false }).unwrap();
    for (key, (value, _)) in many.over(0..10_001, Shows).unwrap() {
        let is_kept = key.is_multiple_of(100) && key < 10_000;
        assert_eq!(value, if is_kept { key + 1 } else { 0 }, "key {key}");
    }
}

#[track_caller]
fn assert_refused<T>(outcome: Result<T, JobError>, says: &str) {
    let error = outcome.map(drop).unwrap_err();
    let text = error.to_string();
    assert!(error.is_refusal() && text.contains(says), "`{says}` is not in:\n{text}");
}

fn reduced<'p>(keyed: KeyedDataStream<'p, u64, u64>) -> DataStream<'p, Values> {
    keyed.reduce(|a, b| a + b).uid("named").map(|n| (n, n, n))
}

#[test]
fn only_who_may_ask_by_name_is_trusted_with_rows_that_no_field_takes() {
    let folder = folder();
    let run = Run::at(folder.path(), 2);
    run.over(0..40, Fields::default()).unwrap();
    // A field that is gone is a loss, whether or not the operator asks for others by name.
    let gone = "slot `count` of operator `named`, slot `sum` of operator `named`";
    assert_refused(run.over(40..80, named("", "")), gone);
    assert_refused(run.over(40..80, named("count", "sum")), gone);
    run.over(40..80, Moved).unwrap();
    // What was asked for by name is lost where nobody can ask.
    assert_refused(run.through(80..120, reduced), gone);
    let forgetful = Run { allow_unmatched_state: true, ..run };
    forgetful.through(80..120, reduced).unwrap();
    assert_refused(run.over(120..160, named("count", "sum")), "slot `so_far` of operator `named`");
}

#[test]
fn a_field_that_is_dropped_is_not_found_by_name() {
    let folder = folder();
    let run = Run::at(folder.path(), 1);
    run.over(0..40, Fields::default()).unwrap();
    let forgetful = Run { allow_unmatched_state: true, ..run };
    let found = forgetful.over(40..53, named("count", "sum")).unwrap();
    assert_eq!(found, (40..53).map(|n| (n % KEYS, (1, n))).collect());
}

/// Asks for names that the number decides, so that each attempt knows other ones of them.
#[clink::operator(uid = "fickle")]
struct Fickle;

impl KeyedOperator for Fickle {
    type Key = u64;
    type In = u64;
    type Out = Values;

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        // Most names come rarely, and some in one stretch of the input only.
        let name = format!("name-{}", (n / 50) % 7);
        let mut state = ctx.keyed_state::<u64>(&name)?;
        match state.get()?.copied() {
            Some(sum) if sum.is_multiple_of(3) => state.clear()?,
            sum => state.set(sum.unwrap_or_default() + n)?,
        }
        let sum = state.get()?.copied().unwrap_or_default();
        let key = *ctx.key();
        ctx.emit((key, (n / 50) % 7, sum));
        Ok(())
    }
}

/// What the job of [`Fickle`] emits at last for each key and name.
type Last = BTreeMap<(u64, u64), u64>;

fn undisturbed(count: u64) -> Last {
    let mut last: BTreeMap<(u64, u64), Option<u64>> = BTreeMap::new();
    for n in 0..count {
        let sum = last.entry((n % KEYS, (n / 50) % 7)).or_default();
        *sum = match *sum {
            Some(sum) if sum.is_multiple_of(3) => None,
            sum => Some(sum.unwrap_or_default() + n),
        };
    }
    last.into_iter().map(|(at, sum)| (at, sum.unwrap_or_default())).collect()
}

/// Cuts attempts at random records and lets the job go on at other parallelisms.
#[test]
fn names_remember_each_record_once_through_interruptions_under_many_seeds() {
    let asked = std::env::var("CLINK_SIM_SEEDS").ok();
    // A fifth: each runs several jobs.
    let seeds = asked.map_or(500, |count| count.parse::<u64>().unwrap()) / 5;
    for seed in 0..seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let folder = folder();
        let (count, mut last, mut told) = (random.u64(200..900), Last::new(), Vec::new());
        let mut cuts: Vec<Cut> = (0..random.usize(..4))
            .map(|_| *random.choice(&[Cut::Stop, Cut::Crash, Cut::Panic]).unwrap())
            .collect();
        cuts.push(Cut::Never);
        for cut in cuts {
            let (parallelism, at) = (random.u32(1..=5), random.u64(..count));
            let (pass, signals) = cut.signalled(at);
            let seen = Seen::default();
            let job = Job::build_with("fickle", Some(parallelism), |pipeline| {
                let numbers = pipeline.generate(count, |n| n).uid("numbers");
                // One subtask gives them, in order, or the sums of a key would depend on it.
                let numbers = numbers.set_parallelism(1).map(pass).set_parallelism(1);
                let sums = numbers.key_by(|n| n % KEYS).process(Fickle);
                sums.map(seen.tap()).sink(blackhole());
                Ok(())
            });
            let complete = std::fs::read_dir(folder.path().join("fickle")).into_iter().flatten();
            let mut complete = complete.map(|entry| entry.unwrap().path().join("manifest.json"));
            let restore = complete.any(|path| path.exists()).then_some(RestorePoint::Latest);
            told.push(format!("{cut:?} at {at}, parallelism {parallelism}, {restore:?}"));
            let options = RunOptions {
                scheduler: SchedulerKind::Simulation { seed: random.u64(..) },
                channel_capacity: *random.choice(&[1, 3, 64, 2_048]).unwrap(),
                checkpoints: saving(folder.path(), *random.choice(&[1, 10, 100]).unwrap()),
                restore,
                ..RunOptions::default()
            };
            if let Err(error) = job.unwrap().run_watched(&options, &signals, &mut NoObserver) {
                assert!(error.to_string().contains("panicked: cut"), "seed {seed}: {error}");
            }
            last.extend(seen.all().into_iter().map(|(key, name, sum)| ((key, name), sum)));
        }
        assert_eq!(last, undisturbed(count), "seed {seed}: {told:#?}");
    }
}
