//! Runs jobs whose results do not depend on the order of records in every way there is, and
//! compares what comes out with a plain computation.

use std::collections::BTreeMap;

use clink::prelude::*;
use clink::{ExchangeOptions, IterationConfig};

use crate::support::every_way;

/// Numbers enough for several batches, and for every subtask to get some.
const COUNT: u64 = 700;

const ODD: OutputTag<u64> = OutputTag::new("odd");
const TEXT: OutputTag<String> = OutputTag::new("text");

/// Emits even numbers, and odd ones aside; of multiples of ten, their text too.
#[clink::operator(uid = "sorted")]
struct Sorted;

impl Operator for Sorted {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        if n.is_multiple_of(10) {
            ctx.emit_side(&TEXT, n.to_string())?;
        }
        if n % 2 == 1 {
            return ctx.emit_side(&ODD, n);
        }
        ctx.emit(n);
        Ok(())
    }
}

/// Sums up the numbers of a key, and emits the sum at the end of time.
#[clink::operator(uid = "sum")]
#[derive(Default)]
struct Sum {
    #[state]
    sum: ValueState<u64>,
}

impl KeyedOperator for Sum {
    type Key = u64;
    type In = u64;
    type Out = (u64, u64);

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.sum.update(ctx, |sum| sum + n)?;
        ctx.timers().register_event_time(EventTime::MAX);
        Ok(())
    }

    fn on_event_time_timer(
        &mut self,
        _: EventTime,
        ctx: &mut KeyedContext<'_, Self>,
    ) -> Result<()> {
        let sum = self.sum.get(ctx)?.copied().unwrap_or_default();
        ctx.emit((*ctx.key(), sum));
        Ok(())
    }
}

/// Tells its inputs apart: numbers grow by a thousand, texts become their length.
#[clink::operator(uid = "both")]
struct Both;

impl CoOperator for Both {
    type In1 = u64;
    type In2 = String;
    type Out = u64;

    fn process_element1(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(n + 1_000);
        Ok(())
    }

    fn process_element2(&mut self, text: String, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(text.len() as u64);
        Ok(())
    }
}

/// Counts what a key gets from each input, and emits both counts at the end of time.
#[clink::operator(uid = "balance")]
#[derive(Default)]
struct Balance {
    #[state]
    counts: ValueState<(u64, u64)>,
}

impl Balance {
    fn add(&mut self, add: (u64, u64), ctx: &mut KeyedCoContext<'_, Self>) -> Result<()> {
        self.counts.update(ctx, |(first, second)| (first + add.0, second + add.1))?;
        ctx.timers().register_event_time(EventTime::MAX);
        Ok(())
    }
}

impl KeyedCoOperator for Balance {
    type Key = u64;
    type In1 = u64;
    type In2 = String;
    type Out = (u64, (u64, u64));

    fn process_element1(&mut self, _: u64, ctx: &mut KeyedCoContext<'_, Self>) -> Result<()> {
        self.add((1, 0), ctx)
    }

    fn process_element2(&mut self, _: String, ctx: &mut KeyedCoContext<'_, Self>) -> Result<()> {
        self.add((0, 1), ctx)
    }

    fn on_event_time_timer(
        &mut self,
        _: EventTime,
        ctx: &mut KeyedCoContext<'_, Self>,
    ) -> Result<()> {
        let counts = self.counts.get(ctx)?.copied().unwrap_or_default();
        ctx.emit((*ctx.key(), counts));
        Ok(())
    }
}

