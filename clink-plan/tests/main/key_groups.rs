//! Key groups against the reference's golden vectors, and the laws of dealing them out.

use clink_plan::key_group::{
    Fnv1a64, KEY_GROUP_COUNT, KeyEncode, KeyGroup, KeyGroupRange, KeyLen, OutputCountMismatch,
    fnv1a_64, key_group_of, key_group_range_for_subtask, make_key_group_partitioner,
    overlapping_subtasks, subtask_for_key_group,
};
use proptest::prelude::*;
use serde_json::Value;

fn golden() -> Value {
    let text = include_str!("../golden/key-groups.json");
    serde_json::from_str(text).unwrap()
}

/// The encoding of `key`; checks that its length and both hashes agree with it.
pub(crate) fn bytes<K: KeyEncode + ?Sized>(key: &K) -> Vec<u8> {
    let mut bytes = Vec::new();
    key.encode(&mut bytes);
    assert_eq!((bytes.len(), bytes.len()), (key.encoded_len(), KeyLen::of(key)));
    let mut hash = Fnv1a64::new();
    key.encode(&mut hash);
    assert_eq!(hash.finish(), fnv1a_64(&bytes));
    let group = hash.finish() % u64::from(KEY_GROUP_COUNT);
    assert_eq!(u64::from(key_group_of(key).0), group);
    bytes
}

fn check<K: KeyEncode + ?Sized>(key: &K, hash: &str, group: u64) {
    let bytes = bytes(key);
    assert_eq!(format!("{:016x}", fnv1a_64(&bytes)), hash, "{bytes:?}");
    assert_eq!(u64::from(key_group_of(key).0), group, "{bytes:?}");
}

#[test]
fn the_references_keys_have_the_references_groups() {
    let golden = golden();
    for row in golden["strings"].as_array().unwrap() {
        let (hash, group) = (row["fnv1a64"].as_str().unwrap(), row["group"].as_u64().unwrap());
        check(row["key"].as_str().unwrap(), hash, group);
    }
    for row in golden["int64"].as_array().unwrap() {
        let (hash, group) = (row["fnv1a64"].as_str().unwrap(), row["group"].as_u64().unwrap());
        check(&row["key"].as_i64().unwrap(), hash, group);
    }
}

#[test]
fn the_references_ranges_are_ours() {
    let golden = golden();
    let ranges = golden["ranges"].as_object().unwrap();
    assert!(!ranges.is_empty());
    for (parallelism, expect) in ranges {
        let parallelism: u32 = parallelism.parse().unwrap();
        let ours: Vec<_> = (0..parallelism)
            .map(|index| key_group_range_for_subtask(index, parallelism))
            .map(|range| serde_json::json!([range.start, range.end]))
            .collect();
        assert_eq!(&Value::Array(ours), expect, "parallelism {parallelism}");
    }
}

/// Key, hash, group, and subtask at parallelism 2, 3, 4, 5 and 8.
const INTEGERS: &[(i64, &str, u16, [u32; 5])] = &[
    (0, "a8c7f832281a39c5", 69, [1, 1, 2, 2, 4]),
    (1, "89cd31291d2aefa4", 36, [0, 0, 1, 1, 2]),
    (2, "e6bd86443df8ce07", 7, [0, 0, 0, 0, 0]),
    (3, "c7c2bf3b330983e6", 102, [1, 2, 3, 3, 6]),
    (4, "2cdcdc0dfc5d1141", 65, [1, 1, 2, 2, 4]),
    (5, "0de21504f16dc720", 32, [0, 0, 1, 1, 2]),
    (7, "4bd7a317074c5b62", 98, [1, 2, 3, 3, 6]),
    (10, "de93be8c95731f0f", 15, [0, 0, 0, 0, 0]),
    (42, "ff3add6b3789daef", 111, [1, 2, 3, 4, 6]),
    (100, "0c35bd2f5a465561", 97, [1, 2, 3, 3, 6]),
    (1000, "ad6323825fa766dc", 92, [1, 2, 2, 3, 5]),
    (123_456_789, "df604ac5d726ce19", 25, [0, 0, 0, 0, 1]),
    (-1, "8cf51a8bfca3883d", 61, [0, 1, 1, 2, 3]),
    (-2, "fc1a35225397861c", 28, [0, 0, 0, 1, 1]),
    (-42, "eeb07d2ce8108904", 4, [0, 0, 0, 0, 0]),
    (i64::MAX, "8cf59a8bfca461bd", 61, [0, 1, 1, 2, 3]),
    (i64::MIN, "a8c7783228196045", 69, [1, 1, 2, 2, 4]),
];

