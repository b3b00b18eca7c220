//! Interrupts joins at random records under many seeds, lets them go on at another parallelism, and
//! compares all that they emit with nested loops.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use clink::join::JoinKind;
use clink::prelude::*;
use clink::run::{Ending, NoObserver, SchedulerKind};
use clink::{Job, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;

use super::{Record, Timed, Watch, intervals, join, nested_loops, records};
use crate::support::{Cut, folder, saving};

/// Records of the left input, and those of the right one, which ends earlier.
const RECORDS: [u64; 2] = [300, 200];

/// How many seeds to try: an eighth of what is asked for, since each runs several jobs.
fn seeds() -> u64 {
    let asked = std::env::var("CLINK_SIM_SEEDS").ok();
    asked.map_or(500, |count| count.parse().expect("CLINK_SIM_SEEDS is a number")) / 8
}

/// One join of two lists, in several attempts.
struct Story<'a> {
    random: fastrand::Rng,
    kind: JoinKind,
    ends: (Offset, Offset),
    lists: [Vec<Record>; 2],
    checkpoints: &'a Path,
    told: Vec<String>,
}

impl Story<'_> {
    fn options(&mut self) -> RunOptions {
        let seed = self.random.u64(..);
        let interval_ms = *self.random.choice(&[1, 10, 50]).unwrap();
        let complete = std::fs::read_dir(self.checkpoints.join("join")).into_iter().flatten();
        let found = complete.map(Result::unwrap).any(|e| e.path().join("manifest.json").exists());
        self.told.push(format!("every {interval_ms} ms, simulation {seed}, restored: {found}"));
        RunOptions {
            scheduler: SchedulerKind::Simulation { seed },
            channel_capacity: *self.random.choice(&[1, 3, 2_048]).unwrap(),
            checkpoints: saving(self.checkpoints, interval_ms),
            restore: found.then_some(RestorePoint::Latest),
            ..RunOptions::default()
        }
    }

    /// Runs until the cut, which comes after so many records of the left input, or until the end;
    /// whether it came to the end, and went on from a checkpoint.
    fn attempt(&mut self, cut: Cut, at: u64) -> (bool, bool) {
        let parallelism = self.random.u32(1..=5);
        self.told.push(format!("{cut:?} after {at}, parallelism {parallelism}"));
        let options = self.options();
        let (pass, signals) = cut.signalled::<Record>(at);
        let path = self.output();
        let job = Job::build_with("join", Some(parallelism), |pipeline| {
            // One subtask each: event time is to come in order also after a restore.
            let timed = |records: &[Record], uid| {
                let disorder = bounded(millis(6));
                let of = |record: &Record| Timestamp::from_millis(record.1);
                let records = pipeline.elements(records.to_vec()).uid(uid).set_parallelism(1);
                records.event_time(of, disorder).set_parallelism(1)
            };
            let left = timed(&self.lists[0], "left").map(pass).set_parallelism(1);
            let left = left.key_by(|record| record.0);
            let right = timed(&self.lists[1], "right").key_by(|record| record.0);
            let found = join(self.kind, left, right, self.ends, LatePolicy::Drop);
            let file = files::ndjson_sink::<Timed>(path.to_str().unwrap());
            found.process(Watch).sink(file).set_parallelism(1);
            Ok(())
        });
        let result = job.unwrap().run_watched(&options, &signals, &mut NoObserver);
        match result {
            Ok(report) => {
                self.told.push(format!("{:?}", report.ending));
                let dropped = report.view.instances.iter().map(|it| it.metrics.late_records());
                assert_eq!(dropped.sum::<u64>(), 0, "{:#?}", self.told);
                (report.ending == Ending::Finished, report.view.restored_from.is_some())
            }
            Err(error) => {
                assert!(cut == Cut::Panic && error.to_string().contains("cut"), "{error}");
                (false, false)
            }
        }
    }

    /// The file of the sink, which holds each record once whatever happens.
    fn output(&self) -> PathBuf {
        self.checkpoints.join("out.ndjson")
    }

    fn found(&self) -> Vec<Timed> {
        let text = std::fs::read_to_string(self.output()).unwrap();
        let mut found: Vec<Timed> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        found.sort_unstable();
        found
    }
}

/// True if the last attempt had something to go on from.
fn check(seed: u64) -> bool {
    let checkpoints = folder();
    let mut random = fastrand::Rng::with_seed(seed);
    let kind = *random.choice(JoinKind::ALL.as_slice()).unwrap();
    let ends = *random.choice(intervals().as_slice()).unwrap();
    let lists = [1, 2].map(|side| records(random.u64(..), RECORDS[side - 1], -50, 7));
    let expected = nested_loops(kind, ends, &lists[0], &lists[1]);
    let mut story =
        Story { random, kind, ends, lists, checkpoints: checkpoints.path(), told: Vec::new() };
    for _ in 0..story.random.u32(1..=3) {
        let cut = *story.random.choice(&[Cut::Stop, Cut::Crash, Cut::Panic]).unwrap();
        let at = story.random.u64(..RECORDS[0]);
        story.attempt(cut, at);
    }
    let (finished, restored) = story.attempt(Cut::Never, 0);
    assert!(finished, "{:#?}", story.told);
    // Thousands of pairs are no help to a reader.
    assert!(story.found() == expected, "seed {seed}, {kind:?} {ends:?}: {:#?}", story.told);
    restored
}

#[test]
fn joins_that_are_cut_short_emit_what_an_undisturbed_one_emits_under_many_seeds() {
    if let Ok(seed) = std::env::var("CLINK_ONE_SEED") {
        check(seed.parse().expect("CLINK_ONE_SEED is a number"));
        return;
    }
    let (next, restored) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let worker = || {
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= seeds() {
                    return;
                }
                restored.fetch_add(check(seed).into(), Ordering::Relaxed);
            }
        };
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        (0..workers).for_each(|_| {
            scope.spawn(worker);
        });
    });
    let restored = restored.into_inner();
    assert!(restored > seeds() / 2, "only {restored} of {} seeds went on", seeds());
}
