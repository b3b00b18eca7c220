//! Holds what operators captured, for a later harness to start from: at any parallelism.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt16Type;
use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use clink_plan::id::OperatorId;
use clink_plan::key_group::{KeyGroup, KeyGroupRange};

use crate::checkpoint::CheckpointError;
use crate::error::{Error, Result};
use crate::state::snapshot::{Instance, KEY_GROUP_COLUMN, RestoredState, SlotScope, SlotSnapshot};

/// What one instance of each operator of a harness captured at a barrier, or at its end.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) slots: Vec<SlotSnapshot>,
    /// The operator instances that captured.
    pub(super) instances: Vec<Instance>,
    /// They had come to the end of their input.
    pub(super) finished: bool,
}

impl Snapshot {
    /// How many rows each slot holds, by its name: of keyed state one per key and entry. Timers
    /// have slots of their own, and so have the splits of a source.
    pub fn rows(&self) -> BTreeMap<&str, usize> {
        let mut rows = BTreeMap::new();
        for slot in &self.slots {
            *rows.entry(slot.slot.as_str()).or_default() += slot.rows.num_rows();
        }
        rows
    }

    /// True if the operators had come to the end of their input: restored, they do not flush again.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    fn parallelism(&self) -> u32 {
        self.instances.first().map_or(1, |instance| instance.parallelism)
    }

    fn subtask_index(&self) -> u32 {
        self.instances.first().map_or(0, |instance| instance.subtask_index)
    }
}

/// The snapshots of all instances, as a checkpoint to restore from.
#[derive(Debug)]
pub(super) struct Snapshots(Vec<Snapshot>);

impl Snapshots {
    /// One snapshot of each instance there was.
    #[track_caller]
    pub(super) fn new(mut snapshots: Vec<Snapshot>) -> Self {
        snapshots.sort_by_key(Snapshot::subtask_index);
        let of = snapshots.first().map_or(1, Snapshot::parallelism);
        let found: Vec<_> =
            snapshots.iter().map(|it| (it.subtask_index(), it.parallelism())).collect();
        let expected: Vec<_> = (0..of).map(|index| (index, of)).collect();
        assert!(
            found == expected,
            "a restore needs the snapshot of every instance there was, each once; these are \
             (subtask, parallelism) {found:?}, not {expected:?}"
        );
        Self(snapshots)
    }

    /// Whether some operator of the new harness takes each row.
    pub(super) fn check(&self, takers: &[Instance]) -> Result<(), CheckpointError> {
        let taken = |id| takers.iter().any(|taker| taker.operator.id == id);
        let slots = self.0.iter().flat_map(|snapshot| &snapshot.slots);
        let lost = slots.filter(|slot| slot.rows.num_rows() > 0 && !taken(slot.operator.id));
        let lost: BTreeMap<_, _> = lost.map(|it| (it.operator.id, &it.operator.uid)).collect();
        if lost.is_empty() {
            return Ok(());
        }
        let had = |id| self.0.iter().flat_map(|it| &it.instances).any(|it| it.operator.id == id);
        let new = takers.iter().filter(|taker| !had(taker.operator.id));
        Err(CheckpointError::UnmatchedState {
            operators: lost.into_values().map(|uid| format!("operator `{uid}`")).collect(),
            without_state: new.map(|taker| format!("operator `{}`", taker.operator.uid)).collect(),
        })
    }

    /// The parts of a slot, in the order of the instances that captured them.
    fn parts<'a>(
        &'a self,
        operator: OperatorId,
        slot: &'a str,
        scope: SlotScope,
    ) -> impl Iterator<Item = &'a SlotSnapshot> {
        let slots = self.0.iter().flat_map(|snapshot| &snapshot.slots);
        slots.filter(move |it| it.operator.id == operator && it.slot == slot && it.scope == scope)
    }
}

/// The rows whose key group lies in a range.
fn rows_in(range: KeyGroupRange, rows: &RecordBatch) -> Result<RecordBatch> {
    let groups = rows.column_by_name(KEY_GROUP_COLUMN);
    let groups = groups.and_then(|groups| groups.as_primitive_opt::<UInt16Type>());
    let groups = groups.ok_or_else(|| Error::new("a keyed slot has no key groups"))?;
    let inside = groups.values().iter().map(|group| Some(range.contains(KeyGroup(*group))));
    Ok(filter_record_batch(rows, &BooleanArray::from_iter(inside))?)
}

impl RestoredState for Snapshots {
    fn slots_by_name(&self, operator: OperatorId) -> Vec<String> {
        let slots = self.0.iter().flat_map(|snapshot| &snapshot.slots);
        let named = slots.filter(|slot| slot.operator.id == operator && slot.by_name);
        let names: BTreeSet<&String> = named.map(|slot| &slot.slot).collect();
        names.into_iter().cloned().collect()
    }

    fn keyed_rows(
        &self,
        operator: OperatorId,
        slot: &str,
        range: KeyGroupRange,
    ) -> Result<Option<Vec<RecordBatch>>> {
        let parts = self.parts(operator, slot, SlotScope::Keyed);
        let rows = parts.map(|part| rows_in(range, &part.rows)).collect::<Result<Vec<_>>>()?;
        Ok((!rows.is_empty()).then_some(rows))
    }

    fn has_finished(&self, instance: &Instance) -> bool {
        let finished = |snapshot: &Snapshot| {
            let had = |old: &Instance| old.operator.id == instance.operator.id;
            snapshot.finished && snapshot.instances.iter().any(had)
        };
        match self.0.len() == instance.parallelism as usize {
            true => self.0.get(instance.subtask_index as usize).is_some_and(finished),
            false => self.0.iter().all(finished),
        }
    }

    fn operator_rows(&self, operator: OperatorId, slot: &str) -> Result<Option<Vec<RecordBatch>>> {
        let found: BTreeMap<u32, RecordBatch> = self
            .parts(operator, slot, SlotScope::Operator)
            .map(|part| (part.subtask_index, part.rows.clone()))
            .collect();
        let Some(schema) = found.values().next().map(RecordBatch::schema) else { return Ok(None) };
        // An instance that had no such rows counts as one with none.
        let all = (0u32..).zip(&self.0).map(|(index, _)| {
            found.get(&index).cloned().unwrap_or_else(|| RecordBatch::new_empty(schema.clone()))
        });
        Ok(Some(all.collect()))
    }
}