const STRINGS: &[(&str, &str, u16, [u32; 5])] = &[
    ("", "cbf29ce484222325", 37, [0, 0, 1, 1, 2]),
    ("a", "af63dc4c8601ec8c", 12, [0, 0, 0, 0, 0]),
    ("b", "af63df4c8601f1a5", 37, [0, 0, 1, 1, 2]),
    ("ab", "089c4407b545986a", 106, [1, 2, 3, 4, 6]),
    ("abc", "e71fa2190541574b", 75, [1, 1, 2, 2, 4]),
    ("key", "3dc94a19365b10ec", 108, [1, 2, 3, 4, 6]),
    ("user-1", "f84ba2aa754a4bd4", 84, [1, 1, 2, 3, 5]),
    ("user-2", "f84ba5aa754a50ed", 109, [1, 2, 3, 4, 6]),
    ("user-42", "32c6d7a54d35dacb", 75, [1, 1, 2, 2, 4]),
    ("hello", "a430d84680aabd0b", 11, [0, 0, 0, 0, 0]),
    ("alice", "508b2abb65a03907", 7, [0, 0, 0, 0, 0]),
    ("bob", "004d4419134a0a54", 84, [1, 1, 2, 3, 5]),
    ("42", "07ee7e07b4b19223", 35, [0, 0, 1, 1, 2]),
];

#[test]
fn tabulated_keys_reach_their_subtasks() {
    let subtasks = |group| [2, 3, 4, 5, 8].map(|p| subtask_for_key_group(KeyGroup(group), p));
    for &(key, hash, group, expect) in INTEGERS {
        check(&key, hash, u64::from(group));
        assert_eq!(subtasks(group), expect, "{key}");
    }
    for &(key, hash, group, expect) in STRINGS {
        check(key, hash, u64::from(group));
        assert_eq!(subtasks(group), expect, "{key}");
    }
}

#[test]
fn other_tabulated_keys_have_their_groups() {
    let group = |key: u32| key_group_of(&key).0;
    assert_eq!([0, 1, 42, u32::MAX].map(group), [117, 100, 127, 81]);
    check(&(1i64, 2i64), "eee3525879d04bbe", 62);
    assert_eq!(key_group_of(&("eu", "alice")).0, 35);
    let first: Vec<u16> = (0..16i64).map(|key| key_group_of(&key).0).collect();
    assert_eq!(first, [69, 36, 7, 102, 65, 32, 3, 98, 77, 44, 15, 110, 73, 40, 11, 106]);
    let mut per_subtask = [0; 4];
    for key in 0..10_000i64 {
        per_subtask[subtask_for_key_group(key_group_of(&key), 4) as usize] += 1;
    }
    assert_eq!(per_subtask, [2498, 2500, 2501, 2501]);
}

#[test]
fn no_subtasks_own_nothing() {
    assert_eq!(subtask_for_key_group(KeyGroup(77), 0), 0);
    assert!(key_group_range_for_subtask(0, 0).is_empty());
}

#[test]
fn ranges_overlap_where_they_should() {
    let range = |start, end| KeyGroupRange { start, end };
    assert_eq!(range(0, 64).overlap(range(43, 86)), range(43, 64));
    assert!(range(0, 43).overlap(range(43, 86)).is_empty());
    assert!(range(90, 128).overlap(range(0, 5)).is_empty());
    assert_eq!(range(3, 3).len(), 0);
    assert_eq!(KeyGroupRange::ALL.len(), 128);
}

