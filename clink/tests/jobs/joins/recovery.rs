//! Interrupts joins at random records under many seeds, lets them go on at another parallelism, and
//! compares all that they emit with nested loops.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use clink::Job;
use clink::join::JoinKind;
use clink::prelude::*;
use clink::testing::{World, for_each_seed, seed_count};

use super::{Record, Timed, Watch, intervals, join, nested_loops, records};
use crate::support::{Cut, Interruptions, folder};

/// Records of the left input, and those of the right one, which ends earlier.
const RECORDS: [u64; 2] = [300, 200];

/// Records with their event times, from one subtask each: event time is to come in order also after
/// a restore at another parallelism.
fn timed<'p>(
    pipeline: &'p Pipeline,
    records: &[Record],
    uid: &str,
    pass: impl Fn(Record) -> Record + Send + Sync + 'static,
) -> KeyedDataStream<'p, Record, u64> {
    let of = |record: &Record| Timestamp::from_millis(record.1);
    pipeline
        .elements(records.to_vec())
        .uid(uid)
        .set_parallelism(1)
        .event_time(of, bounded(millis(6)))
        .set_parallelism(1)
        .map(pass)
        .set_parallelism(1)
        .key_by(|record| record.0)
}

/// What a file sink holds, which has each record once whatever happens.
fn written(path: &Path) -> Vec<Timed> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut found: Vec<Timed> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    found.sort_unstable();
    found
}

/// True if an attempt went on from a checkpoint.
fn check(seed: u64) -> bool {
    let mut world = World::new(seed);
    let kind = world.choose(&JoinKind::ALL);
    let ends = world.choose(&intervals());
    let lists = RECORDS.map(|count| records(world.number(0, u64::MAX), count, -50, 7));
    let folder = folder();
    let path = folder.path().join("out.ndjson");
    let interruptions = Interruptions {
        job: "join",
        state: &folder.path().join("state"),
        attempts: 4,
        cuts: &[Cut::Stop, Cut::Crash, Cut::Panic],
        records: RECORDS[0],
    };
    let restored = interruptions.run(&mut world, |parallelism, pass, _| {
        Job::build_with("join", Some(parallelism), |pipeline| {
            let left = timed(pipeline, &lists[0], "left", pass);
            let right = timed(pipeline, &lists[1], "right", |record| record);
            // Nothing is late, so nothing is dropped.
            let found = join(kind, left, right, ends, LatePolicy::Drop).process(Watch);
            found.sink(files::ndjson_sink(path.to_str().unwrap())).set_parallelism(1);
            Ok(())
        })
    });
    // Thousands of pairs are no help to a reader.
    let same = written(&path) == nested_loops(kind, ends, &lists[0], &lists[1]);
    assert!(same, "{kind:?} {ends:?}");
    restored
}

/// An eighth of the seeds that are asked for, since each runs several jobs.
#[test]
fn joins_that_are_cut_short_emit_what_an_undisturbed_one_emits_under_many_seeds() {
    let restored = AtomicU64::new(0);
    let checked = for_each_seed(0..seed_count(500) / 8, |seed| {
        restored.fetch_add(check(seed).into(), Ordering::Relaxed);
    });
    let restored = restored.into_inner();
    assert!(restored >= checked / 2, "only {restored} of {checked} seeds went on");
}
