//! Saves what a control stream has made of a state, and looks for it in every instance after a
//! restore.

use std::ops::Range;
use std::path::Path;

use clink::prelude::*;
use clink::{Job, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::scheduler::SchedulerKind;

use crate::support::{Numbers, Seen, folder, saving, schedulers};

fn numbers<'p>(pipeline: &'p Pipeline, range: &Range<u64>, what: &str) -> DataStream<'p, u64> {
    let numbers = pipeline.source(Numbers::between(range.start, range.end));
    // One subtask deals them out to all.
    numbers.uid(&format!("{what}-{}-{}", range.start, range.end)).set_parallelism(1)
}

/// Runs main and control numbers through a broadcast that goes on from whatever is in the folder:
/// the state adds up control numbers. What each main number saw of it, and in which subtask.
fn run(
    folder: &Path,
    scheduler: SchedulerKind,
    parallelism: u32,
    main: Range<u64>,
    control: Range<u64>,
) -> Vec<(u64, u64, u32)> {
    let seen = Seen::default();
    let job = Job::build_with("broadcast", Some(parallelism), |pipeline| {
        let control = numbers(pipeline, &control, "control");
        let main = numbers(pipeline, &main, "main");
        let sums = main.connect_broadcast(control).process(
            0_u64,
            |sum, n, ctx| {
                let subtask = ctx.runtime().subtask_index();
                ctx.emit((n, *sum, subtask));
                Ok(())
            },
            |sum, n, _| {
                *sum += n;
                Ok(())
            },
        );
        sums.uid("sum").map(seen.tap()).sink(blackhole());
        Ok(())
    });
    let options = RunOptions {
        scheduler,
        checkpoints: saving(folder, 86_400_000),
        restore: folder.join("broadcast").exists().then_some(RestorePoint::Latest),
        ..RunOptions::default()
    };
    job.unwrap().run(&options).unwrap();
    let mut seen = seen.all();
    seen.sort_unstable();
    seen
}

#[test]
fn every_instance_has_the_state_again_at_another_parallelism() {
    for scheduler in schedulers() {
        for parallelisms in [[1, 4, 2], [3, 1, 5], [2, 2, 7]] {
            let folder = folder();
            let [first, second, third] = parallelisms;
            run(folder.path(), scheduler, first, 0..1, 0..100);
            let seen = run(folder.path(), scheduler, second, 1..500, 0..0);
            let numbers: Vec<u64> = seen.iter().map(|(n, _, _)| *n).collect();
            assert_eq!(numbers, (1..500).collect::<Vec<_>>(), "{scheduler:?}");
            let sum = (0..100).sum::<u64>();
            assert!(seen.iter().all(|(_, found, _)| *found == sum), "{scheduler:?}: {seen:?}");
            let mut subtasks: Vec<u32> = seen.iter().map(|(_, _, subtask)| *subtask).collect();
            subtasks.sort_unstable();
            subtasks.dedup();
            assert_eq!(subtasks, (0..second).collect::<Vec<_>>(), "each had something to see");
            // What is added later is added to it, once in each instance.
            run(folder.path(), scheduler, third, 500..501, 100..200);
            let seen = run(folder.path(), scheduler, first, 501..600, 200..200);
            let sum = (0..200).sum::<u64>();
            assert!(seen.iter().all(|(_, found, _)| *found == sum), "{scheduler:?}: {seen:?}");
        }
    }
}
