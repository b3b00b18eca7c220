//! What an operator emits at the end of its input comes once, however often the job was stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clink::prelude::*;
use clink::run::Ending;
use clink::{Job, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::{NoObserver, Signal};
use clink_runtime::scheduler::SchedulerKind;

use crate::support::{Seen, folder, saving};

/// Records of a job.
const COUNT: u64 = 20_000;

/// Says that its input has come to its end.
#[clink::operator(uid = "farewell")]
#[derive(Default)]
struct Farewell {}

impl Operator for Farewell {
    type In = u64;
    type Out = u64;

    fn process(&mut self, _: u64, _: &mut Context<'_, u64>) -> Result<()> {
        Ok(())
    }

    fn flush(&mut self, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(1);
        Ok(())
    }
}

/// Runs the job, in which no record passes the filter after the first hundred; gives what was
/// emitted at the end.
fn attempt(stop_at: u64, parallelism: u32, options: &RunOptions) -> (Vec<u64>, Ending) {
    let (send, signals) = crossbeam_channel::bounded(1);
    let (seen, passed) = (Seen::default(), Arc::new(AtomicU64::new(0)));
    let noted = seen.clone();
    let job = Job::build_with("flush", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| n).uid("numbers").map(move |n| {
            if passed.fetch_add(1, Ordering::Relaxed) == stop_at {
                send.send(Signal::Stop).unwrap();
            }
            n
        });
        let early = numbers.filter(|n| *n < 100).process(Farewell::default());
        early.map(noted.tap()).sink(blackhole());
        Ok(())
    });
    let report = job.unwrap().run_watched(options, &signals, &mut NoObserver).unwrap();
    (seen.all(), report.ending)
}

#[test]
fn a_stop_puts_off_the_end_and_an_end_is_not_repeated() {
    for parallelism in [1, 3] {
        let folder = folder();
        let mut options = RunOptions {
            scheduler: SchedulerKind::Simulation { seed: 5 },
            checkpoints: saving(folder.path(), 86_400_000),
            channel_capacity: 16,
            ..RunOptions::default()
        };
        assert_eq!(attempt(2_000, parallelism, &options), (vec![], Ending::Stopped));
        options.restore = Some(RestorePoint::Latest);
        // Stopped once more, without a record for the operator on the way.
        assert_eq!(attempt(2_000, parallelism, &options), (vec![], Ending::Stopped));
        let once = vec![1; parallelism as usize];
        assert_eq!(attempt(u64::MAX, parallelism, &options), (once, Ending::Finished));
        assert_eq!(attempt(u64::MAX, parallelism, &options), (vec![], Ending::Finished));
    }
}
