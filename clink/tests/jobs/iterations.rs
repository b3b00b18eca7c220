//! Lets records go round: what is saved of them, and what goes wrong.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use clink::prelude::*;
use clink::run::Ending;
use clink::{IterationConfig, Job, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::NoObserver;
use clink_runtime::scheduler::SchedulerKind;

use crate::support::{Cut, Seen, folder, saving, schedulers};

/// How many seeds to try: a twentieth of what is asked for, since each runs several jobs.
fn seeds() -> u64 {
    let asked = std::env::var("CLINK_SIM_SEEDS").ok();
    asked.map_or(1_000, |count| count.parse().expect("CLINK_SIM_SEEDS is a number")) / 20
}

/// Roots of trees that an iteration unfolds.
const ROOTS: u64 = 30;

/// The levels of each tree.
const LEVELS: u64 = 5;

/// Unfolds trees of numbers: each number gives two for the next level, those of the last leave.
/// One attempt, cut after so many of them.
fn unfold(folder: &Path, options: &RunOptions, parallelism: u32, (cut, at): (Cut, u64)) -> String {
    let (pass, signals) = cut.after(at);
    let path = folder.join("leaves.txt");
    let job = Job::build_with("trees", Some(parallelism), |pipeline| {
        let roots = pipeline.generate(ROOTS, |n| (0_u64, n)).uid("roots");
        let config = IterationConfig::new().uid("unfold");
        let leaves = roots.iterate(config, |nodes| {
            let [inner, leaves] =
                nodes.split(["inner", "leaves"], |(level, _)| u32::from(*level == LEVELS));
            let children =
                inner.flat_map(|(level, n)| [(level + 1, n * 2), (level + 1, n * 2 + 1)]);
            // What is fed back comes over a shuffle.
            let children = children.key_by(|(_, n)| *n).process(Pass).uid("children");
            (children, leaves)
        });
        let leaves = leaves.map(|(_, n)| n).map(pass).map(|n| n.to_string());
        leaves.sink(files::text_sink(path.to_str().unwrap())).uid("leaves");
        Ok(())
    });
    match job.unwrap().run_watched(options, &signals, &mut NoObserver) {
        Ok(report) => format!("{:?}", report.ending),
        Err(error) => error.to_string(),
    }
}

/// Passes records on.
#[clink::operator(uid = "pass")]
struct Pass;

impl KeyedOperator for Pass {
    type Key = u64;
    type In = (u64, u64);
    type Out = (u64, u64);

    fn process(&mut self, node: (u64, u64), ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        ctx.emit(node);
        Ok(())
    }
}

/// Every number in the files, in order.
fn written(folder: &Path) -> Vec<u64> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_name().to_string_lossy().starts_with("leaves.txt") {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            numbers.extend(text.lines().map(|line| line.parse::<u64>().unwrap()));
        }
    }
    numbers.sort_unstable();
    numbers
}

/// True if an attempt went on from a checkpoint.
fn check(seed: u64) -> bool {
    let folder = folder();
    let mut random = fastrand::Rng::with_seed(seed);
    let leaves = ROOTS << LEVELS;
    let (mut told, mut went_on) = (Vec::new(), false);
    for attempt in 0..10 {
        let cut = match (attempt, random.u8(..3)) {
            (9, _) => Cut::Never,
            (_, 0) => Cut::Stop,
            (_, 1) => Cut::Cancel,
            _ => Cut::Panic,
        };
        let state = folder.path().join("state");
        let found = std::fs::read_dir(state.join("trees")).into_iter().flatten();
        let found = found.map(Result::unwrap).any(|e| e.path().join("manifest.json").exists());
        went_on |= found;
        let options = RunOptions {
            scheduler: SchedulerKind::Simulation { seed: random.u64(..) },
            channel_capacity: *random.choice(&[1, 3, 2_048]).unwrap(),
            checkpoints: saving(&state, *random.choice(&[1, 5, 20]).unwrap()),
            restore: found.then_some(RestorePoint::Latest),
            ..RunOptions::default()
        };
        let parallelism = random.u32(1..=4);
        let ended = unfold(folder.path(), &options, parallelism, (cut, random.u64(..leaves / 3)));
        told.push(format!("{cut:?} at parallelism {parallelism}, restored: {found}: {ended}"));
        if ended == "Finished" {
            let expected: Vec<u64> = (0..leaves).collect();
            assert!(written(folder.path()) == expected, "seed {seed}: {told:#?}");
            return went_on;
        }
    }
    panic!("seed {seed} has not ended: {told:#?}");
}

#[test]
fn what_goes_round_is_saved_and_each_record_comes_out_once_under_seeds_b08() {
    let went_on = (0..seeds()).filter(|seed| check(*seed)).count();
    assert!(went_on as u64 >= seeds() / 4, "only {went_on} went on from a checkpoint");
}

