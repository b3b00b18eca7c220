//! Runs jobs in worlds: cut short in every way, restored, and told of when something fails.

use std::collections::BTreeSet;

use clink::dag::Dag;
use clink::prelude::*;
use clink::run::Ending;
use clink::testing::{World, for_each_seed, seed_count};
use clink::{Job, JobError, sinks};
use clink_runtime::subtask::contain::contain;

use crate::recording::{RecordingSource, log};
use crate::support::{Seen, folder};

/// Says of each number that ten seconds have passed since it came, by either clock.
#[clink::operator(uid = "echo")]
#[derive(Default)]
struct Echo {
    #[state]
    due: ValueState<u64>,
}

impl KeyedOperator for Echo {
    type Key = u64;
    type In = u64;
    type Out = (u64, i64, i64);

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.due.set(ctx, n)?;
        let now_ms = ctx.runtime().processing_time_ms();
        ctx.timers().register_processing_time(now_ms + 10_000);
        Ok(())
    }

    fn on_processing_time_timer(
        &mut self,
        at_ms: i64,
        ctx: &mut KeyedContext<'_, Self>,
    ) -> Result<()> {
        let n = self.due.get(ctx)?.copied().unwrap_or_default();
        ctx.emit((n, at_ms, ctx.runtime().processing_time_ms()));
        Ok(())
    }
}

type Echoes = Seen<(u64, i64, i64)>;

/// One number a second.
fn echoing(parallelism: u32, count: u64, echoes: &Echoes) -> Result<Job, JobError> {
    Job::build_with("echo", Some(parallelism), |pipeline| {
        let source = RecordingSource::resting(log(None), count, 1_000);
        let numbers = pipeline.source(source).set_parallelism(1);
        let echoed = numbers.key_by(|n| *n).process(Echo::default()).map(echoes.tap());
        echoed.sink(blackhole());
        Ok(())
    })
}

/// A tenth of the seeds that are asked for: each saves often.
#[test]
fn the_clock_goes_on_over_attempts_and_timers_with_it_under_seeds() {
    for_each_seed(0..seed_count(500) / 10, |seed| {
        let echoes = Echoes::default();
        let mut world = World::new(seed);
        world.save_every(seconds(1)).set_parallelism(2).crash_after(seconds(6));
        let report = world.run(|parallelism| echoing(parallelism, 9, &echoes)).unwrap();
        assert_eq!(report.ending, Ending::Cancelled);
        let crashed_ms = world.now_ms();
        assert!((6_000..6_100).contains(&crashed_ms), "{crashed_ms}");
        assert!(echoes.all().is_empty(), "nothing was due");
        // Nobody is there when the first timers are due.
        world.pass(seconds(5)).set_parallelism(3);
        let report = world.run(|parallelism| echoing(parallelism, 9, &echoes)).unwrap();
        assert_eq!(report.ending, Ending::Finished);
        assert!(report.view.restored_from.is_some());
        assert_eq!(report.view.started_ms, crashed_ms + 5_000);
        let (mut numbers, restored_ms) = (BTreeSet::new(), report.view.started_ms);
        for (n, due_ms, at_ms) in echoes.all() {
            assert!(numbers.insert(n), "{n} comes twice");
            // Late ones at once, at the end those that are left, the others in time.
            let at_the_end = at_ms > world.now_ms() - 50;
            let expected_ms = due_ms.max(restored_ms);
            assert!(at_the_end || (0..100).contains(&(at_ms - expected_ms)), "{n}: {at_ms}");
        }
        assert_eq!(numbers, (0..9).map(|n| n * 1_000).collect());
    });
}

/// Numbers without an end, counted as they pass.
fn endless(parallelism: u32, seen: &Seen<u64>) -> Result<Job, JobError> {
    Job::build_with("endless", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(u64::MAX, |n| n).uid("numbers");
        numbers.map(seen.tap()).sink(blackhole());
        Ok(())
    })
}

