//! Gives jobs the keys that streaming engines have stumbled over: none, unstable and lying ones.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use clink::prelude::*;
use clink::{Job, RunOptions};
use clink_plan::key_group::{key_group_of, subtask_for_key_group};
use clink_runtime::checkpoint::store::RestorePoint;

use crate::support::{Seen, every_way, folder, saving, schedulers};

#[test]
fn records_without_a_key_are_kept_k11() {
    let numbers: Vec<u64> = (0..300).collect();
    every_way(&numbers, |pipeline, seen, _| {
        let keyed = pipeline.generate(300, |n| n).key_by(|n| (n % 3 != 0).then_some(n % 7));
        keyed.reduce(|_, n| n).map(seen.tap()).sink(blackhole());
    });
}

#[test]
fn no_key_and_the_empty_key_have_their_own_state_k10() {
    let key = |n: &u64| [None, Some(String::new()), Some("a".to_owned())][*n as usize % 3].clone();
    for scheduler in schedulers() {
        let seen = Seen::<(Option<String>, u64)>::default();
        let job = Job::build_with("job", Some(3), |pipeline| {
            let records = pipeline.generate(300, move |n| (key(&n), 1));
            let counts =
                records.key_by(|(key, _)| key.clone()).reduce(|(key, a), (_, b)| (key, a + b));
            counts.map(seen.tap()).sink(blackhole());
            Ok(())
        });
        job.unwrap().run(&RunOptions { scheduler, ..RunOptions::default() }).unwrap();
        let last: BTreeMap<_, _> = seen.all().into_iter().collect();
        let keys = [None, Some(String::new()), Some("a".to_owned())];
        assert_eq!(last, keys.map(|key| (key, 100)).into());
    }
}

#[test]
fn a_key_that_changes_between_routing_and_state_is_an_error_k12() {
    for scheduler in schedulers() {
        let job = Job::build_with("unstable", Some(4), |pipeline| {
            let calls = AtomicU64::new(0);
            let numbers = pipeline.generate(10_000, |n| n);
            let keyed = numbers.key_by(move |_| calls.fetch_add(1, Ordering::Relaxed));
            keyed.reduce(|a, b| a + b).sink(blackhole());
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let text = job.unwrap().run(&options).unwrap_err().to_string();
        assert!(text.contains("a key of key group ") && text.contains("owns groups "), "{text}");
        assert!(text.contains("the key must be the same each time"), "{text}");
    }
}

/// Counts by key, after it has made nonsense of the record.
#[clink::operator(uid = "forgetful")]
#[derive(Default)]
struct Forgetful {
    #[state]
    seen: ValueState<u64>,
}

impl KeyedOperator for Forgetful {
    type Key = u64;
    type In = (u64, u64);
    type Out = (u64, u64);

    fn process(&mut self, mut record: (u64, u64), ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        record.0 = record.0.wrapping_mul(31) + 1;
        let seen = self.seen.update(ctx, |n| n + 1)?;
        record.0 = *ctx.key();
        ctx.emit((record.0, seen));
        Ok(())
    }
}

#[test]
fn an_operator_that_changes_its_record_keeps_the_records_key_k12() {
    let expected: Vec<(u64, u64)> =
        (0..20).flat_map(|key| (1..=15).map(move |n| (key, n))).collect();
    every_way(&expected, |pipeline, seen, _| {
        let records = pipeline.generate(300, |n| (n % 20, n));
        let counts = records.key_by(|(key, _)| *key).process(Forgetful::default());
        counts.map(seen.tap()).sink(blackhole());
    });
}

/// Text that calls itself equal in upper and lower case, and whose bytes do not.
#[derive(Data, Key, Clone, Debug)]
struct Shout(String);

impl PartialEq for Shout {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Shout {}

impl Hash for Shout {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_ascii_lowercase().hash(state);
    }
}

/// Counts of the words, in checkpoints of `options`.
fn count_shouts(
    words: &'static [&str],
    parallelism: u32,
    options: &RunOptions,
) -> std::result::Result<Vec<(String, u64)>, String> {
    let seen = Seen::<(String, u64)>::default();
    let job = Job::build_with("shouts", Some(parallelism), |pipeline| {
        let records: Vec<(String, u64)> =
            words.iter().map(|word| ((*word).to_owned(), 1)).collect();
        let records = pipeline.elements(records).uid("words");
        let keyed = records.key_by(|(word, _)| Shout(word.clone()));
        let counts = keyed.reduce(|(word, a), (_, b)| (word, a + b)).uid("counts");
        counts.map(seen.tap()).sink(blackhole());
        Ok(())
    });
    job.unwrap().run(options).map_err(|error| error.to_string())?;
    Ok(seen.all())
}

#[test]
fn records_are_grouped_by_the_bytes_of_their_key_alone_k04() {
    let subtask = |word: &str| {
        let group = key_group_of(&Shout(word.to_owned()));
        assert_eq!(group, key_group_of(word));
        subtask_for_key_group(group, 4)
    };
    assert!(subtask("a") != subtask("A"), "equal by their Eq, and on different subtasks");
    for scheduler in schedulers() {
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let mut counts = count_shouts(&["a", "A", "a", "A"], 4, &options).unwrap();
        counts.sort();
        let expected = [("A", 1), ("A", 2), ("a", 1), ("a", 2)];
        assert_eq!(counts, expected.map(|(word, count)| (word.to_owned(), count)));
    }
}

#[test]
fn an_equality_that_lies_is_refused_by_debug_builds_and_by_restores_k04() {
    // On one subtask the state's index meets both keys: a debug build compares their bytes.
    if cfg!(debug_assertions) {
        let text = count_shouts(&["a", "A"], 1, &RunOptions::default()).unwrap_err();
        assert!(text.contains("Shout` disagrees with its bytes"), "{text}");
    }
    // In every build, a restore on one subtask refuses the rows of two.
    let folder = folder();
    let checkpoints = saving(folder.path(), 86_400_000);
    let options = RunOptions { checkpoints, ..RunOptions::default() };
    count_shouts(&["a", "A"], 4, &options).unwrap();
    let options = RunOptions { restore: Some(RestorePoint::Latest), ..options };
    let text = count_shouts(&["a", "A"], 1, &options).unwrap_err();
    assert!(text.contains("disagrees with") || text.contains("one value for each key"), "{text}");
}

/// Equal to nothing, itself included.
#[derive(Data, Key, Clone, Debug)]
struct Alone(u64);

impl PartialEq for Alone {
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

impl Eq for Alone {}

impl Hash for Alone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

#[test]
fn a_key_that_is_not_equal_to_itself_is_refused_at_first_sight_k04() {
    let job = Job::build("alone", |pipeline| {
        let keyed = pipeline.generate(10, |n| n).key_by(|n| Alone(*n));
        keyed.reduce(|a, b| a + b).sink(blackhole());
        Ok(())
    });
    let text = job.unwrap().run(&RunOptions::default()).unwrap_err().to_string();
    assert!(text.contains("Alone` disagrees with its bytes"), "{text}");
}
