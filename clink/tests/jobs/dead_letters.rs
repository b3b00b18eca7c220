//! Lets operators report records that they cannot use, under each policy, and reads what the job,
//! the counts and the dead letters make of it, with stops, failures and restores in between.

use std::collections::BTreeMap;
use std::path::Path;

use clink::prelude::*;
use clink::run::{BadRecordPolicy, JobReport, NoObserver};
use clink::{Job, JobError, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::scheduler::SchedulerKind;
use crossbeam_channel::Receiver;
use proptest::prelude::*;

use crate::support::{Cut, Seen, folder, saving, schedulers};

/// Lets numbers pass and reports those that can be divided by seven.
#[clink::operator(uid = "check")]
struct Check;

impl Operator for Check {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        if n.is_multiple_of(7) {
            return ctx.runtime().report_bad_record("a multiple of seven", n);
        }
        ctx.emit(n);
        Ok(())
    }
}

/// Reports those that can be divided by eleven, with a key and another reason.
#[clink::operator(uid = "keyed-check")]
struct KeyedCheck;

impl KeyedOperator for KeyedCheck {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        if n.is_multiple_of(11) {
            let reason = format!("a multiple of eleven of key {}", ctx.key());
            return ctx.runtime().report_bad_record(reason, format_args!("{{\"n\":{n}}}"));
        }
        ctx.emit(n);
        Ok(())
    }
}

const COUNT: u64 = 1_000;

fn is_good(n: u64) -> bool {
    !n.is_multiple_of(7) && !n.is_multiple_of(11)
}

fn attempt(
    options: &RunOptions,
    parallelism: u32,
    seen: &Seen<u64>,
    (cut, signals): (impl Fn(u64) -> u64 + Send + Sync + 'static, Receiver<clink::run::Signal>),
) -> Result<JobReport, JobError> {
    let tap = seen.tap();
    let job = Job::build_with("letters", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| n).uid("numbers").map(cut);
        let checked = numbers.process(Check).key_by(|n| n % 5).process(KeyedCheck);
        checked.map(tap).sink(blackhole());
        Ok(())
    });
    job.unwrap().run_watched(options, &signals, &mut NoObserver)
}

fn whole(options: &RunOptions, parallelism: u32) -> Result<(JobReport, Vec<u64>), JobError> {
    let seen = Seen::default();
    let report = attempt(options, parallelism, &seen, Cut::Never.signalled(0))?;
    Ok((report, seen.all()))
}

/// How many records each operator has reported, by its uid.
fn counted(report: &JobReport) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for instance in &report.view.instances {
        *counts.entry(instance.uid.to_string()).or_default() += instance.metrics.bad_records();
    }
    counts.retain(|_, count| *count > 0);
    counts
}

