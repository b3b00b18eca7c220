//! Lets records go round: what is saved of them, and what goes wrong.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clink::prelude::*;
use clink::run::{Ending, NoObserver, SchedulerKind, Signal};
use clink::testing::{World, for_each_seed, seed_count};
use clink::{IterationConfig, Job, JobError, RunOptions};

use crate::support::{
    Cut, Interruptions, Pass, Seen, clear, folder, saving, schedulers, signal_after,
};

/// Roots of trees that an iteration unfolds.
const ROOTS: u64 = 30;

/// The levels of each tree.
const LEVELS: u64 = 5;

/// Unfolds trees of numbers: each number gives two for the next level, those of the last leave.
fn unfold(folder: &Path, parallelism: u32, pass: Pass<u64>) -> Result<Job, JobError> {
    let path = folder.join("leaves.txt");
    Job::build_with("trees", Some(parallelism), |pipeline| {
        let roots = pipeline.generate(ROOTS, |n| (0_u64, n)).uid("roots");
        let config = IterationConfig::new().uid("unfold");
        let leaves = roots.iterate(config, |nodes| {
            let [inner, leaves] =
                nodes.split(["inner", "leaves"], |(level, _)| u32::from(*level == LEVELS));
            let children =
                inner.flat_map(|(level, n)| [(level + 1, n * 2), (level + 1, n * 2 + 1)]);
            // What is fed back comes over a shuffle.
            let children = children.key_by(|(_, n)| *n).process(PassOn).uid("children");
            (children, leaves)
        });
        let leaves = leaves.map(|(_, n)| n).map(pass).map(|n| n.to_string());
        leaves.sink(files::text_sink(path.to_str().unwrap())).uid("leaves");
        Ok(())
    })
}

/// Passes records on.
#[clink::operator(uid = "pass")]
struct PassOn;

impl KeyedOperator for PassOn {
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
    let (path, leaves) = (folder.path(), ROOTS << LEVELS);
    let state = &path.join("state");
    let cuts = &[Cut::Stop, Cut::Crash, Cut::Panic];
    let story = Interruptions { job: "trees", state, attempts: 5, cuts, records: leaves / 3 };
    let went_on = story.run(&mut World::new(seed), |parallelism, pass, saved| {
        if !saved {
            // A job that starts afresh replaces its own files, not those of more subtasks.
            clear(path);
        }
        unfold(path, parallelism, pass)
    });
    assert_eq!(written(path), (0..leaves).collect::<Vec<_>>());
    went_on
}

/// A tenth of the seeds that are asked for, since each runs several jobs.
#[test]
fn what_goes_round_is_saved_and_each_record_comes_out_once_under_seeds_b08() {
    let went_on = AtomicU64::new(0);
    let checked = for_each_seed(0..seed_count(500) / 10, |seed| {
        went_on.fetch_add(check(seed).into(), Ordering::Relaxed);
    });
    let went_on = went_on.into_inner();
    assert!(went_on >= checked / 4, "only {went_on} of {checked} went on from a checkpoint");
}

/// Adds up to a multiple of ten in an iteration, and halves that in one around it until below 40.
fn halve_tens<'p>(numbers: DataStream<'p, u64>) -> DataStream<'p, u64> {
    numbers.iterate(IterationConfig::new().uid("halves"), |numbers| {
        let tens = numbers.iterate(IterationConfig::new().uid("tens"), |numbers| {
            let [tens, others] =
                numbers.split(["tens", "others"], |n| u32::from(!n.is_multiple_of(10)));
            let others = others.key_by(|n| *n).reduce(|_, n| n).uid("others");
            (others.map(|n| n + 1), tens)
        });
        let [small, large] = tens.split(["small", "large"], |n| u32::from(*n >= 40));
        let large = large.key_by(|n| *n).reduce(|_, n| n).uid("large");
        (large.map(|n| n / 2), small)
    })
}

#[test]
fn barriers_pass_where_an_iteration_waits_in_another_one_under_seeds() {
    let halved = |mut n: u64| {
        while !n.is_multiple_of(10) || n >= 40 {
            n = if n.is_multiple_of(10) { n / 2 } else { n + 1 };
        }
        n
    };
    let mut expected: Vec<u64> = (0..100).map(halved).collect();
    expected.sort_unstable();
    for_each_seed(0..seed_count(500) / 10, |seed| {
        let (folder, seen) = (folder(), Seen::default());
        let mut random = fastrand::Rng::with_seed(seed);
        let job = Job::build_with("nested", Some(random.u32(2..=4)), |pipeline| {
            let numbers = pipeline.generate(100, |n| n).uid("numbers");
            halve_tens(numbers).map(seen.tap()).sink(blackhole());
            Ok(())
        });
        let options = RunOptions {
            scheduler: SchedulerKind::Simulation { seed: random.u64(..) },
            channel_capacity: *random.choice(&[1, 3, 2_048]).unwrap(),
            checkpoints: saving(folder.path(), *random.choice(&[1, 5, 20]).unwrap()),
            ..RunOptions::default()
        };
        job.unwrap().run(&options).unwrap();
        let mut found = seen.all();
        found.sort_unstable();
        assert_eq!(found, expected);
    });
}

#[test]
fn a_record_that_goes_back_is_not_counted_as_written() {
    let seen = Seen::default();
    let job = Job::build("rounds", |pipeline| {
        let numbers = pipeline.generate(10, |n| n);
        let zeros = numbers.iterate(IterationConfig::new(), |numbers| {
            let [zero, more] = numbers.split(["zero", "more"], |n| u32::from(*n > 0));
            (more.map(|n| n - 1), zero)
        });
        zeros.map(seen.tap()).sink(blackhole());
        Ok(())
    });
    let job = job.unwrap();
    let targets = job.graph().operators.iter().filter_map(|op| op.params.get("feedback_to"));
    assert_eq!(targets.collect::<Vec<_>>(), ["op_1"]);
    let report = job.run(&RunOptions::default()).unwrap();
    assert_eq!(seen.all(), vec![0; 10]);
    let sinks = report.view.instances.iter().filter(|instance| instance.is_sink);
    let written: Vec<u64> = sinks.map(|sink| sink.metrics.records_in()).collect();
    assert_eq!(written, [10]);
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
        let (pass, signals) = signal_after(Signal::Stop, 40);
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
