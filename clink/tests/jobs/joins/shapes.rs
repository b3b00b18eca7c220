//! Joins streams of every shape: of other types, of themselves, idle, empty, without event times,
//! late; and stage by stage.

use clink::dag::{Dag, key};
use clink::join::{Interval, Join, JoinKind, full_outer, left_anti};
use clink::prelude::*;
use clink::run::{BadRecordPolicy, Ending, NoObserver, SchedulerKind, Signal};
use clink::{Job, RunOptions};

use super::{Found, Record, Timed, Watch, join, joined, keyed, nested_loops, records};
use crate::support::{Seen, every_way, folder, schedulers};

#[derive(Data, Clone, Debug)]
struct Order {
    id: String,
    at: Timestamp,
}

#[derive(Data, Clone, Debug)]
struct Payment {
    order: String,
    at: Timestamp,
    cents: i64,
}

#[test]
fn records_of_two_types_are_joined_by_a_borrowed_and_an_owned_key() {
    let (orders, payments) = (records(1, 200, 0, 7), records(2, 150, 0, 7));
    let ends = (before(millis(5)), after(millis(10)));
    let pairs = nested_loops(JoinKind::LeftOuter, ends, &orders, &payments);
    let cents = |record: &Record| i64::try_from(record.2).unwrap();
    let expected: Vec<(String, Option<i64>)> = pairs
        .iter()
        .map(|(order, payment, _)| {
            let order = orders[usize::try_from(order.unwrap()).unwrap()];
            let payment = payment.map(|payment| payments[usize::try_from(payment).unwrap()]);
            (format!("order {}", order.0), payment.map(|payment| cents(&payment)))
        })
        .collect();
    every_way(&expected, |pipeline, seen, _| {
        let order =
            |r: &Record| Order { id: format!("order {}", r.0), at: Timestamp::from_millis(r.1) };
        let payment = move |r: &Record| Payment {
            order: format!("order {}", r.0),
            at: Timestamp::from_millis(r.1),
            cents: cents(r),
        };
        let orders = pipeline.elements(orders.iter().map(order).collect());
        let payments = pipeline.elements(payments.iter().map(payment).collect());
        let orders = orders.event_time(|order| order.at, bounded(millis(6)));
        let payments = payments.event_time(|payment| payment.at, bounded(millis(6)));
        orders
            .key_by_ref(|order| order.id.as_str())
            .interval_join(payments.key_by(|payment| payment.order.clone()))
            .between(ends.0, ends.1)
            .left_outer(|order, payment| (order.id.clone(), payment.map(|it| it.cents)))
            .map(seen.tap())
            .sink(blackhole());
    });
}

