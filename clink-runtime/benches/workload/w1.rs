//! W1: sums a number per key over NDJSON rows.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clink::prelude::*;
use serde::Deserialize;

use super::{Sums, Workload, last_of, note, run};

const KEYS: u64 = 1_000;

#[derive(Data, Clone)]
struct Row {
    k: String,
    v: u64,
    ts: i64,
}

/// The sum so far of each key.
#[clink::operator(uid = "sum")]
#[derive(Default)]
struct Sum {
    #[state]
    sum: ValueState<u64>,
}

impl KeyedOperator for Sum {
    type Key = String;
    type In = Row;
    type Out = u64;

    fn process(&mut self, row: Row, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        black_box(row.ts);
        let sum = self.sum.update(ctx, |sum| sum + row.v)?;
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
    type Key = String;
    type In = Row;
    type Out = (String, u64);

    fn process(&mut self, row: Row, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let sum = self.sum.update(ctx, |sum| sum + row.v)?;
        ctx.emit((row.k, sum));
        Ok(())
    }
}

/// The workload and its file.
pub(crate) struct KeyedSum {
    path: PathBuf,
    records: u64,
}

impl KeyedSum {
    /// Writes the rows, from a fixed seed.
    pub(crate) fn new(folder: &Path, records: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(1);
        let mut text = String::new();
        for index in 0..records {
            let (key, value) = (random.u64(..KEYS), random.u64(..=100));
            let ts = 1_700_000_000_000 + index;
            writeln!(text, "{{\"k\":\"key{key:06}\",\"v\":{value},\"ts\":{ts}}}")
                .expect("a string takes any text");
        }
        let path = folder.join("rows.ndjson");
        std::fs::write(&path, text).expect("the rows can be written");
        Self { path, records }
    }

    fn by_hand(&self) -> HashMap<String, u64, ahash::RandomState> {
        #[derive(Deserialize)]
        struct Borrowed<'a> {
            #[serde(borrow)]
            k: Cow<'a, str>,
            v: u64,
            ts: i64,
        }
        let file = std::fs::File::open(&self.path).expect("the rows are there");
        let mut reader = BufReader::with_capacity(256 << 10, file);
        let mut line = Vec::new();
        let mut sums: HashMap<String, u64, ahash::RandomState> = HashMap::default();
        while reader.read_until(b'\n', &mut line).expect("the rows can be read") > 0 {
            let row: Borrowed<'_> = serde_json::from_slice(&line).expect("a row is JSON");
            black_box(row.ts);
            match sums.get_mut(row.k.as_ref()) {
                Some(sum) => *sum += row.v,
                None => {
                    sums.insert(row.k.into_owned(), row.v);
                }
            }
            line.clear();
        }
        sums
    }

    fn source(&self) -> String {
        self.path.display().to_string()
    }
}

impl Workload for KeyedSum {
    fn title(&self) -> String {
        format!("W1: keyed sum over {} NDJSON rows, {KEYS} keys", self.records)
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
                .source(files::ndjson::<Row>(self.source()))
                .key_by_ref(|row| row.k.as_str())
                .process(Sum::default())
                .sink(blackhole());
            Ok(())
        });
    }

    fn check(&self, parallelism: u32) {
        let ours = last_of(
            |pipeline, sums| {
                pipeline
                    .source(files::ndjson::<Row>(self.source()))
                    .key_by_ref(|row| row.k.as_str())
                    .process(NamedSum::default())
                    .map(move |(key, sum)| note(&sums, key, sum))
                    .sink(blackhole());
                Ok(())
            },
            parallelism,
        );
        let expected: Sums = self.by_hand().into_iter().collect();
        assert_eq!(ours, expected, "W1 at parallelism {parallelism}");
    }
}
