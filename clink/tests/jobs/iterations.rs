//! Interrupts jobs whose records go round, and compares what comes out in the end with one that
//! nobody disturbed.

use std::path::Path;

use clink::prelude::*;
use clink::run::Ending;
use clink::{IterationConfig, Job, JobError, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::{JobReport, NoObserver};
use clink_runtime::scheduler::SchedulerKind;

use crate::read_back::{Row, numbers};
use crate::support::{Cut, Seen, folder, saving};

/// Numbers that go round.
const COUNT: u64 = 150;

/// Rounds of all numbers: number `n` goes round `n % ROUNDS` times.
const ROUNDS: u64 = 12;

/// How many stories; each writes files, so they are few whatever is asked for.
const STORIES: u64 = 60;

/// How often a record of a key has come round.
#[clink::operator(uid = "rounds")]
#[derive(Default)]
struct Rounds {
    #[state]
    seen: ValueState<u64>,
}

impl KeyedOperator for Rounds {
    type Key = u64;
    type In = u64;
    type Out = (u64, u64);

    fn process(&mut self, number: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let seen = self.seen.update(ctx, |n| n + 1)?;
        ctx.emit((number, seen));
        Ok(())
    }
}

/// One attempt in the folder, cut after so many records of all rounds.
fn attempt(
    folder: &Path,
    options: &RunOptions,
    parallelism: u32,
    (cut, at): (Cut, u64),
) -> Result<JobReport, JobError> {
    let (pass, signals) = cut.after(at);
    let out = folder.join("numbers.ndjson");
    let job = Job::build_with("rounds", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| n).uid("numbers").set_parallelism(1);
        let done = numbers.iterate(IterationConfig::new().uid("again"), |numbers| {
            let counted = numbers.map(pass).key_by(|n| *n).process(Rounds::default());
            let [done, on] =
                counted.split(["done", "on"], |(number, seen)| u32::from(*seen <= number % ROUNDS));
            (on.map(|(number, _)| number), done)
        });
        let rows = done.map(|(number, _)| Row { number, text: None });
        rows.sink(files::ndjson_sink(out.to_str().unwrap()));
        Ok(())
    });
    job.unwrap().run_watched(options, &signals, &mut NoObserver)
}

/// Cuts a job a few times and lets it end; each number has come out once then. True if an attempt
/// went on from a checkpoint.
fn check(seed: u64) -> bool {
    let folder = folder();
    let (state, out) = (folder.path().join("state"), folder.path().join("out"));
    std::fs::create_dir(&out).unwrap();
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut told, mut restored) = (vec![format!("seed {seed}")], false);
    for turn in 0..4 {
        let parallelism = random.u32(1..=5);
        let cuts = [Cut::Stop, Cut::Cancel, Cut::Panic];
        let cut = if turn == 3 { Cut::Never } else { *random.choice(&cuts).unwrap() };
        let at = random.u64(..COUNT * ROUNDS / 2);
        let jobs = std::fs::read_dir(state.join("rounds")).into_iter().flatten();
        let saved = jobs.map(Result::unwrap).any(|job| job.path().join("manifest.json").exists());
        restored |= saved;
        let options = RunOptions {
            scheduler: SchedulerKind::Simulation { seed: random.u64(..) },
            channel_capacity: *random.choice(&[1, 8, 2_048]).unwrap(),
            checkpoints: saving(&state, *random.choice(&[5, 40, 200]).unwrap()),
            restore: saved.then_some(RestorePoint::Latest),
            ..RunOptions::default()
        };
        let result = attempt(&out, &options, parallelism, (cut, at));
        let ended = result.map(|report| report.ending).map_err(|error| error.to_string());
        told.push(format!("parallelism {parallelism}, {cut:?} at {at}, from {saved}: {ended:?}"));
        match ended {
            Err(error) => assert!(cut == Cut::Panic && error.contains("cut"), "{told:#?}"),
            Ok(ending) => assert!(cut != Cut::Never || ending == Ending::Finished, "{told:#?}"),
        }
    }
    assert_eq!(numbers(&out), (0..COUNT).collect::<Vec<_>>(), "{told:#?}");
    restored
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
fn what_goes_round_comes_out_once_after_failures_at_changing_parallelism_under_seeds() {
    let restored = (0..STORIES).filter(|seed| check(*seed)).count() as u64;
    assert!(restored > STORIES / 2, "only {restored} of {STORIES} stories had a restore");
}
