//! Are the workloads, each with its hand-written limit.

pub(crate) mod readers;
pub(crate) mod w1;
pub(crate) mod w2;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use clink::prelude::*;

/// One workload.
pub(crate) trait Workload {
    /// What it is.
    fn title(&self) -> String;
    /// Records it reads.
    fn records(&self) -> u64;
    /// The hand-written loop.
    fn limit(&self);
    /// The loop keeping as many records as a batch has, where that is measured.
    fn limit_in_batches(&self) -> Option<Box<dyn Fn() + '_>> {
        None
    }
    /// The same as a clink job.
    fn ours(&self, parallelism: u32);
    /// Runs both and compares their results.
    fn check(&self, parallelism: u32);
}

/// The last sum of every key.
pub(crate) type Sums = BTreeMap<String, u64>;

/// Keeps the last sum of every key, for checks.
pub(crate) fn last_of(
    job: impl FnOnce(&Pipeline, Arc<Mutex<Sums>>) -> Result<()>,
    parallelism: u32,
) -> Sums {
    let sums = Arc::new(Mutex::new(Sums::new()));
    let kept = Arc::clone(&sums);
    run(parallelism, |pipeline| job(pipeline, kept));
    let sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
    sums.clone()
}

/// Notes a sum as the last of its key (sums only grow), and passes it on.
pub(crate) fn note(sums: &Mutex<Sums>, key: String, sum: u64) -> u64 {
    let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
    let last = sums.entry(key).or_default();
    *last = sum.max(*last);
    sum
}

/// Runs a job in this process.
pub(crate) fn run(parallelism: u32, build: impl FnOnce(&Pipeline) -> Result<()>) {
    let job = clink::Job::build_with("limit", Some(parallelism), build).expect("the job is built");
    job.run(&clink::RunOptions::default()).expect("the job runs to its end");
}