#[test]
fn a_union_of_forks_has_each_record_of_each() {
    let expected: Vec<u64> = (0..COUNT).flat_map(|n| [n, n * 2, n * 3]).collect();
    every_way(&expected, |pipeline, seen, _| {
        let numbers = pipeline.generate(COUNT, |n| n);
        let double = numbers.clone().map(|n| n * 2);
        let triple = numbers.clone().map(|n| n * 3);
        numbers.union(double).union(triple).map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn side_outputs_carry_what_was_emitted_to_them() {
    let text = |n: u64| if n.is_multiple_of(10) { n } else { 0 };
    let expected: Vec<(u64, u64)> = (0..COUNT).map(|n| (n % 2, n)).collect();
    let texts = (0..COUNT).filter(|n| n.is_multiple_of(10)).map(|n| (2, text(n)));
    let expected: Vec<_> = expected.into_iter().chain(texts).collect();
    every_way(&expected, |pipeline, seen, _| {
        // In the middle of a chain, with operators on either side.
        let sorted = pipeline.generate(COUNT, |n| n + 1).map(|n| n - 1).process(Sorted);
        let odd = sorted.side_output(&ODD).map(|n| (1_u64, n));
        let text = sorted.side_output(&TEXT).map(|text| (2, text.parse::<u64>().unwrap()));
        let even = sorted.map(|n| (0, n)).filter(|_| true);
        even.union(odd).union(text).map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn each_record_of_a_split_goes_to_its_branch_alone() {
    let expected: Vec<(u64, u64)> = (0..COUNT).map(|n| (n % 3, n)).collect();
    every_way(&expected, |pipeline, seen, _| {
        let numbers = pipeline.generate(COUNT, |n| n).filter(|_| true);
        let [zero, one, two] =
            numbers.split(["zero", "one", "two"], |n| u32::try_from(n % 3).unwrap());
        let zero = zero.map(|n| (0, n));
        // A branch at another parallelism, and one with two readers.
        let one = one.map(|n| (1, n)).set_parallelism(2);
        let two_again = two.clone().filter(|_| false).map(|n| (2, n));
        let two = two.map(|n| (2, n));
        zero.union(one).union(two).union(two_again).map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn keyed_sums_at_the_end_of_time() {
    let mut sums = BTreeMap::<u64, u64>::new();
    (0..COUNT).for_each(|n| *sums.entry(n % 13).or_default() += n);
    let expected: Vec<(u64, u64)> = sums.into_iter().collect();
    every_way(&expected, |pipeline, seen, _| {
        let numbers = pipeline.generate(COUNT, |n| n);
        numbers.key_by(|n| n % 13).process(Sum::default()).map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn connected_streams_are_told_apart() {
    let lengths = (0..COUNT / 2).map(|n| n.to_string().len() as u64);
    let expected: Vec<u64> = (0..COUNT).map(|n| n + 1_000).chain(lengths).collect();
    every_way(&expected, |pipeline, seen, _| {
        let numbers = pipeline.generate(COUNT, |n| n);
        let texts = pipeline.generate(COUNT / 2, |n| n.to_string()).set_parallelism(1);
        numbers.connect(texts).process(Both).map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn keys_of_connected_streams_meet() {
    let mut counts = BTreeMap::<u64, (u64, u64)>::new();
    (0..COUNT).for_each(|n| counts.entry(n % 7).or_default().0 += 1);
    (0..COUNT).for_each(|n| counts.entry(n.to_string().len() as u64).or_default().1 += 1);
    let expected: Vec<_> = counts.into_iter().collect();
    every_way(&expected, |pipeline, seen, _| {
        let numbers = pipeline.generate(COUNT, |n| n).key_by(|n| n % 7);
        let texts = pipeline.generate(COUNT, |n| n.to_string()).key_by(|text| text.len() as u64);
        numbers.connect(texts).process(Balance::default()).map(seen.tap()).sink(blackhole());
    });
}

/// Emits the difference of what a key gets from its two inputs, at the end of time: both carry one
/// type, and each has a key of its own.
#[clink::operator(uid = "difference")]
#[derive(Default)]
struct Difference {
    #[state]
    sum: ValueState<i64>,
}

impl KeyedCoOperator for Difference {
    type Key = u64;
    type In1 = u64;
    type In2 = u64;
    type Out = (u64, i64);

    fn process_element1(&mut self, _: u64, ctx: &mut KeyedCoContext<'_, Self>) -> Result<()> {
        self.sum.update(ctx, |sum| sum + 1)?;
        ctx.timers().register_event_time(EventTime::MAX);
        Ok(())
    }

    fn process_element2(&mut self, _: u64, ctx: &mut KeyedCoContext<'_, Self>) -> Result<()> {
        self.sum.update(ctx, |sum| sum - 1)?;
        ctx.timers().register_event_time(EventTime::MAX);
        Ok(())
    }

    fn on_event_time_timer(
        &mut self,
        _: EventTime,
        ctx: &mut KeyedCoContext<'_, Self>,
    ) -> Result<()> {
        let sum = self.sum.get(ctx)?.copied().unwrap_or_default();
        ctx.emit((*ctx.key(), sum));
        Ok(())
    }
}

#[test]
fn two_inputs_of_one_type_have_each_its_own_key() {
    let mut sums = BTreeMap::<u64, i64>::new();
    (0..COUNT).for_each(|n| *sums.entry(n % 5).or_default() += 1);
    (0..COUNT).for_each(|n| *sums.entry(n / 100).or_default() -= 1);
    let expected: Vec<_> = sums.into_iter().collect();
    every_way(&expected, |pipeline, seen, _| {
        let by_rest = pipeline.generate(COUNT, |n| n).key_by(|n| n % 5);
        let by_hundred = pipeline.generate(COUNT, |n| n).key_by(|n| n / 100);
        let both = by_rest.connect(by_hundred).process(Difference::default());
        both.map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn both_inputs_of_a_diamond_come_from_one_source_b01() {
    let expected: Vec<u64> = (0..COUNT).map(|n| n + 1_000).chain((0..COUNT).map(|_| 3)).collect();
    every_way(&expected, |pipeline, seen, _| {
        let numbers = pipeline.generate(COUNT, |n| n);
        let texts = numbers.clone().map(|_| "abc".to_owned());
        // One way is longer, and is reshuffled.
        let numbers = numbers.map(|n| n).set_parallelism(3).filter(|_| true).set_parallelism(1);
        numbers.connect(texts).process(Both).map(seen.tap()).sink(blackhole());
    });
}

/// How many steps of the Collatz rule lead from a number to 1.
fn collatz(mut n: u64) -> u64 {
    let mut steps = 0;
    while n != 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[test]
fn an_iteration_ends_when_every_number_has_come_to_one() {
    let expected: Vec<(u64, u64)> = (1..=COUNT / 5).map(|n| (n, collatz(n))).collect();
    every_way(&expected, |pipeline, seen, _| {
        let numbers = pipeline.generate(COUNT / 5, |n| (n + 1, n + 1, 0_u64));
        let done = numbers.iterate(IterationConfig::new(), |numbers| {
            let [done, on] =
                numbers.split(["done", "on"], |(_, n, _): &(u64, u64, u64)| u32::from(*n != 1));
            let on = on.map(|(of, n, steps)| {
                (of, if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 }, steps + 1)
            });
            (on, done.map(|(of, _, steps)| (of, steps)))
        });
        done.map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn a_body_that_emits_more_than_it_takes_does_not_block_itself_b08() {
    let expected = vec![0_u64; 3 * 1_024];
    every_way(&expected, |pipeline, seen, _| {
        let rounds = pipeline.elements(vec![10_u64, 10, 10]);
        let done = rounds.iterate(IterationConfig::new(), |rounds| {
            let [done, on] = rounds.split(["done", "on"], |left| u32::from(*left > 0));
            // Through a shuffle: the feedback of a subtask comes from all of them.
            let on = on.flat_map(|left| [left - 1, left - 1]).key_by(|left| left % 3);
            (on.reduce(|_, left| left), done)
        });
        done.map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn an_iteration_in_an_iteration_ends_too() {
    // The inner one adds up to a multiple of ten, the outer one halves until below ten.
    let inner = |n: u64| n.next_multiple_of(10);
    let mut expected = Vec::new();
    for n in 0..100 {
        let mut n = inner(n);
        while n >= 40 {
            n = inner(n / 2);
        }
        expected.push(n);
    }
    every_way(&expected, |pipeline, seen, _| {
        let numbers = pipeline.generate(100, |n| n);
        let small = numbers.iterate(IterationConfig::new(), |numbers| {
            let tens = numbers.iterate(IterationConfig::new(), |numbers| {
                let [tens, others] = numbers.split(["tens", "others"], |n| u32::from(n % 10 != 0));
                (others.map(|n| n + 1), tens)
            });
            let [small, large] = tens.split(["small", "large"], |n| u32::from(*n >= 40));
            (large.map(|n| n / 2), small)
        });
        small.map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn every_main_record_passes_a_broadcast_once_and_control_records_reach_every_subtask() {
    for parallelism in [1_u64, 4] {
        let mut expected: Vec<u64> = (0..COUNT).collect();
        (0..parallelism).for_each(|_| expected.extend([1_000, 1_001]));
        every_way(&expected, |pipeline, seen, _| {
            let control = pipeline.elements(vec![1_000_u64, 1_001]);
            let numbers = pipeline.generate(COUNT, |n| n).connect_broadcast(control).process(
                0_u64,
                |_, n, ctx| {
                    ctx.emit(n);
                    Ok(())
                },
                |seen, n, ctx| {
                    *seen += 1;
                    ctx.emit(n);
                    Ok(())
                },
            );
            let parallelism = u32::try_from(parallelism).unwrap();
            numbers.set_parallelism(parallelism).map(seen.tap()).sink(blackhole());
        });
    }
}

#[test]
fn a_blocking_exchange_gives_out_everything_in_memory_or_not() {
    let expected: Vec<u64> = (0..COUNT).collect();
    for memory_bytes in [0, 1 << 20] {
        every_way(&expected, |pipeline, seen, _| {
            let options = ExchangeOptions::new().memory_bytes(memory_bytes);
            let held = pipeline.generate(COUNT, |n| n).blocking_exchange(options);
            held.filter(|_| true).map(seen.tap()).sink(blackhole());
        });
    }
}

#[test]
fn each_round_of_an_iteration_ends_with_what_an_exchange_in_it_held() {
    let expected: Vec<u64> = vec![0; 20];
    every_way(&expected, |pipeline, seen, _| {
        let numbers = pipeline.generate(20, |n| n % 5);
        let done = numbers.iterate(IterationConfig::new(), |numbers| {
            let [done, on] = numbers.split(["done", "on"], |n| u32::from(*n > 0));
            (on.map(|n| n - 1).blocking_exchange(ExchangeOptions::new()), done)
        });
        done.map(seen.tap()).sink(blackhole());
    });
}
