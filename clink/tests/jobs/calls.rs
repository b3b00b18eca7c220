//! Runs each call of the fluent API in every way and compares what comes out.

use std::collections::{BTreeMap, BTreeSet};

use clink::prelude::*;
use clink::time::Watermark;

use crate::support::{Seen, every_way, schedulers};

/// Records of a job: more than two batches, so that buffers fill and are cut.
const COUNT: u64 = 700;

#[test]
fn map_filter_and_flat_map() {
    let expected: Vec<u64> = (0..COUNT)
        .map(|n| n * 3)
        .filter(|n| n % 2 == 0)
        .flat_map(|n| (0..n % 4).map(move |k| n + k))
        .collect();
    every_way(&expected, |pipeline, seen: &Seen<u64>, _| {
        pipeline
            .generate(COUNT, |n| n)
            .map(|n| n * 3)
            .filter(|n| n % 2 == 0)
            .flat_map(|n| (0..n % 4).map(move |k| n + k).collect::<Vec<_>>())
            .map(seen.tap())
            .sink(blackhole());
    });
}

#[test]
fn one_record_becomes_many_more_than_a_channel_holds() {
    let expected: Vec<u64> = (0..3).flat_map(|n| (0..5_000).map(move |k| n * 5_000 + k)).collect();
    every_way(&expected, |pipeline, seen: &Seen<u64>, _| {
        pipeline
            .generate(3, |n| n)
            .flat_map(|n| (0..5_000).map(move |k| n * 5_000 + k))
            .map(|n| n)
            .set_parallelism(2)
            .map(seen.tap())
            .sink(blackhole());
    });
}

#[test]
fn elements_of_any_type_come_in_order_at_parallelism_1() {
    let words: Vec<String> = (0..COUNT).map(|n| format!("word {n}, \"quoted\"\n")).collect();
    every_way(&words, |pipeline, seen: &Seen<String>, _| {
        pipeline.elements(words.clone()).map(seen.tap()).sink(blackhole());
    });
    let seen = Seen::default();
    let job = clink::Job::build("job", |pipeline| {
        pipeline.elements(words.clone()).map(seen.tap()).sink(blackhole());
        Ok(())
    });
    job.unwrap().run(&clink::RunOptions::default()).unwrap();
    assert_eq!(seen.all(), words);
}

#[test]
fn an_empty_source_ends_at_once() {
    every_way(&[], |pipeline, seen: &Seen<u64>, _| {
        let none = pipeline.generate(0, |n| n);
        let some = pipeline.elements(Vec::new());
        none.union(some).key_by(|n| *n).reduce(|a, b| a + b).map(seen.tap()).sink(blackhole());
    });
}

/// Emits a number with how often its key has come.
#[clink::operator(uid = "count")]
#[derive(Default)]
struct Count {
    from: u64,
    #[state]
    seen: ValueState<u64>,
}

impl KeyedOperator for Count {
    type Key = String;
    type In = u64;
    type Out = (String, u64);

    fn process(&mut self, _: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let seen = self.seen.update(ctx, |n| n + 1)?;
        let key = ctx.key().clone();
        ctx.emit((key, self.from + seen));
        Ok(())
    }
}

fn counted(keys: impl Iterator<Item = String>) -> Vec<(String, u64)> {
    let mut counts = BTreeMap::new();
    keys.map(|key| {
        let count = counts.entry(key.clone()).or_insert(10);
        *count += 1;
        (key, *count)
    })
    .collect()
}

#[test]
fn key_by_and_process_with_a_parameter_and_state() {
    let key = |n: &u64| format!("key {}", n % 13);
    every_way(&counted((0..COUNT).map(|n| key(&n))), |pipeline, seen, _| {
        pipeline
            .generate(COUNT, |n| n)
            .key_by(key)
            .process(Count { from: 10, ..Count::default() })
            .map(seen.tap())
            .sink(blackhole());
    });
}

#[test]
fn key_by_ref_and_reduce() {
    // Sums of ones are 1, 2, 3, … whatever the order of arrival, so each run is compared.
    let key = |n: u64| format!("key {}", n % 11);
    let mut expected = counted((0..COUNT).map(key));
    expected.iter_mut().for_each(|(_, count)| *count -= 10);
    every_way(&expected, |pipeline, seen: &Seen<(String, u64)>, _| {
        pipeline
            .generate(COUNT, move |n| (key(n), 1))
            .key_by_ref(|(key, _)| key.as_str())
            .reduce(|(key, a), (_, b)| (key, a + b))
            .map(seen.tap())
            .sink(blackhole());
    });
}

/// Says where each record is handled.
#[clink::operator(uid = "place")]
struct Place;

impl Operator for Place {
    type In = u64;
    type Out = (u64, u64, u64);

    fn process(&mut self, n: u64, ctx: &mut Context<'_, Self::Out>) -> Result<()> {
        let (index, of) = (ctx.runtime().subtask_index(), ctx.runtime().parallelism());
        ctx.emit((n, index.into(), of.into()));
        Ok(())
    }
}

#[test]
fn a_parallelism_of_its_own_stands_above_the_jobs() {
    let expected: Vec<_> = (0..COUNT).map(|n| (n, 0, 1)).collect();
    every_way(&expected, |pipeline, seen, _| {
        pipeline.set_parallelism(5);
        let places = pipeline.generate(COUNT, |n| n).process(Place).set_parallelism(1);
        places.name("where").uid("place-1").map(seen.tap()).sink(blackhole()).name("nowhere");
    });
}

