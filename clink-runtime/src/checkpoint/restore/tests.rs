//! Restores into other ranges, other jobs and from files that lie.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};
use clink_plan::id::SubtaskId;
use clink_plan::key_group::{KEY_GROUP_COUNT, key_group_range_for_subtask};
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::checkpoint::snapshot::{SlotSnapshot, SubtaskSnapshot};

fn identity(uid: &str) -> OperatorIdentity {
    OperatorIdentity { id: OperatorId::from_uid(uid), uid: uid.into() }
}

/// Rows `(key group, value)` of one subtask.
fn keyed(uid: &str, index: u32, parallelism: u32, rows: &[(u16, i64)]) -> SlotSnapshot {
    let (groups, values): (Vec<u16>, Vec<i64>) = rows.iter().copied().unzip();
    let groups: ArrayRef = Arc::new(UInt16Array::from(groups));
    let values: ArrayRef = Arc::new(Int64Array::from(values));
    let columns = [(KEY_GROUP_COLUMN, groups), ("key", values.clone()), ("value", values)];
    SlotSnapshot {
        operator: identity(uid),
        subtask_index: index,
        parallelism,
        slot: "sum".into(),
        scope: SlotScope::Keyed,
        by_name: false,
        key_groups: key_group_range_for_subtask(index, parallelism),
        rows: RecordBatch::try_from_iter(columns).unwrap(),
    }
}

fn restored(slots: Vec<SlotSnapshot>) -> (TempDir, RestoredJob) {
    let root = tempfile::tempdir().unwrap();
    let store = CheckpointStore::open(root.path(), "job").unwrap();
    let snapshot = SubtaskSnapshot { subtask: SubtaskId(0), checkpoint: CheckpointId(1), slots };
    let parts = store.write(&snapshot).unwrap();
    store.complete(CheckpointId(1), 0, parts, []).unwrap();
    let restored = RestoredJob::load(&store, &RestorePoint::Latest).unwrap();
    (root, restored)
}

fn rows_of(batches: &[RecordBatch]) -> Vec<(u16, i64)> {
    let mut rows = Vec::new();
    for batch in batches {
        let groups = batch.column(0).as_primitive::<UInt16Type>();
        let values = batch.column(2).as_primitive::<arrow_array::types::Int64Type>();
        rows.extend(groups.values().iter().copied().zip(values.values().iter().copied()));
    }
    rows
}

/// Deals rows to the subtasks of `parallelism` by key group.
fn dealt(rows: &[(u16, i64)], parallelism: u32) -> Vec<SlotSnapshot> {
    let part = |index| {
        let range = key_group_range_for_subtask(index, parallelism);
        let mine: Vec<_> = rows.iter().copied().filter(|r| range.contains(KeyGroup(r.0))).collect();
        keyed("count", index, parallelism, &mine)
    };
    (0..parallelism).map(part).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_parallelism_restores_every_row_once_from_any_other(
        rows in proptest::collection::vec((0..KEY_GROUP_COUNT, any::<i64>()), 0..200),
        (before, after) in (1..9u32, 1..9u32),
    ) {
        let (_root, restored) = restored(dealt(&rows, before));
        let operator = OperatorId::from_uid("count");
        let mut all = Vec::new();
        for index in 0..after {
            let range = key_group_range_for_subtask(index, after);
            let part = rows_of(&restored.keyed(operator, "sum", range).unwrap().unwrap());
            prop_assert!(part.iter().all(|(group, _)| range.contains(KeyGroup(*group))));
            all.extend(part);
        }
        let mut expect = rows;
        expect.sort_unstable();
        all.sort_unstable();
        prop_assert_eq!(all, expect);
    }
}

#[test]
fn only_files_that_overlap_are_opened() {
    let (root, restored) = restored(dealt(&[(0, 1), (127, 2)], 2));
    let operator = OperatorId::from_uid("count");
    crate::sys::files::remove_folder(&root.path().join("job/chk-1/count")).unwrap();
    let range = |start, end| KeyGroupRange { start, end };
    let empty = restored.keyed(operator, "sum", range(64, 64)).unwrap();
    assert_eq!(empty, Some(vec![]), "an empty range overlaps nothing");
    let error = restored.keyed(operator, "sum", range(0, 1)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("0-sum.arrow is damaged: size is no file"), "{text}");
    assert!(error.is_refusal());
}

#[test]
fn a_row_outside_its_subtasks_range_is_damage() {
    let (_root, restored) = restored(vec![keyed("count", 0, 2, &[(64, 1)])]);
    let error = restored.keyed(OperatorId::from_uid("count"), "sum", KeyGroupRange::ALL);
    let text = error.unwrap_err().to_string();
    assert!(text.contains("key group is 64, expected in 0..64"), "{text}");
}