#[test]
fn a_partitioner_needs_an_output_for_each_subtask() {
    for parallelism in [1u32, 2, 3, 7, 128, 200] {
        let outputs = parallelism as usize;
        let partitioner = make_key_group_partitioner(parallelism, outputs).unwrap();
        for group in (0..KEY_GROUP_COUNT).map(KeyGroup) {
            assert_eq!(partitioner.target(group), subtask_for_key_group(group, parallelism));
        }
        for output_count in [0, outputs - 1, outputs + 1] {
            let refused = OutputCountMismatch { parallelism, output_count };
            assert_eq!(make_key_group_partitioner(parallelism, output_count), Err(refused));
        }
    }
    let refused = make_key_group_partitioner(0, 0).unwrap_err();
    assert_eq!((refused.parallelism, refused.output_count), (0, 0));
    let text = make_key_group_partitioner(4, 3).unwrap_err().to_string();
    assert!(text.contains("3 outputs") && text.contains("parallelism 4"), "{text}");
}

/// The old owners of each group that new subtask `index` owns, one group at a time.
fn overlaps_by_brute_force(index: u32, new: u32, old: u32) -> Vec<(u32, KeyGroupRange)> {
    let mut parts: Vec<(u32, KeyGroupRange)> = Vec::new();
    for group in 0..KEY_GROUP_COUNT {
        if subtask_for_key_group(KeyGroup(group), new) != index {
            continue;
        }
        let owner = subtask_for_key_group(KeyGroup(group), old);
        match parts.last_mut() {
            Some((last, part)) if *last == owner => part.end = group + 1,
            _ => parts.push((owner, KeyGroupRange { start: group, end: group + 1 })),
        }
    }
    parts
}

/// Keys that are the same text and bytes owned or borrowed.
fn same<A: KeyEncode, B: KeyEncode + ?Sized>(owned: &A, borrowed: &B) {
    assert_eq!(bytes(owned), bytes(borrowed));
}

proptest! {
    #[test]
    fn ranges_tile_the_groups_and_invert_the_assignment(parallelism in 1u32..600) {
        let mut next = 0;
        for index in 0..parallelism {
            let range = key_group_range_for_subtask(index, parallelism);
            prop_assert_eq!(range.start, next);
            next = range.end;
            for group in range.start..range.end {
                prop_assert_eq!(subtask_for_key_group(KeyGroup(group), parallelism), index);
            }
        }
        prop_assert_eq!(next, KEY_GROUP_COUNT);
    }

    #[test]
    fn old_and_new_ranges_overlap_as_their_groups_do(new in 1u32..300, old in 1u32..300) {
        for index in 0..new {
            let parts: Vec<_> = overlapping_subtasks(index, new, old).collect();
            prop_assert_eq!(parts, overlaps_by_brute_force(index, new, old));
        }
        prop_assert_eq!(overlapping_subtasks(new, new, old).count(), 0);
        prop_assert_eq!(overlapping_subtasks(0, new, 0).count(), 0);
    }

    #[test]
    fn every_parallelism_keeps_subtasks_in_range(group in 0u16..128, parallelism in 1u32..) {
        let index = subtask_for_key_group(KeyGroup(group), parallelism);
        prop_assert!(index < parallelism);
        let range = key_group_range_for_subtask(index, parallelism);
        prop_assert!(range.contains(KeyGroup(group)));
    }

    #[test]
    fn tuples_are_told_apart(a: (String, Vec<u8>), b: (String, Vec<u8>)) {
        prop_assert_eq!(a == b, bytes(&a) == bytes(&b));
    }

    #[test]
    fn keys_hash_alike_however_they_are_held(text: String, number: i64) {
        same(&text, text.as_str());
        same(&(text.clone(), number), &(text.as_str(), &number));
        same(&Some(text.clone()), &Some(text.as_str()));
        same(&text.clone().into_bytes(), text.as_bytes());
    }
}
