//! Runs ten thousand subtasks and a thousand operators in a row, and counts what that takes.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clink::prelude::*;
use clink::{Job, RunOptions};
use clink_runtime::scheduler::SchedulerKind;

use crate::support::Seen;

/// Subtasks of each of the two stages.
const WIDTH: u32 = 5_000;

/// Records: several for each subtask.
const RECORDS: u64 = 20_000;

/// Operators in a row.
const DEPTH: usize = 1_000;

#[test]
fn records_pass_a_thousand_operators_in_a_row_p11() {
    for options in [
        RunOptions::default(),
        RunOptions { channel_capacity: 1, ..RunOptions::default() },
        RunOptions { scheduler: SchedulerKind::Threads, ..RunOptions::default() },
    ] {
        let seen = Seen::default();
        let job = Job::build("deep", |pipeline| {
            let numbers = pipeline.generate(300, |n| n);
            let raised = (0..DEPTH).fold(numbers, |numbers, _| numbers.map(|n| n + 1));
            raised.map(seen.tap()).sink(blackhole());
            Ok(())
        });
        job.unwrap().run(&options).unwrap();
        let expected: Vec<u64> = (0..300).map(|n| n + DEPTH as u64).collect();
        assert_eq!(seen.all(), expected, "{options:?}");
    }
}

/// Set in the process that counts: it runs this test and nothing else, so all its threads are ours.
const ALONE: &str = "CLINK_TEST_ALONE";

#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_subtasks_need_few_threads() {
    if std::env::var_os(ALONE).is_some() {
        return count_threads();
    }
    let mut alone = Command::new(std::env::current_exe().unwrap());
    alone.args(["many::ten_thousand_subtasks_need_few_threads", "--exact", "--nocapture"]);
    let output = alone.env(ALONE, "1").output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    assert!(out.contains("1 passed"), "the test has another name now:\n{out}");
}

fn count_threads() {
    let cores = std::thread::available_parallelism().unwrap().get();
    let (most, seen) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (peak, passed) = (Arc::clone(&most), Arc::clone(&seen));
    let job = Job::build_with("many", Some(WIDTH), |pipeline| {
        let numbers = pipeline.generate(RECORDS, |n| n);
        let counted = numbers.map(move |n| {
            if passed.fetch_add(1, Ordering::Relaxed).is_multiple_of(97) {
                let threads = std::fs::read_dir("/proc/self/task").unwrap().count();
                peak.fetch_max(threads, Ordering::Relaxed);
            }
            n
        });
        counted.sink(blackhole()).set_parallelism(1);
        Ok(())
    });
    let job = job.unwrap();
    assert!(job.plan(&RunOptions::default()).unwrap().tasks.len() > 10_000);
    job.run(&RunOptions::default()).unwrap();
    assert_eq!(seen.load(Ordering::Relaxed) as u64, RECORDS);
    let most = most.load(Ordering::Relaxed);
    assert!((1..=cores + 4).contains(&most), "{most} threads on {cores} cores");
}
