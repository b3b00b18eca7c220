//! Stops and restores jobs keyed by each type of key, at changing parallelism.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clink::prelude::*;
use clink::run::Ending;
use clink::{Job, Key, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::{NoObserver, Signal};
use clink_runtime::scheduler::SchedulerKind;

use crate::support::{Seen, folder, saving, schedulers};

/// Records of a job.
const COUNT: u64 = 3_000;

/// Different keys, unless the type has fewer values.
const KEYS: u64 = 150;

/// Adds up numbers by key, stopped twice on the way, each time at another parallelism.
#[track_caller]
pub(crate) fn check<K: Key + Ord + Debug>(key: fn(u64) -> K) {
    let mut expected: BTreeMap<K, u64> = BTreeMap::new();
    for n in 0..COUNT {
        *expected.entry(key(n % KEYS)).or_default() += n;
    }
    for scheduler in schedulers() {
        let folder = folder();
        let mut found: BTreeMap<K, u64> = BTreeMap::new();
        let mut restore = None;
        for (parallelism, stop_at) in [(3, 700), (5, 700), (1, u64::MAX)] {
            let options = RunOptions {
                scheduler,
                checkpoints: saving(folder.path(), 86_400_000),
                restore: restore.replace(RestorePoint::Latest),
                ..RunOptions::default()
            };
            let (sums, ending) = attempt(key, parallelism, stop_at, &options);
            // Sums of a key only grow: the greatest is the last.
            for (key, sum) in sums {
                let last = found.entry(key).or_default();
                *last = sum.max(*last);
            }
            assert!(ending == Ending::Finished || stop_at < COUNT, "{scheduler:?}");
        }
        assert_eq!(found, expected, "{scheduler:?}");
    }
}

fn attempt<K: Key>(
    key: fn(u64) -> K,
    parallelism: u32,
    stop_at: u64,
    options: &RunOptions,
) -> (Vec<(K, u64)>, Ending) {
    let (send, signals) = crossbeam_channel::bounded(1);
    let (seen, passed) = (Seen::default(), Arc::new(AtomicU64::new(0)));
    let noted = seen.clone();
    let job = Job::build_with("keys", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| (n % KEYS, n)).uid("numbers");
        let stopping = numbers.map(move |number| {
            if passed.fetch_add(1, Ordering::Relaxed) == stop_at {
                send.send(Signal::Stop).unwrap();
            }
            number
        });
        let sums = stopping.key_by(move |(n, _)| key(*n)).reduce(|(n, a), (_, b)| (n, a + b));
        let seen = sums.uid("sums").map(move |(n, sum)| {
            noted.push((key(n), sum));
            sum
        });
        seen.sink(blackhole());
        Ok(())
    });
    let report = job.unwrap().run_watched(options, &signals, &mut NoObserver).unwrap();
    assert_eq!(report.view.restored_from.is_some(), options.restore.is_some());
    (seen.all(), report.ending)
}

#[test]
fn whole_numbers_are_keys() {
    check(|n| n);
    check(|n| n.cast_signed() - 75);
    check(|n| u32::try_from(n).unwrap() * 10_000_000);
    check(|n| i32::try_from(n).unwrap() - 75);
    check(|n| u16::try_from(n).unwrap() * 400);
    check(|n| i8::try_from(n % 100).unwrap() - 50);
}

#[test]
fn text_and_bytes_are_keys() {
    check(|n| format!("key {n}"));
    // The empty text is a key like any other.
    check(|n| "ü".repeat(usize::try_from(n).unwrap()));
    check(|n| n.to_le_bytes()[..usize::try_from(n % 9).unwrap()].to_vec());
}

#[test]
fn truth_instants_and_options_are_keys() {
    check(|n| n % 2 == 0);
    check(|n| Timestamp::from_millis(n.cast_signed() * 1_000 - 75_000));
    check(|n| (n % 7 != 0).then_some(n));
    check(|n| (n % 7 != 0).then(|| format!("{n}")));
}

#[test]
fn tuples_are_keys() {
    check(|n| (n % 5, n / 5));
    check(|n| (format!("{}", n % 5), n % 2 == 0, (n % 3 == 0).then_some(n)));
    // The same text divided at another place is another key.
    check(|n| {
        let text = "aaaa";
        let at = usize::try_from(n % 5).unwrap();
        (text[..at].to_owned(), text[at..].to_owned())
    });
}

#[test]
fn a_borrowed_key_goes_where_the_owned_one_does() {
    let folder = folder();
    let run = |borrowed: bool, restore| {
        let seen = Seen::<(String, u64)>::default();
        let job = Job::build_with("keys", Some(if borrowed { 4 } else { 3 }), |pipeline| {
            let source = if borrowed { "first" } else { "second" };
            let records =
                pipeline.generate(COUNT, |n| (format!("key {}", n % KEYS), 1)).uid(source);
            let keyed = match borrowed {
                true => records.key_by_ref(|(key, _)| key.as_str()),
                false => records.key_by(|(key, _)| key.clone()),
            };
            let counts = keyed.reduce(|(key, a), (_, b)| (key, a + b)).uid("counts");
            counts.map(seen.tap()).sink(blackhole());
            Ok(())
        });
        let options = RunOptions {
            scheduler: SchedulerKind::Pool { threads: Some(2) },
            checkpoints: saving(folder.path(), 86_400_000),
            restore,
            allow_unmatched_state: true,
            ..RunOptions::default()
        };
        job.unwrap().run(&options).unwrap();
        seen.all().into_iter().fold(BTreeMap::new(), |mut last: BTreeMap<_, u64>, (key, count)| {
            last.entry(key).and_modify(|most| *most = count.max(*most)).or_insert(count);
            last
        })
    };
    let each = COUNT / KEYS;
    let first = run(true, None);
    assert!(first.len() as u64 == KEYS && first.values().all(|count| *count == each));
    let second = run(false, Some(RestorePoint::Latest));
    assert!(second.len() as u64 == KEYS && second.values().all(|count| *count == 2 * each));
}
