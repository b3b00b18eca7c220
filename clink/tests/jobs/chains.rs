//! Runs three operators in one chain, in subtasks of their own, and by hand: each sees the same
//! calls in the same order, and the same comes out.

use clink::prelude::*;
use clink::testing::{OperatorHarness, World, at_ms};
use clink::{Job, sinks::Collected};

use crate::recording::{
    Call, RecordingAside, RecordingKeyed, RecordingOperator, RecordingSource, THIRDS, calls, log,
};

/// Records, one a second.
const COUNT: u64 = 20;

/// How much later the processing-time timers of each operator are, in milliseconds: so far from
/// each other that the order in which they fire is the same in every run.
const DELAYS_MS: [u64; 3] = [100, 300, 600];

/// What came out of three operators: by their main output, aside, and what each was called with.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    main: Vec<u64>,
    aside: Vec<u64>,
    calls: [Vec<(&'static str, i64)>; 3],
}

fn seen(main: Vec<u64>, aside: Vec<u64>, calls: &[Call]) -> Seen {
    let of = |uid: &str| {
        let calls = calls.iter().filter(|call| call.uid == uid && call.hook != "on_barrier");
        calls.map(|call| (call.hook, call.of)).collect()
    };
    Seen { main, aside, calls: ["op", "aside", "keyed"].map(of) }
}

/// As a job, under a seed.
fn in_a_job(seed: u64, chaining: bool, capacity: u32) -> Seen {
    let log = log(None);
    let (mut main, mut aside) = (None, None);
    let [first, second, third] = DELAYS_MS;
    let build = |parallelism| {
        Job::build_with("chain", Some(parallelism), |pipeline| {
            let numbers = pipeline.source(RecordingSource::resting(log, COUNT, 1_000));
            let time = |n: &u64| Timestamp::from_millis((*n / 1_000).cast_signed());
            let numbers = numbers.event_time(time, monotonic());
            let sorted = numbers
                .process(RecordingOperator::new(log, first))
                .process(RecordingAside::new(log, second));
            aside = Some(sorted.side_output(&THIRDS).collect());
            let keyed = sorted.key_by(|n| n % 7).process(RecordingKeyed::new(log, third));
            main = Some(keyed.collect());
            Ok(())
        })
    };
    let mut world = World::new(seed);
    world.set_chaining(chaining).set_channel_capacity(capacity);
    world.run(build).unwrap();
    let take = |collected: Option<Collected<u64>>| collected.unwrap().take();
    seen(take(main), take(aside), &calls(log).0)
}

/// By hand, in one chain.
fn by_hand() -> Seen {
    let log = log(None);
    let [first, second, third] = DELAYS_MS;
    let mut harness = OperatorHarness::operator(RecordingOperator::new(log, first))
        .then(RecordingAside::new(log, second))
        .side_output(&THIRDS)
        .then_keyed(RecordingKeyed::new(log, third), |n| n % 7)
        .saves(false)
        .open()
        .unwrap();
    for n in 0..COUNT {
        let time = at_ms(n.cast_signed());
        harness.push_at(n * 1_000, time).unwrap();
        harness.watermark(time).unwrap();
        harness.advance_clock(seconds(1)).unwrap();
    }
    harness.end().unwrap();
    seen(harness.take_output(), harness.take_side(&THIRDS), &calls(log).0)
}

#[test]
fn three_operators_are_called_and_emit_the_same_chained_unchained_and_by_hand() {
    let by_hand = by_hand();
    let hooks = by_hand.calls.iter().map(|calls| calls.iter().map(|(hook, _)| *hook));
    for hooks in hooks {
        let hooks: Vec<&str> = hooks.collect();
        for hook in ["on_event_time_timer", "on_processing_time_timer", "flush"] {
            assert!(hooks.contains(&hook), "{hook} is not in {hooks:?}");
        }
    }
    assert!(!by_hand.aside.is_empty());
    for seed in 0..10 {
        for capacity in [1, 2_048] {
            for chaining in [true, false] {
                let found = in_a_job(seed, chaining, capacity);
                assert_eq!(found, by_hand, "seed {seed}, capacity {capacity}, {chaining}");
            }
        }
    }
}
