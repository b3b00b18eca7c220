//! Joins random streams in every way and compares what comes out with nested loops over all pairs.

mod recovery;
mod shapes;

use clink::join::{Interval, JoinKind};
use clink::prelude::*;
use clink::run::SchedulerKind;
use clink::time::Offset;
use clink::{Job, RunOptions};
use clink_plan::planner::PlanOptions;

use crate::support::{Seen, schedulers};

/// A record: its key, its event time in milliseconds, and its number.
pub(crate) type Record = (u64, i64, u64);

/// The numbers of the records that a join puts together.
pub(crate) type Found = (Option<u64>, Option<u64>);

/// That, and its event time in milliseconds.
pub(crate) type Timed = (Option<u64>, Option<u64>, i64);

/// Adds the event time to what a join emits, and fails the job if it is late.
#[clink::operator(uid = "watch")]
pub(crate) struct Watch;

impl Operator for Watch {
    type In = Found;
    type Out = Timed;

    fn process(&mut self, (left, right): Found, ctx: &mut Context<'_, Timed>) -> Result<()> {
        let time = ctx.event_time().ok_or_else(|| Error::new("no event time").terminal())?;
        if let Some(watermark) = ctx.watermark().filter(|watermark| time < *watermark) {
            let late = format!("{left:?} and {right:?} at {time:?} come after {watermark:?}");
            return Err(Error::new(late).terminal());
        }
        ctx.emit((left, right, time.as_millis()));
        Ok(())
    }
}

/// How far records are out of order, in milliseconds.
const DISORDER_MS: i64 = 6;

/// So many records a few milliseconds apart and out of order, from a time on.
pub(crate) fn records(seed: u64, count: u64, from_ms: i64, keys: u64) -> Vec<Record> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut clock = from_ms;
    let mut records = Vec::new();
    for number in 0..count {
        // Now and then several at one time, and a gap.
        clock += *random.choice(&[0, 0, 1, 1, 2, 9]).unwrap();
        records.push((random.u64(..keys), clock - random.i64(0..=DISORDER_MS), number));
    }
    records
}

/// What nested loops over all pairs give.
pub(crate) fn nested_loops(
    kind: JoinKind,
    (from, to): (Offset, Offset),
    left: &[Record],
    right: &[Record],
) -> Vec<Timed> {
    let (from, to) = (i128::from(from.as_millis()), i128::from(to.as_millis()));
    let end = i128::from(i64::MAX);
    let near = |between: i128| (between >= from || from == -end) && (between <= to || to == end);
    let pair = |l: &Record, r: &Record| l.0 == r.0 && near(i128::from(r.1) - i128::from(l.1));
    let mut found = Vec::new();
    for l in left {
        let matches: Vec<_> = right.iter().filter(|r| pair(l, r)).collect();
        use JoinKind::*;
        match kind {
            Inner | LeftOuter | RightOuter | FullOuter => {
                let pairs = matches.iter().map(|r| (Some(l.2), Some(r.2), l.1.max(r.1)));
                found.extend(pairs);
                if matches.is_empty() && matches!(kind, LeftOuter | FullOuter) {
                    found.push((Some(l.2), None, l.1));
                }
            }
            LeftSemi if !matches.is_empty() => found.push((Some(l.2), None, l.1)),
            LeftAnti if matches.is_empty() => found.push((Some(l.2), None, l.1)),
            LeftSemi | LeftAnti | RightSemi | RightAnti => {}
        }
    }
    for r in right {
        let is_matched = left.iter().any(|l| pair(l, r));
        let leaves = match kind {
            JoinKind::RightOuter | JoinKind::FullOuter | JoinKind::RightAnti => !is_matched,
            JoinKind::RightSemi => is_matched,
            _ => false,
        };
        if leaves {
            found.push((None, Some(r.2), r.1));
        }
    }
    found.sort_unstable();
    found
}

/// Joins two keyed streams, in the form that all kinds have in common.
pub(crate) fn join<'p>(
    kind: JoinKind,
    left: KeyedDataStream<'p, Record, u64>,
    right: KeyedDataStream<'p, Record, u64>,
    (from, to): (Offset, Offset),
    late: LatePolicy,
) -> DataStream<'p, Found> {
    let joined = left.interval_join(right).between(from, to).late(late);
    let left = |record: Record| (Some(record.2), None);
    let right = |record: Record| (None, Some(record.2));
    match kind {
        JoinKind::Inner => joined.inner(|l, r| (Some(l.2), Some(r.2))).uid("join"),
        JoinKind::LeftOuter => joined.left_outer(|l, r| (Some(l.2), r.map(|r| r.2))).uid("join"),
        JoinKind::RightOuter => joined.right_outer(|l, r| (l.map(|l| l.2), Some(r.2))).uid("join"),
        JoinKind::FullOuter => joined
            .full_outer(|found| (found.left().map(|l| l.2), found.right().map(|r| r.2)))
            .uid("join"),
        JoinKind::LeftSemi => joined.left_semi().uid("join").map(left),
        JoinKind::RightSemi => joined.right_semi().uid("join").map(right),
        JoinKind::LeftAnti => joined.left_anti().uid("join").map(left),
        JoinKind::RightAnti => joined.right_anti().uid("join").map(right),
    }
}

/// A stream of records with their event times, partitioned by key.
pub(crate) fn keyed(pipeline: &Pipeline, records: Vec<Record>) -> KeyedDataStream<'_, Record, u64> {
    let disorder = bounded(millis(DISORDER_MS.unsigned_abs()));
    pipeline
        .elements(records)
        .event_time(|record| Timestamp::from_millis(record.1), disorder)
        .key_by(|record| record.0)
}

