//! Collects what jobs emit: in order, from several subtasks, and as far as a job came.

use clink::sinks::Collected;
use clink::{Job, RunOptions};

use crate::support::schedulers;

/// A job of numbers, and the handle of what it emits.
fn job(parallelism: u32, apply: fn(u64) -> u64) -> (Job, Collected<u64>) {
    let mut collected = None;
    let job = Job::build_with("collected", Some(parallelism), |pipeline| {
        collected = Some(pipeline.generate(1_000, |n| n).map(apply).collect());
        Ok(())
    });
    (job.unwrap(), collected.unwrap())
}

#[test]
fn one_subtask_collects_in_order_and_several_collect_all() {
    for scheduler in schedulers() {
        for parallelism in [1, 4] {
            let (job, collected) = job(parallelism, |n| n * 2);
            assert!(collected.is_empty());
            job.run(&RunOptions { scheduler, ..RunOptions::default() }).unwrap();
            assert_eq!(collected.len(), 1_000);
            let mut found = collected.clone().take();
            if parallelism > 1 {
                found.sort_unstable();
            }
            assert_eq!(found, (0..1_000).map(|n| n * 2).collect::<Vec<u64>>());
            assert!(collected.is_empty(), "what is taken is gone from every handle");
        }
    }
}

#[test]
fn a_second_run_adds_to_the_first() {
    let (job, collected) = job(1, |n| n);
    job.run(&RunOptions::default()).unwrap();
    job.run(&RunOptions::default()).unwrap();
    assert_eq!(collected.len(), 2_000);
}

#[test]
fn a_job_that_fails_has_collected_what_had_been_sent_on() {
    let (job, collected) = job(1, |n| if n == 900 { panic!("cut") } else { n });
    let options = RunOptions { channel_capacity: 1, ..RunOptions::default() };
    job.run(&options).unwrap_err();
    let found = collected.take();
    assert_eq!(found, (0..found.len() as u64).collect::<Vec<_>>());
}

/// Its name is that of a closure: a graph that names it elsewhere finds no code for it.
#[test]
fn the_graph_alone_does_not_bring_it_back() {
    let (job, _) = job(1, |n| n);
    let spec = job.graph().operators.last().unwrap();
    assert!(spec.type_name.starts_with("_inline_collect_"), "{}", spec.type_name);
    let graph = Job::from_graph("collected", job.graph().clone());
    let error = graph.run(&RunOptions::default()).unwrap_err().to_string();
    assert!(error.contains("_inline_collect_"), "{error}");
}