fn letters(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_reported_record_fails_the_job_where_nothing_else_is_said() {
    for scheduler in schedulers() {
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let error = whole(&options, 1).map(|_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "operator `Check` (op_2, uid `check`), subtask 0: bad record: a multiple of seven: 0"
        );
        assert!(!error.is_refusal());
    }
}

#[test]
fn reported_records_are_skipped_or_kept_and_counted_for_their_operator() {
    let sevens = (0..COUNT).filter(|n| n.is_multiple_of(7)).count() as u64;
    let elevens = (0..COUNT).filter(|n| n.is_multiple_of(11) && !n.is_multiple_of(7)).count();
    let counts = [("check", sevens), ("keyed-check", elevens as u64)];
    let counts: BTreeMap<_, _> = counts.map(|(uid, count)| (uid.to_owned(), count)).into();
    for scheduler in schedulers() {
        for (parallelism, channel_capacity) in [(1, 1), (3, 2_048)] {
            let folder = folder();
            let dead = folder.path().join("bad.ndjson");
            for bad_records in [BadRecordPolicy::Skip, BadRecordPolicy::File(dead.clone())] {
                let options = RunOptions {
                    scheduler,
                    channel_capacity,
                    bad_records,
                    ..RunOptions::default()
                };
                let (report, mut seen) = whole(&options, parallelism).unwrap();
                seen.sort_unstable();
                assert_eq!(seen, (0..COUNT).filter(|n| is_good(*n)).collect::<Vec<_>>());
                assert_eq!(counted(&report), counts, "{scheduler:?}, {parallelism}");
            }
            let mut found: BTreeMap<String, u64> = BTreeMap::new();
            for letter in letters(&dead) {
                let payload = letter["payload"].as_str().unwrap();
                let uid = match letter["operator"].as_str().unwrap() {
                    "op_2" => {
                        let n: u64 = payload.parse().unwrap();
                        assert!(n.is_multiple_of(7), "{letter}");
                        assert_eq!(letter["reason"], "a multiple of seven");
                        "check"
                    }
                    _ => {
                        let n = serde_json::from_str::<serde_json::Value>(payload).unwrap();
                        let n = n["n"].as_u64().unwrap();
                        let reason = format!("a multiple of eleven of key {}", n % 5);
                        assert_eq!((&letter["operator"], n % 11), (&"op_3".into(), 0), "{letter}");
                        assert_eq!(letter["reason"], reason);
                        "keyed-check"
                    }
                };
                assert!(letter["subtask"].as_u64().unwrap() < parallelism.into(), "{letter}");
                for absent in ["file", "line", "row", "byte", "column"] {
                    assert!(letter[absent].is_null(), "{letter}");
                }
                *found.entry(uid.to_owned()).or_default() += 1;
            }
            assert_eq!(found, counts, "{scheduler:?}, {parallelism}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Stops a job at random places and goes on from there, at other parallelisms: every good
    /// record comes once, and every reported one is in the dead letters once.
    #[test]
    fn a_reported_record_has_one_letter_through_stops_and_restores(
        stops in proptest::collection::vec(0..COUNT, 0..4),
        interval_ms in proptest::sample::select(vec![1_u64, 86_400_000]),
        seed: u64,
    ) {
        let (seen, found) = story(&stops, Cut::Stop, interval_ms, seed);
        prop_assert_eq!(seen, (0..COUNT).filter(|n| is_good(*n)).collect::<Vec<_>>());
        prop_assert_eq!(found, (0..COUNT).filter(|n| !is_good(*n)).collect::<Vec<_>>());
    }

    /// The same with failures: what came after the last checkpoint comes again, and has a second
    /// letter; none is missing.
    #[test]
    fn a_reported_record_has_a_letter_through_failures_and_restores(
        panics in proptest::collection::vec(0..COUNT, 1..4),
        interval_ms in proptest::sample::select(vec![1_u64, 5]),
        seed: u64,
    ) {
        let (_, mut found) = story(&panics, Cut::Panic, interval_ms, seed);
        found.dedup();
        prop_assert_eq!(found, (0..COUNT).filter(|n| !is_good(*n)).collect::<Vec<_>>());
    }
}

/// The records that came through attempts that were cut and one that was not, and those in the
/// dead letters; both in order.
fn story(cuts: &[u64], cut: Cut, interval_ms: u64, seed: u64) -> (Vec<u64>, Vec<u64>) {
    let folder = folder();
    let dead = folder.path().join("bad.ndjson");
    let mut options = RunOptions {
        scheduler: SchedulerKind::Simulation { seed },
        channel_capacity: 1 + seed as u32 % 64,
        bad_records: BadRecordPolicy::File(dead.clone()),
        checkpoints: saving(&folder.path().join("state"), interval_ms),
        ..RunOptions::default()
    };
    let (seen, mut parallelism) = (Seen::default(), 1 + seed as u32 % 4);
    for at in cuts.iter().map(|at| Some(*at)).chain([None]) {
        let cut = at.map_or(Cut::Never, |_| cut);
        let result = attempt(&options, parallelism, &seen, cut.signalled(at.unwrap_or(0)));
        if let Err(error) = result {
            assert!(error.to_string().contains("panicked: cut"), "{error}");
        }
        let saved = std::fs::read_dir(folder.path().join("state/letters")).unwrap();
        let is_complete = |entry: &std::fs::DirEntry| entry.path().join("manifest.json").exists();
        if saved.map(Result::unwrap).any(|entry| is_complete(&entry)) {
            options.restore = Some(RestorePoint::Latest);
        }
        parallelism = 1 + (parallelism + 1) % 4;
    }
    let found = letters(&dead).into_iter().map(|letter| {
        let payload: serde_json::Value =
            serde_json::from_str(letter["payload"].as_str().unwrap()).unwrap();
        payload.as_u64().or_else(|| payload["n"].as_u64()).unwrap()
    });
    let (mut seen, mut found) = (seen.all(), found.collect::<Vec<_>>());
    seen.sort_unstable();
    found.sort_unstable();
    (seen, found)
}