/// Joins two lists with these options; what came out, in order.
pub(crate) fn joined(
    kind: JoinKind,
    ends: (Offset, Offset),
    [left, right]: [&[Record]; 2],
    (parallelism, late): (u32, LatePolicy),
    options: &RunOptions,
) -> Vec<Timed> {
    let seen = Seen::default();
    let job = Job::build_with("join", Some(parallelism), |pipeline| {
        let (left, right) = (keyed(pipeline, left.to_vec()), keyed(pipeline, right.to_vec()));
        let found = join(kind, left, right, ends, late).process(Watch);
        found.map(seen.tap()).sink(blackhole());
        Ok(())
    });
    let report = job.unwrap().run(options).unwrap();
    let dropped: u64 = report.view.instances.iter().map(|it| it.metrics.late_records()).sum();
    assert_eq!(dropped, 0, "every record comes on time");
    let mut found = seen.all();
    found.sort_unstable();
    found
}

/// The intervals under test: around the left record, before it, after it, at it, and open ones.
pub(crate) fn intervals() -> [(Offset, Offset); 6] {
    [
        (before(millis(5)), after(millis(10))),
        (before(millis(12)), before(millis(3))),
        (after(millis(3)), after(millis(12))),
        (Offset::ZERO, Offset::ZERO),
        (before(std::time::Duration::MAX), before(millis(400))),
        (after(millis(500)), after(std::time::Duration::MAX)),
    ]
}

#[test]
fn all_eight_joins_give_what_nested_loops_give_in_every_way_under_seeds() {
    let mut ways = 0;
    for (seed, kind) in (0..).zip(JoinKind::ALL.repeat(2)) {
        // One input ends early; in one case of two it begins before the epoch.
        let from_ms = if seed % 2 == 0 { 1_000 } else { -120 };
        let left = records(seed, 90, from_ms, 4);
        let right = records(seed + 100, 60, from_ms, 4);
        for ends in intervals() {
            let expected = nested_loops(kind, ends, &left, &right);
            for parallelism in [1, 2, 3] {
                for chaining in [true, false] {
                    let simulation = SchedulerKind::Simulation { seed: ways };
                    let options = RunOptions {
                        plan: PlanOptions { chaining, ..PlanOptions::default() },
                        scheduler: simulation,
                        channel_capacity: if ways % 3 == 0 { 2_048 } else { 1 },
                        ..RunOptions::default()
                    };
                    let late = if ways % 2 == 0 { LatePolicy::Allow } else { LatePolicy::Drop };
                    let lists = [&*left, &*right];
                    let found = joined(kind, ends, lists, (parallelism, late), &options);
                    let way = format!("{kind:?} {ends:?} × {parallelism}: {options:?}");
                    assert_eq!(found, expected, "{way}");
                    ways += 1;
                }
            }
        }
    }
}

#[test]
fn every_scheduler_joins_alike() {
    let (left, right) = (records(1, 700, 0, 9), records(2, 300, 0, 9));
    let ends = (before(millis(5)), after(millis(10)));
    for kind in JoinKind::ALL {
        let expected = nested_loops(kind, ends, &left, &right);
        assert!(!expected.is_empty());
        for scheduler in schedulers() {
            for channel_capacity in [1, 2_048] {
                let options = RunOptions { scheduler, channel_capacity, ..RunOptions::default() };
                let how = (3, LatePolicy::Allow);
                let found = joined(kind, ends, [&left, &right], how, &options);
                assert_eq!(found, expected, "{kind:?}, {scheduler:?}, {channel_capacity}");
            }
        }
    }
}

#[test]
fn the_ends_of_event_time_can_be_joined_w07() {
    // The last time of all is said to be the end, so a source cannot have it before its end.
    let (least, most) = (i64::MIN + 1, i64::MAX - 1);
    let left = [(0, least, 0), (1, least + 2, 1), (0, most - 8, 2), (1, most, 3), (0, most, 4)];
    let right = [(0, least, 0), (0, least + 3, 1), (1, most - 3, 2), (0, most, 3), (0, most, 4)];
    let far = std::time::Duration::MAX;
    let ends = [
        (before(millis(5)), after(millis(10))),
        (after(millis(1)), after(far)),
        (before(far), before(millis(1))),
        (before(far), after(far)),
        (after(far), after(far)),
    ];
    for kind in JoinKind::ALL {
        for ends in ends {
            let expected = nested_loops(kind, ends, &left, &right);
            for parallelism in [1, 2] {
                for late in [LatePolicy::Allow, LatePolicy::Drop] {
                    let options = RunOptions { channel_capacity: 1, ..RunOptions::default() };
                    let found = joined(kind, ends, [&left, &right], (parallelism, late), &options);
                    assert_eq!(found, expected, "{kind:?} {ends:?} × {parallelism}");
                }
            }
        }
    }
}

#[test]
fn an_interval_that_holds_nothing_is_refused_where_it_is_written() {
    assert!(Interval::between(after(minutes(1)), before(minutes(1))).is_empty());
    let mut line = 0;
    let built = Job::build("empty", |pipeline| {
        let (left, right) = (keyed(pipeline, vec![]), keyed(pipeline, vec![]));
        let near = left.interval_join(right).between(after(minutes(1)), before(minutes(2)));
        line = line!() + 1;
        near.inner(|l, r| l.0 + r.0).sink(blackhole());
        Ok(())
    });
    let refused = built.unwrap().run(&RunOptions::default()).unwrap_err();
    assert!(refused.is_refusal());
    let text = refused.to_string();
    for part in [
        "error[P0909] operator `op_4` ",
        &format!("(clink/tests/jobs/joins/mod.rs:{line}:"),
        "begins 60000 ms after and ends 120000 ms before",
    ] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
    assert_eq!(text.matches("error[").count(), 1, "{text}");
}