#[test]
fn a_stream_is_joined_with_itself_and_with_a_union() {
    let (one, other) = (records(3, 150, 0, 5), records(4, 90, 0, 5));
    let both: Vec<Record> = one.iter().chain(&other).copied().collect();
    let ends = (before(millis(3)), Offset::ZERO);
    let expected = nested_loops(JoinKind::FullOuter, ends, &one, &both);
    every_way(&expected, |pipeline, seen: &Seen<Timed>, _| {
        let timed = |records: &[Record]| {
            let disorder = bounded(millis(6));
            let of = |record: &Record| Timestamp::from_millis(record.1);
            pipeline.elements(records.to_vec()).event_time(of, disorder)
        };
        let left = timed(&one);
        let right = left.clone().union(timed(&other));
        let (left, right) = (left.key_by(|it| it.0), right.key_by(|it| it.0));
        let found = join(JoinKind::FullOuter, left, right, ends, LatePolicy::Allow);
        found.process(Watch).map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn an_input_without_records_leaves_the_other_one_alone() {
    let some = records(5, 80, 0, 3);
    let ends = (before(millis(5)), after(millis(10)));
    for kind in JoinKind::ALL {
        for lists in [[&*some, &[]], [&[], &*some], [&[], &[]]] {
            let expected = nested_loops(kind, ends, lists[0], lists[1]);
            let how = (2, LatePolicy::Allow);
            let found = joined(kind, ends, lists, how, &RunOptions::default());
            assert_eq!(found, expected, "{kind:?}");
        }
    }
}

/// Has nothing to read, and never ends.
#[clink::operator(uid = "silent")]
struct Silent;

impl Source for Silent {
    type Out = Record;
    type Split = u64;

    fn splits(&self, _wanted: u32) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }

    fn open(&mut self, _splits: Vec<u64>, _ctx: &RuntimeContext) -> Result<()> {
        Ok(())
    }

    fn produce(&mut self, _ctx: &mut SourceContext<'_, Record>) -> Result<Produced> {
        Ok(Produced::Idle(std::time::Duration::from_secs(1)))
    }

    fn snapshot(&mut self) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }
}

#[test]
fn an_idle_input_holds_nothing_back_and_is_not_at_its_end() {
    for seed in 0..20 {
        let (send, signals) = crossbeam_channel::bounded(1);
        let seen = Seen::default();
        let job = Job::build_with("idle", Some(2), |pipeline| {
            let of = |record: &Record| Timestamp::from_millis(record.1);
            let right = pipeline.source(Silent).event_time(of, monotonic()).key_by(|it| it.0);
            let left =
                keyed(pipeline, (0..500).map(|n: u64| (n % 7, n.cast_signed(), n)).collect());
            let ends = (before(millis(1)), after(millis(1)));
            let found = join(JoinKind::LeftAnti, left, right, ends, LatePolicy::Allow);
            // Nothing but the watermark of the left input can let it go.
            let found = found.process(Watch).map(move |timed| {
                if timed.0 == Some(450) {
                    send.send(Signal::Stop).unwrap();
                }
                timed
            });
            found.map(seen.tap()).sink(blackhole());
            Ok(())
        });
        let scheduler = SchedulerKind::Simulation { seed };
        let options = RunOptions { scheduler, channel_capacity: 1, ..RunOptions::default() };
        let report = job.unwrap().run_watched(&options, &signals, &mut NoObserver).unwrap();
        assert_eq!(report.ending, Ending::Stopped, "seed {seed}");
        // The watermark stays 6 behind the last record, and the idle input could come back.
        let last = seen.all().iter().map(|(number, ..)| number.unwrap()).max();
        assert!(last < Some(499 - 6 - 1), "seed {seed}: {last:?}");
    }
}

#[test]
fn a_stop_lets_nothing_go_before_its_time() {
    for scheduler in schedulers() {
        let (send, signals) = crossbeam_channel::bounded(1);
        let seen = Seen::default();
        let job = Job::build_with("stopped", Some(2), |pipeline| {
            let left =
                keyed(pipeline, (0..300).map(|n: u64| (n % 7, n.cast_signed(), n)).collect());
            let of = |record: &Record| Timestamp::from_millis(record.1);
            let right = pipeline.source(Silent).event_time(of, monotonic()).key_by(|it| it.0);
            let ends = (before(minutes(1)), after(minutes(1)));
            let found = join(JoinKind::FullOuter, left, right, ends, LatePolicy::Allow);
            found.process(Watch).map(seen.tap()).sink(blackhole());
            send.send(Signal::Stop).unwrap();
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let report = job.unwrap().run_watched(&options, &signals, &mut NoObserver).unwrap();
        assert_eq!(report.ending, Ending::Stopped);
        assert_eq!(seen.all(), []);
    }
}

/// A job of records that come late, and of some without an event time; their key is 0.
fn late_job(late: LatePolicy, seen: &Seen<Timed>) -> Job {
    let job = Job::build("late", |pipeline| {
        let mut records: Vec<Record> = (0..400).map(|n: u64| (0, n.cast_signed(), n)).collect();
        records.push((0, 5, 400));
        let left = keyed(pipeline, records);
        let right = keyed(pipeline, vec![(0, 397, 0)]);
        let ends = (before(millis(2)), after(millis(3)));
        let found = join(JoinKind::LeftAnti, left, right, ends, late);
        let timed = found.map(|(left, right)| (left, right, 0));
        timed.map(seen.tap()).sink(blackhole());
        Ok(())
    });
    job.unwrap()
}

#[test]
fn late_records_are_taken_or_dropped_and_counted() {
    for seed in 0..10 {
        for (late, dropped) in [(LatePolicy::Allow, 0), (LatePolicy::Drop, 1)] {
            let seen = Seen::default();
            // A record a channel: the watermark comes before the next one.
            let scheduler = SchedulerKind::Simulation { seed };
            let options = RunOptions { scheduler, channel_capacity: 1, ..RunOptions::default() };
            let view = late_job(late, &seen).run(&options).unwrap().view;
            let count: u64 = view.instances.iter().map(|it| it.metrics.late_records()).sum();
            assert_eq!(count, dropped, "seed {seed}");
            let mut left: Vec<_> = seen.all().iter().map(|found| found.0.unwrap()).collect();
            left.sort_unstable();
            // 394 to 399 lie within the interval of the one on the right.
            let mut expected: Vec<u64> = (0..394).collect();
            expected.extend((dropped == 0).then_some(400));
            assert_eq!(left, expected, "seed {seed}, {late:?}");
            let series = "clink_late_records_total{job=\"late\",operator=\"op_4\"";
            let told = view.to_prometheus();
            let line = told.lines().find(|line| line.starts_with(series)).unwrap();
            assert!(line.ends_with(&format!(" {dropped}")), "{line}");
        }
    }
}

fn half_timed(seen: &Seen<Timed>) -> Job {
    let job = Job::build("half-timed", |pipeline| {
        let left = keyed(pipeline, vec![(1, 10, 0)]);
        let right = pipeline
            .elements(vec![(1, 12, 0), (1, -1, 1), (1, 11, 2)])
            .event_time(
                |record: &Record| (record.1 >= 0).then_some(Timestamp::from_millis(record.1)),
                bounded(millis(6)),
            )
            .key_by(|record| record.0);
        let ends = (before(millis(20)), after(millis(20)));
        let found = join(JoinKind::Inner, left, right, ends, LatePolicy::Allow);
        found.process(Watch).map(seen.tap()).sink(blackhole());
        Ok(())
    });
    job.unwrap()
}

#[test]
fn a_record_without_an_event_time_is_bad_and_never_joined_at_time_zero() {
    let seen = Seen::default();
    let error = half_timed(&seen).run(&RunOptions::default()).unwrap_err().to_string();
    for part in ["a record of the right stream has no event time", ".event_time(", "[1,-1,1]"] {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
    let folder = folder();
    let path = folder.path().join("bad.ndjson");
    for bad_records in [BadRecordPolicy::Skip, BadRecordPolicy::File(path.clone())] {
        let seen = Seen::default();
        let options = RunOptions { bad_records, ..RunOptions::default() };
        let view = half_timed(&seen).run(&options).unwrap().view;
        let bad: u64 = view.instances.iter().map(|it| it.metrics.bad_records()).sum();
        assert_eq!(bad, 1);
        let mut found = seen.all();
        found.sort_unstable();
        assert_eq!(found, [(Some(0), Some(0), 12), (Some(0), Some(2), 11)]);
    }
    let letter = std::fs::read_to_string(path).unwrap();
    assert!(letter.contains("has no event time") && letter.contains("[1,-1,1]"), "{letter}");
}

/// Sources that emit some records with their event times.
macro_rules! timed_source {
    ($name:ident, $uid:literal, $seed:literal) => {
        #[clink::operator(uid = $uid)]
        #[derive(Default)]
        struct $name {
            count: u64,
            #[transient]
            next: u64,
        }

        impl Source for $name {
            type Out = Record;
            type Split = u64;

            fn splits(&self, _wanted: u32) -> Result<Vec<u64>> {
                Ok(vec![0])
            }

            fn open(&mut self, splits: Vec<u64>, _ctx: &RuntimeContext) -> Result<()> {
                self.next = splits.first().copied().unwrap_or(self.count);
                Ok(())
            }

            fn produce(&mut self, ctx: &mut SourceContext<'_, Record>) -> Result<Produced> {
                if self.next < self.count {
                    for record in records($seed, self.count, 0, 5) {
                        ctx.emit_at(record, Timestamp::from_millis(record.1));
                    }
                    self.next = self.count;
                }
                Ok(Produced::End)
            }

            fn snapshot(&mut self) -> Result<Vec<u64>> {
                Ok(vec![self.next])
            }
        }
    };
}

timed_source!(First, "first", 1);
timed_source!(Second, "second", 2);

#[test]
fn stages_are_joined_one_by_one_and_in_several_subtasks() {
    let ends = (before(millis(5)), after(millis(10)));
    let (left, right) = (records(1, 60, 0, 5), records(2, 50, 0, 5));
    let near = || Interval::between(ends.0, ends.1);
    let by_key = || key(|record: &Record| record.0);
    let (first, second) = (First { count: 60, next: 0 }, Second { count: 50, next: 0 });
    let folder = folder();
    let path = folder.path().join("out.ndjson");
    let lines = |dag: Dag| {
        let job = Job::from_dag("stages", dag);
        let plan = job.explain().unwrap();
        assert!(plan.contains("  join  "), "{plan}");
        job.run(&RunOptions::default()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let sink = || files::ndjson_sink::<Found>(path.to_str().unwrap());
    let json = |found: Vec<Timed>| {
        let line = |(left, right, _): &Timed| {
            let side = |n: &Option<u64>| n.map_or("null".to_owned(), |n| n.to_string());
            format!("[{},{}]", side(left), side(right))
        };
        let mut lines: Vec<String> = found.iter().map(line).collect();
        lines.sort_unstable();
        lines
    };

    let mut dag = Dag::default();
    let full = full_outer(|found: Joined<'_, Record, Record>| {
        (found.left().map(|l| l.2), found.right().map(|r| r.2))
    });
    let (one, other) = ((dag.add_source(&first), by_key()), (dag.add_source(&second), by_key()));
    let found = dag.interval_join(one, other, Join::new(near(), full));
    dag.uid(&found, "join");
    dag.add_sink(found, &sink());
    let expected = nested_loops(JoinKind::FullOuter, ends, &left, &right);
    assert_eq!(lines(dag), json(expected));

    let mut dag = Dag::default();
    let one = (dag.add_parallel_source(&first, 2), by_key());
    let other = (dag.add_parallel_source(&second, 3), by_key());
    let anti = Join { late: LatePolicy::Drop, ..Join::new(near(), left_anti()) };
    let found = dag.parallel_interval_join(one, other, anti, 4);
    let sink = files::ndjson_sink::<Record>(path.to_str().unwrap());
    dag.add_parallel_sink(found, &sink, 1);
    let expected = nested_loops(JoinKind::LeftAnti, ends, &left, &right);
    let number = |found: &Timed| usize::try_from(found.0.unwrap()).unwrap();
    let of_left = expected.iter().map(|found| left[number(found)]);
    let mut expected: Vec<_> = of_left.map(|(key, at, n)| format!("[{key},{at},{n}]")).collect();
    expected.sort_unstable();
    assert_eq!(lines(dag), expected);
}
