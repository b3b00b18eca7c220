//! Measures how evenly dense integer keys fall onto groups and subtasks.

use clink_plan::key_group::{
    KEY_GROUP_COUNT, KeyEncode, KeyGroup, key_group_of, subtask_for_key_group,
};
use proptest::prelude::*;

fn per_subtask(keys: i64, parallelism: u32) -> Vec<usize> {
    let mut counts = vec![0; parallelism as usize];
    for key in 0..keys {
        counts[subtask_for_key_group(key_group_of(&key), parallelism) as usize] += 1;
    }
    counts
}

/// Keys, parallelism, subtasks without a key, fewest and most keys of a subtask.
#[test]
fn dense_keys_leave_a_subtask_idle_only_where_keys_are_few_k14() {
    let measured = [
        (10_000, 7, 0, 1_405, 1_485),
        (10_000, 10, 0, 937, 1_017),
        (10_000, 100, 0, 78, 158),
        (128, 128, 0, 1, 1),
        (64, 7, 0, 8, 10),
        (64, 10, 0, 6, 7),
        // Fewer keys than groups: 100 subtasks cannot share 64 keys evenly.
        (64, 100, 43, 0, 2),
    ];
    for (keys, parallelism, empty, min, max) in measured {
        let counts = per_subtask(keys, parallelism);
        let found = counts.iter().filter(|count| **count == 0).count();
        let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
        assert_eq!((found, least, most), (empty, Some(min), Some(max)), "{keys}, {parallelism}");
        // The bound that `key_group` documents.
        let groups = usize::from(KEY_GROUP_COUNT).div_ceil(parallelism as usize);
        assert!(max <= groups * usize::try_from(keys).unwrap().div_ceil(128));
    }
}

/// The groups that the keys have, each once.
fn groups_of_run<K: KeyEncode>(keys: impl Iterator<Item = K>) -> Vec<KeyGroup> {
    let mut groups: Vec<KeyGroup> = keys.map(|key| key_group_of(&key)).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

proptest! {
    #[test]
    fn an_aligned_run_of_128_integers_has_a_key_in_every_group_k14(block in any::<i64>()) {
        let first = block & !127;
        let groups = groups_of_run((0..128).map(|n| first + n));
        prop_assert_eq!(groups.len(), usize::from(KEY_GROUP_COUNT));
        let narrow = first as i32 & !127;
        prop_assert_eq!(groups_of_run((0..128).map(|n| narrow + n)).len(), 128);
        let first = narrow as u16 & !127;
        prop_assert_eq!(groups_of_run((0..128).map(|n| first + n)).len(), 128);
    }
}
