//! Runs sources that have nothing for a while, or nothing at all, on a virtual clock.

use std::time::Duration;

use clink::prelude::*;
use clink::run::{NoObserver, SchedulerKind, Signal};
use clink::{Job, RunOptions};

/// Emits a record a poll with a rest after each, from one split whatever the parallelism.
#[clink::operator(uid = "resting")]
#[derive(Default)]
struct Resting {
    polls: u64,
    #[transient]
    splits: Vec<u64>,
}

impl Source for Resting {
    type Out = u64;
    type Split = u64;

    fn splits(&self, _wanted: u32) -> Result<Vec<u64>> {
        Ok(vec![0])
    }

    fn open(&mut self, splits: Vec<u64>, _ctx: &RuntimeContext) -> Result<()> {
        self.splits = splits;
        Ok(())
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, u64>) -> Result<Produced> {
        if let Some(next) = self.splits.first_mut() {
            if *next >= self.polls {
                return Ok(Produced::End);
            }
            ctx.emit(*next);
            *next += 1;
        }
        Ok(Produced::Idle(Duration::from_secs(1)))
    }

    fn snapshot(&mut self) -> Result<Vec<u64>> {
        Ok(self.splits.clone())
    }
}

fn simulated(seed: u64) -> RunOptions {
    RunOptions { scheduler: SchedulerKind::Simulation { seed }, ..RunOptions::default() }
}

#[test]
fn a_source_that_rests_after_what_it_emits_is_left_alone_for_as_long() {
    for seed in 0..20 {
        let job = Job::build("resting", |pipeline| {
            pipeline.source(Resting { polls: 10, ..Resting::default() }).sink(blackhole());
            Ok(())
        });
        let view = job.unwrap().run(&simulated(seed)).unwrap().view;
        let took_ms = view.now_ms - view.started_ms;
        assert!((9_000..20_000).contains(&took_ms), "seed {seed}: {took_ms} ms");
        let idle = view.subtasks[0].times().idle;
        assert!(idle >= Duration::from_secs(9), "seed {seed}: {idle:?}");
    }
}

/// Ends the job when event time has come somewhere before its end.
#[test]
fn an_instance_without_splits_does_not_hold_event_time_back() {
    for seed in 0..20 {
        let (send, signals) = crossbeam_channel::bounded(1);
        let job = Job::build_with("half-idle", Some(3), |pipeline| {
            let numbers = pipeline.source(Resting { polls: u64::MAX, ..Resting::default() });
            let timed = numbers.event_time(
                |n| Timestamp::from_millis(i64::try_from(*n).unwrap_or(i64::MAX)),
                monotonic(),
            );
            let watched = timed.key_by(|n| n % 7).process(Watching::default());
            watched.map(move |n| send.try_send(Signal::Stop).map_or(n, |()| n)).sink(blackhole());
            Ok(())
        });
        let report = job.unwrap().run_watched(&simulated(seed), &signals, &mut NoObserver);
        assert_eq!(report.unwrap().ending, clink::run::Ending::Stopped, "seed {seed}");
    }
}

/// Emits a record when event time moves.
#[clink::operator(uid = "watching")]
#[derive(Default)]
struct Watching {}

impl KeyedOperator for Watching {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, _: u64, _: &mut KeyedContext<'_, Self>) -> Result<()> {
        Ok(())
    }

    fn on_watermark(&mut self, watermark: Watermark, ctx: &mut Context<'_, u64>) -> Result<()> {
        if matches!(watermark, Watermark::At(time) if time < EventTime::MAX) {
            ctx.emit(1);
        }
        Ok(())
    }
}