#[test]
fn a_cap_that_is_hit_is_an_error_that_says_so() {
    for scheduler in schedulers() {
        let job = Job::build_with("endless", Some(2), |pipeline| {
            let config = IterationConfig::new().max_records(100);
            let numbers = pipeline.generate(3, |n| n).iterate(config, |numbers| {
                let numbers = numbers.name("search");
                (numbers.clone().map(|n| n + 1), numbers)
            });
            numbers.sink(blackhole());
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let error = job.unwrap().run(&options).unwrap_err().to_string();
        assert!(
            error.contains("more than 100 records") && error.contains("`max_records`"),
            "{error}"
        );
        assert!(error.contains("`search`"), "{error}");
    }
}

/// Gives each record back after a while of processing time.
#[clink::operator(uid = "delay")]
#[derive(Default)]
struct Delay {
    #[state]
    held: ValueState<u64>,
}

impl KeyedOperator for Delay {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.held.set(ctx, n)?;
        let now_ms = ctx.runtime().processing_time_ms();
        ctx.timers().register_processing_time(now_ms + 50);
        Ok(())
    }

    fn on_processing_time_timer(&mut self, _: i64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        if let Some(n) = self.held.get(ctx)?.copied() {
            ctx.emit(n);
        }
        Ok(())
    }
}

#[test]
fn the_idle_threshold_waits_for_what_a_timer_in_the_body_brings() {
    for scheduler in schedulers() {
        let seen = Seen::default();
        let job = Job::build_with("delayed", Some(2), |pipeline| {
            let config = IterationConfig::new().idle_threshold(Duration::from_millis(400));
            let numbers = pipeline.generate(10, |n| n * 1_000).iterate(config, |numbers| {
                let [on, done] = numbers.split(["on", "done"], |n| u32::from(n % 1_000 == 2));
                let later = on.map(|n| n + 1).key_by(|n| n / 1_000).process(Delay::default());
                (later, done)
            });
            numbers.map(seen.tap()).sink(blackhole());
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        job.unwrap().run(&options).unwrap();
        let mut found = seen.all();
        found.sort_unstable();
        let expected: Vec<u64> = (0..10).map(|n| n * 1_000 + 2).collect();
        assert_eq!(found, expected, "{scheduler:?}");
    }
}

/// Emits what it has taken only at the end of its input.
#[clink::operator(uid = "late")]
#[derive(Default)]
struct Late {
    #[transient]
    taken: Vec<u64>,
}

impl Operator for Late {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, _: &mut Context<'_, u64>) -> Result<()> {
        self.taken.push(n);
        Ok(())
    }

    fn flush(&mut self, ctx: &mut Context<'_, u64>) -> Result<()> {
        self.taken.drain(..).for_each(|n| ctx.emit(n));
        Ok(())
    }
}

#[test]
fn what_is_fed_back_after_the_end_is_an_error_and_not_lost() {
    let job = Job::build("late", |pipeline| {
        let numbers = pipeline.generate(3, |n| n).iterate(IterationConfig::new(), |numbers| {
            (numbers.clone().process(Late::default()), numbers)
        });
        numbers.sink(blackhole());
        Ok(())
    });
    let error = job.unwrap().run(&RunOptions::default()).unwrap_err().to_string();
    assert!(error.contains("fed back after its iteration had ended"), "{error}");
}

#[test]
fn a_stop_lets_what_goes_round_come_out() {
    for scheduler in schedulers() {
        let seen = Seen::default();
        let (pass, signals) = Cut::Stop.after(40);
        let job = Job::build_with("stopped", Some(2), |pipeline| {
            let endless = pipeline.generate(u64::MAX, |n| n).map(pass);
            let numbers = endless.iterate(IterationConfig::new(), |numbers| {
                let [on, done] = numbers.split(["on", "done"], |n| u32::from(n % 10 == 0));
                (on.map(|n| n - 1), done)
            });
            numbers.map(seen.tap()).sink(blackhole());
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let report = job.unwrap().run_watched(&options, &signals, &mut NoObserver).unwrap();
        assert_eq!(report.ending, Ending::Stopped);
        // Each number has come down to the ten below it: those below n are n all together.
        let mut counts = BTreeMap::<u64, u64>::new();
        seen.all().into_iter().for_each(|n| *counts.entry(n).or_default() += 1);
        assert!(counts.keys().all(|n| n % 10 == 0), "{scheduler:?}");
        assert!(counts.values().all(|count| *count <= 10), "{scheduler:?}");
        let read: u64 = report
            .view
            .instances
            .iter()
            .filter(|i| i.name.contains("generate"))
            .map(|i| i.metrics.records_out())
            .sum();
        assert_eq!(counts.values().sum::<u64>(), read, "{scheduler:?}");
    }
}

#[test]
fn an_iteration_whose_feedback_comes_from_elsewhere_is_refused() {
    let job = Job::build("elsewhere", |pipeline| {
        let others = pipeline.generate(3, |n| n);
        let numbers = pipeline.generate(3, |n| n);
        let out = numbers.iterate(IterationConfig::new(), |numbers| (others, numbers));
        out.sink(blackhole());
        Ok(())
    });
    let error = job.unwrap().run(&RunOptions::default()).unwrap_err().to_string();
    assert!(error.contains("P0907") && error.contains("iterations.rs:"), "{error}");
}