#[test]
fn a_keyed_file_without_key_groups_is_damage() {
    let mut slot = keyed("count", 0, 1, &[(3, 1)]);
    slot.rows = slot.rows.project(&[1, 2]).unwrap();
    let (_root, restored) = restored(vec![slot]);
    let error = restored.keyed(OperatorId::from_uid("count"), "sum", KeyGroupRange::ALL);
    assert!(matches!(error, Err(CheckpointError::Corrupt { check: "Arrow schema", .. })));
}

#[test]
fn operator_rows_come_one_batch_per_subtask() {
    let part = |index, rows: &[(u16, i64)]| {
        let mut slot = keyed("read", index, 4, rows);
        slot.scope = SlotScope::Operator;
        slot
    };
    // Subtasks 0 and 3 did not have the slot yet; subtask 2 had it without rows.
    let (_root, restored) = restored(vec![part(2, &[]), part(1, &[(5, 9)])]);
    let operator = OperatorId::from_uid("read");
    let batches = restored.operator_rows(operator, "sum").unwrap().unwrap();
    let counts: Vec<usize> = batches.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(counts, [0, 1, 0, 0]);
    assert_eq!(restored.slots_of(operator), [("sum", SlotScope::Operator)]);
    assert_eq!(restored.parallelism_of(operator), Some(4));
    assert_eq!(restored.operator_rows(operator, "other").unwrap(), None);
    assert_eq!(restored.operator_rows(OperatorId(1), "sum").unwrap(), None);
    let error = restored.keyed(operator, "sum", KeyGroupRange::ALL).unwrap_err().to_string();
    assert!(error.contains("holds state per subtask, this job expects state per key"), "{error}");
}

#[test]
fn state_that_nothing_takes_is_refused_unless_told_otherwise() {
    let slots = vec![keyed("count", 0, 1, &[(1, 1)]), keyed("empty", 0, 1, &[])];
    let (_root, restored) = restored(slots);
    let same = BTreeSet::from([identity("count"), identity("stateless")]);
    assert_eq!(restored.check(&same, false).unwrap(), [""; 0], "no rows, no loss");
    let renamed = BTreeSet::from([identity("counts")]);
    let error = restored.check(&renamed, false).unwrap_err().to_string();
    assert!(error.contains("takes: operator `count` (without state"), "{error}");
    assert!(error.contains("checkpoint: operator `counts`)"), "{error}");
    let warnings = restored.check(&renamed, true).unwrap();
    let expect = "state of operator `count` in the checkpoint is dropped: nothing takes it";
    assert_eq!(warnings, [expect]);
}

fn known(names: &[&str], asks_by_name: bool) -> KnownSlots {
    KnownSlots { names: names.iter().map(|name| (*name).to_owned()).collect(), asks_by_name }
}

#[test]
fn a_renamed_slot_is_refused_unless_told_otherwise() {
    let (_root, restored) = restored(vec![keyed("count", 0, 1, &[(1, 1)])]);
    let check = |name, allow| {
        let asks = known(&[name], true);
        assert_eq!(restored.slots_by_name(OperatorId::from_uid("count")), [""; 0]);
        restored.check_slots(&identity("count"), &asks, allow)
    };
    assert_eq!(check("sum", false).unwrap(), [""; 0]);
    let error = check("total", false).unwrap_err().to_string();
    assert!(error.contains("takes: slot `sum` of operator `count` (without state"), "{error}");
    assert_eq!(check("total", true).unwrap().len(), 1);
    let fresh = restored.check_slots(&identity("new"), &known(&["x"], false), false);
    assert_eq!(fresh.unwrap(), [""; 0]);
}

#[test]
fn a_slot_that_was_asked_for_by_name_waits_for_whoever_may_ask_again() {
    let by_name = SlotSnapshot { by_name: true, ..keyed("count", 0, 1, &[(1, 1)]) };
    let (_root, restored) = restored(vec![by_name]);
    assert_eq!(restored.slots_by_name(OperatorId::from_uid("count")), ["sum"]);
    let check = |known: &KnownSlots| restored.check_slots(&identity("count"), known, false);
    for takes in [known(&[], true), known(&["sum"], false), known(&["total"], true)] {
        assert_eq!(check(&takes).unwrap(), [""; 0], "{takes:?}");
    }
    let error = check(&known(&["total"], false)).unwrap_err().to_string();
    assert!(error.contains("takes: slot `sum` of operator `count`"), "{error}");
}
