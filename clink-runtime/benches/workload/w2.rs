//! W2: generates numbers, maps, filters, and keeps a running sum per key.

use std::hint::black_box;
use std::thread;

use clink::prelude::*;

use super::{Sums, Workload, last_of, note, run};

const KEYS: u64 = 1_024;
const BATCH: usize = 256;

fn mix(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

fn keeps(number: u64) -> bool {
    !number.is_multiple_of(3)
}

/// The sum so far of each key.
#[clink::operator(uid = "sum")]
#[derive(Default)]
struct Sum {
    #[state]
    sum: ValueState<u64>,
}

impl KeyedOperator for Sum {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, number: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let sum = self.sum.update(ctx, |sum| sum.wrapping_add(number))?;
        ctx.emit(sum);
        Ok(())
    }
}

/// The sum so far of each key, with the key.
#[clink::operator(uid = "named-sum")]
#[derive(Default)]
struct NamedSum {
    #[state]
    sum: ValueState<u64>,
}

impl KeyedOperator for NamedSum {
    type Key = u64;
    type In = u64;
    type Out = (u64, u64);

    fn process(&mut self, number: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let sum = self.sum.update(ctx, |sum| sum.wrapping_add(number))?;
        ctx.emit((*ctx.key(), sum));
        Ok(())
    }
}

/// The workload.
pub(crate) struct RunningSum {
    records: u64,
}

impl RunningSum {
    /// Over that many numbers.
    pub(crate) fn new(records: u64) -> Self {
        Self { records }
    }

    /// Two threads over a channel of batches: the first generates, maps and filters, the second
    /// looks up and sums.
    fn by_hand(&self) -> Vec<u64> {
        let (send, receive) = crossbeam_channel::bounded::<Vec<u64>>(8);
        let (give_back, spares) = crossbeam_channel::bounded::<Vec<u64>>(16);
        let records = self.records;
        let producer = thread::spawn(move || {
            let mut batch = Vec::with_capacity(BATCH);
            for number in (0..records).map(mix).filter(|number| keeps(*number)) {
                batch.push(number);
                if batch.len() == BATCH {
                    let spare = spares.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
                    send.send(std::mem::replace(&mut batch, spare)).expect("the summer listens");
                }
            }
            send.send(batch).expect("the summer listens");
        });
        let hasher = ahash::RandomState::new();
        let mut sums = std::collections::HashMap::<u64, u64, _>::with_hasher(hasher);
        for mut batch in receive {
            for number in batch.drain(..) {
                let sum = sums.entry(number % KEYS).or_default();
                *sum = sum.wrapping_add(number);
                black_box(*sum);
            }
            let _ = give_back.try_send(batch);
        }
        producer.join().expect("the generator does not panic");
        (0..KEYS).map(|key| sums.get(&key).copied().unwrap_or_default()).collect()
    }
}

impl Workload for RunningSum {
    fn title(&self) -> String {
        format!("W2: generate, map, filter, running sum over {} numbers, {KEYS} keys", self.records)
    }

    fn records(&self) -> u64 {
        self.records
    }

    fn limit(&self) {
        black_box(self.by_hand());
    }

    fn ours(&self, parallelism: u32) {
        run(parallelism, |pipeline| {
            pipeline
                .generate(self.records, |number| number)
                .map(mix)
                .filter(|number| keeps(*number))
                .key_by(|number| number % KEYS)
                .process(Sum::default())
                .sink(blackhole());
            Ok(())
        });
    }

    fn check(&self, parallelism: u32) {
        // A tenth is enough to compare, and the comparing sink is slow.
        let part = RunningSum::new(self.records / 10);
        let ours = last_of(
            |pipeline, sums| {
                pipeline
                    .generate(part.records, |number| number)
                    .map(mix)
                    .filter(|number| keeps(*number))
                    .key_by(|number| number % KEYS)
                    .process(NamedSum::default())
                    .map(move |(key, sum)| note(&sums, key.to_string(), sum))
                    .sink(blackhole());
                Ok(())
            },
            parallelism,
        );
        let by_hand = part.by_hand();
        let expected: Sums =
            (0u64..).zip(by_hand).map(|(key, sum)| (key.to_string(), sum)).collect();
        assert_eq!(ours, expected, "W2 at parallelism {parallelism}");
    }
}