#[test]
fn a_stop_saves_what_has_come_and_a_crash_loses_what_came_after_the_checkpoint() {
    for seed in 0..10 {
        let (folder, seen) = (folder(), Seen::default());
        let mut world = World::new(seed);
        world.save_into(folder.path(), days(1)).set_channel_capacity(4);
        assert!(!world.has_saved("endless"));
        let counted = seen.clone();
        world.stop_when(move |_| counted.all().len() > 5_000);
        let report = world.run(|parallelism| endless(parallelism, &seen)).unwrap();
        assert_eq!((report.ending, report.view.checkpoints_completed), (Ending::Stopped, 1));
        assert!(world.has_saved("endless"));
        let stopped = seen.all();
        assert_eq!(stopped, (0..stopped.len() as u64).collect::<Vec<_>>());
        assert!((5_000..10_000).contains(&stopped.len()), "{}", stopped.len());
        // What the crash loses comes again.
        for _ in 0..2 {
            let seen = Seen::default();
            let counted = seen.clone();
            world.crash_when(move |_| counted.all().len() > 100);
            let report = world.run(|parallelism| endless(parallelism, &seen)).unwrap();
            assert_eq!((report.ending, report.view.checkpoints_completed), (Ending::Cancelled, 0));
            assert_eq!(seen.all().first(), Some(&(stopped.len() as u64)));
        }
        world.stop_after(millis(30));
        let report = world.run(|parallelism| endless(parallelism, &seen)).unwrap();
        let took_ms = report.view.now_ms - report.view.started_ms;
        assert_eq!(report.ending, Ending::Stopped);
        assert!((30..3_000).contains(&took_ms), "{took_ms}");
    }
}

/// What a world with that seed has run, and what came out in which order.
fn told(seed: u64) -> (String, Vec<u64>) {
    let (folder, seen) = (folder(), Seen::default());
    let mut world = World::new(seed);
    for _ in 0..3 {
        world.vary().save_into(folder.path(), millis(5)).stop_after(millis(20));
        world.run(|parallelism| endless(parallelism, &seen)).unwrap();
    }
    (world.story(), seen.all())
}

#[test]
fn the_same_seed_is_the_same_story_and_others_are_others() {
    let stories: BTreeSet<_> = (0..4).map(told).collect();
    assert_eq!(stories.len(), 4);
    assert_eq!((0..4).map(told).collect::<BTreeSet<_>>(), stories);
    for (story, _) in stories {
        let lines: Vec<&str> = story.lines().collect();
        assert_eq!(lines.len(), 6, "{story}");
        assert!(lines[0].starts_with("attempt 1 from nothing: simulation "), "{story}");
        assert!(lines[4].starts_with("attempt 3 from the latest checkpoint: "), "{story}");
        assert!(lines[5].starts_with("  Stopped at "), "{story}");
    }
}

#[test]
fn a_seed_that_fails_is_told_with_its_story_and_how_to_replay_it() {
    let failing = || {
        for_each_seed(100..200, |seed| {
            let seen = Seen::default();
            let mut world = World::new(seed);
            world.stop_after(millis(20));
            world.run(|parallelism| endless(parallelism, &seen)).unwrap();
            assert!(seed < 107, "too large");
        });
    };
    let caught = contain(failing).unwrap_err();
    let lines: Vec<&str> = caught.message.lines().collect();
    let place = "(at clink/tests/jobs/worlds.rs:";
    assert!(lines[0].starts_with(&format!("seed 107 fails: too large {place}")), "{lines:?}");
    assert!(lines[1].starts_with("attempt 1 from nothing: simulation 107, "), "{lines:?}");
    assert!(lines[2].starts_with("  Stopped at "), "{lines:?}");
    let replay = "replay: CLINK_ONE_SEED=107 cargo test -p clink";
    assert!(lines[3].starts_with(replay), "{lines:?}");
    assert!(caught.location.unwrap().starts_with("clink/tests/jobs/worlds.rs:"));
}

#[test]
fn a_job_that_was_built_stage_by_stage_runs_in_a_world_too() {
    let folder = folder();
    let path = folder.path().join("lines.txt");
    std::fs::write(&path, "one\ntwo\n").unwrap();
    let lines = |_| {
        let mut dag = Dag::default();
        let lines = dag.add_source(&files::text(path.to_str().unwrap()));
        dag.add_sink(lines, &sinks::blackhole());
        Ok(dag.build("lines"))
    };
    let mut world = World::new(3);
    let report = world.run(lines).unwrap();
    let read = report.view.instances.iter().map(|instance| instance.metrics.records_out()).sum();
    assert_eq!((report.ending, read), (Ending::Finished, 2_u64));
    let unread = |_| {
        let mut dag = Dag::default();
        _ = dag.add_source(&files::text(path.to_str().unwrap()));
        Ok(dag.build("unread"))
    };
    let error = world.run(unread).unwrap_err();
    assert!(error.is_refusal() && error.to_string().contains("P0017"), "{error}");
    assert!(world.story().ends_with(&error.to_string()), "{}", world.story());
}