#[test]
fn every_subtask_gets_its_part_p08() {
    for scheduler in schedulers() {
        let (records, parts) = (40 * 256, Seen::<(u64, u64, u64)>::default());
        let job = clink::Job::build_with("job", Some(8), |pipeline| {
            let numbers = pipeline.generate(records, |n| n).set_parallelism(1);
            numbers.process(Place).map(parts.tap()).sink(blackhole());
            Ok(())
        });
        let options = clink::RunOptions { scheduler, ..clink::RunOptions::default() };
        job.unwrap().run(&options).unwrap();
        let found = parts.all();
        let numbers: BTreeSet<u64> = found.iter().map(|(n, ..)| *n).collect();
        assert_eq!((found.len() as u64, numbers.len() as u64), (records, records));
        let subtasks: BTreeSet<(u64, u64)> = found.iter().map(|(_, at, of)| (*at, *of)).collect();
        assert_eq!(subtasks, (0..8).map(|index| (index, 8)).collect(), "{scheduler:?}");
        for subtask in 0..8 {
            let part = found.iter().filter(|(_, at, _)| *at == subtask).count() as u64;
            // Even but for the batch that is being filled.
            assert!(part.abs_diff(records / 8) <= 256, "{scheduler:?}: {subtask} got {part}");
        }
    }
}

#[test]
fn a_union_holds_the_records_of_all_its_streams() {
    let expected: Vec<u64> = (0..COUNT).chain(10_000..10_010).chain(20_000..20_300).collect();
    every_way(&expected, |pipeline, seen: &Seen<u64>, parallelism| {
        let first = pipeline.generate(COUNT, |n| n);
        let second = pipeline.elements((10_000..10_010).collect());
        let third = pipeline.generate(300, |n| n + 20_000).set_parallelism(parallelism + 1);
        first.union(second).union(third).map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn a_union_of_a_stream_with_itself_holds_each_record_twice_p01() {
    let expected: Vec<u64> = (0..COUNT).chain(0..COUNT).collect();
    every_way(&expected, |pipeline, seen: &Seen<u64>, _| {
        let once = pipeline.generate(COUNT, |n| n);
        once.clone().union(once).key_by(|n| *n).reduce(|a, _| a).map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn each_consumer_of_a_stream_gets_every_record() {
    let expected: Vec<u64> =
        (0..COUNT).map(|n| n * 2).flat_map(|n| [n, n + 1_000_000, n + 2_000_000]).collect();
    every_way(&expected, |pipeline, seen: &Seen<u64>, _| {
        let stream = pipeline.generate(COUNT, |n| n).map(|n| n * 2);
        let plain = stream.clone();
        let mapped = stream.clone().map(|n| n + 1_000_000);
        let keyed = stream.key_by(|n| n % 7).reduce(|_, n| n).map(|n| n + 2_000_000);
        plain.sink(blackhole()).name("first");
        let plain_again = mapped.clone().map(|n| n - 1_000_000).map(seen.tap());
        plain_again.sink(blackhole());
        mapped.map(seen.tap()).sink(blackhole());
        keyed.map(seen.tap()).sink(blackhole());
    });
}

/// Emits, at the end of event time, how many records had one and how many had none.
#[clink::operator(uid = "clockwork")]
#[derive(Default)]
struct Clockwork {
    #[transient]
    watermark: Option<i64>,
    #[transient]
    timed: u64,
    #[transient]
    timeless: u64,
    #[transient]
    late: u64,
    #[transient]
    ended: bool,
}

impl Operator for Clockwork {
    type In = u64;
    type Out = (u64, u64, u64);

    fn process(&mut self, _: u64, ctx: &mut Context<'_, Self::Out>) -> Result<()> {
        match ctx.event_time().map(|time| time.as_millis()) {
            Some(time) => {
                self.timed += 1;
                self.late += u64::from(self.watermark.is_some_and(|watermark| time < watermark));
            }
            None => self.timeless += 1,
        }
        Ok(())
    }

    fn on_watermark(
        &mut self,
        watermark: Watermark,
        ctx: &mut Context<'_, Self::Out>,
    ) -> Result<()> {
        let Watermark::At(time) = watermark else { return Ok(()) };
        assert!(self.watermark.is_none_or(|last| last < time.as_millis()), "time goes back");
        self.watermark = Some(time.as_millis());
        if time.as_millis() == i64::MAX {
            assert!(!self.ended, "time ends twice");
            self.ended = true;
            ctx.emit((self.timed, self.timeless, self.late));
        }
        Ok(())
    }

    fn flush(&mut self, _: &mut Context<'_, Self::Out>) -> Result<()> {
        if self.ended { Ok(()) } else { Err(Error::new("the input ended before its time")) }
    }
}

#[test]
fn event_time_passes_through_every_shape_and_ends() {
    // Each tenth record has no time; the others are up to 9 ms out of order.
    let timed = COUNT - COUNT / 10;
    every_way(&[(timed, COUNT / 10, 0)], |pipeline, seen: &Seen<(u64, u64, u64)>, _| {
        pipeline
            .generate(COUNT, |n| n)
            .set_parallelism(1)
            .event_time(
                |n| (n % 10 != 0).then(|| Timestamp::from_millis((n ^ 7).cast_signed())),
                bounded(millis(9)),
            )
            .set_parallelism(1)
            .map(|n| n)
            .key_by(|n| n % 5)
            .reduce(|_, n| n)
            .process(Clockwork::default())
            .set_parallelism(1)
            .map(seen.tap())
            .sink(blackhole());
    });
}
