//! Reads a checkpoint back, at any parallelism.
//!
//! In:     a restore point; then operators, slots and key-group ranges of the new job.
//! Out:    the rows of keyed slots by overlap of ranges, of operator slots by subtask.
//! Errors: every file's size and checksum is compared before anything else happens: a checkpoint
//!         that is damaged anywhere is refused as a whole, before author code runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt16Type;
use arrow_array::{Array as _, BooleanArray, RecordBatch, UInt16Array};
use arrow_select::filter::filter_record_batch;
use clink_plan::id::{CheckpointId, OperatorId};
use clink_plan::key_group::{KeyGroup, KeyGroupRange};

use super::error::CheckpointError;
use super::manifest::{Manifest, ManifestFile, ManifestOperator, name_of};
use super::snapshot::{OperatorIdentity, SlotScope};
use super::store::{CheckpointStore, RestorePoint, slot_file};
use crate::state::KnownSlots;
use crate::state::snapshot::{Instance, KEY_GROUP_COLUMN, RestoredState};
use crate::time::timers;

/// A checkpoint whose files were all found whole; shared by the subtasks that restore from it.
#[derive(Debug)]
pub struct RestoredJob {
    manifest: Manifest,
    folder: PathBuf,
}

impl RestoredJob {
    /// Finds the checkpoint and compares every file with what the manifest says of it.
    ///
    /// # Errors
    /// As for [`CheckpointStore::load`]; [`CheckpointError::Corrupt`] for the first file that is
    /// missing or not what was written.
    pub fn load(store: &CheckpointStore, point: &RestorePoint) -> Result<Self, CheckpointError> {
        let stored = store.load(point)?;
        let restored = Self { manifest: stored.manifest, folder: stored.folder };
        for file in restored.manifest.files() {
            slot_file::verify(&restored.path(file), file)?;
        }
        Ok(restored)
    }

    /// The checkpoint's number.
    pub fn id(&self) -> CheckpointId {
        self.manifest.id
    }

    /// What the checkpoint consists of.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether every operator with rows in the checkpoint is one of the new job's `operators`.
    ///
    /// Returns a warning for each whose state is dropped because `allow_unmatched` says so.
    ///
    /// # Errors
    /// [`CheckpointError::UnmatchedState`] if rows would be lost and nobody said they may.
    pub fn check(
        &self,
        operators: &BTreeSet<OperatorIdentity>,
        allow_unmatched: bool,
    ) -> Result<Vec<String>, CheckpointError> {
        let taken = |id| operators.iter().any(|operator| operator.id == id);
        let has_rows = |operator: &ManifestOperator| operator.files.iter().any(|f| f.rows > 0);
        let lost: Vec<String> = (self.manifest.operators.iter())
            .filter(|operator| has_rows(operator) && !taken(operator.identity.id))
            .map(|operator| name_of(&operator.identity))
            .collect();
        let without_state = operators
            .iter()
            // One without a uid is known to nobody by its id.
            .filter(|operator| !operator.uid.is_empty())
            .filter(|operator| self.manifest.operator(operator.id).is_none())
            .map(name_of);
        refuse_unless(allow_unmatched, lost, || without_state.collect())
    }

    /// Whether every slot with rows of `operator` is one of the `known`: a slot under a new name
    /// would start empty without a word. One that was asked for by name may be asked for again.
    ///
    /// Returns a warning for each that is dropped because `allow_unmatched` says so.
    ///
    /// # Errors
    /// [`CheckpointError::UnmatchedState`] if rows would be lost and nobody said they may.
    pub fn check_slots(
        &self,
        operator: &OperatorIdentity,
        known: &KnownSlots,
        allow_unmatched: bool,
    ) -> Result<Vec<String>, CheckpointError> {
        let name = |slot: &str| format!("slot `{slot}` of {}", name_of(operator));
        let held = self.slots_of(operator.id);
        let taken = |file: &&ManifestFile| {
            known.names.contains(&file.slot) || (file.by_name && known.asks_by_name)
        };
        let lost: BTreeSet<&str> = (self.manifest.operator(operator.id).into_iter())
            .flat_map(|operator| &operator.files)
            // Timers are nobody's declared state.
            .filter(|file| file.rows > 0 && !timers::is_slot(&file.slot) && !taken(file))
            .map(|file| file.slot.as_str())
            .collect();
        let lost = lost.into_iter().map(name).collect();
        let is_new = |slot: &&String| !held.iter().any(|(known, _)| *known == slot.as_str());
        refuse_unless(allow_unmatched, lost, || {
            known.names.iter().filter(is_new).map(|slot| name(slot)).collect()
        })
    }

    /// The slots that the checkpoint has for an operator, by name.
    pub fn slots_of(&self, operator: OperatorId) -> Vec<(&str, SlotScope)> {
        let Some(operator) = self.manifest.operator(operator) else {
            return Vec::new();
        };
        let mut slots: Vec<_> =
            operator.files.iter().map(|file| (file.slot.as_str(), file.scope)).collect();
        slots.dedup();
        slots
    }

    /// How many subtasks of an operator wrote the checkpoint.
    pub fn parallelism_of(&self, operator: OperatorId) -> Option<u32> {
        self.manifest.operator(operator).map(|operator| operator.parallelism)
    }

    /// The rows of a keyed slot whose key groups lie in `range`; `None` if the checkpoint has no
    /// such slot. Only files that overlap the range are opened.
    ///
    /// # Errors
    /// [`CheckpointError::SchemaMismatch`] if the slot is not keyed, [`CheckpointError::Corrupt`]
    /// if a file is not what was written.
    pub fn keyed(
        &self,
        operator: OperatorId,
        slot: &str,
        range: KeyGroupRange,
    ) -> Result<Option<Vec<RecordBatch>>, CheckpointError> {
        let Some((_, slot_files)) = self.slot(operator, slot, SlotScope::Keyed)? else {
            return Ok(None);
        };
        let mut batches = Vec::new();
        for file in slot_files {
            if file.rows == 0 || file.key_groups.overlap(range).is_empty() {
                continue;
            }
            let path = self.path(file);
            let rows = slot_file::read(&path, file)?;
            let rows = rows_in(range, rows, &path, file)?;
            if rows.num_rows() > 0 {
                batches.push(rows);
            }
        }
        Ok(Some(batches))
    }

    /// The rows of an operator slot: one batch per subtask that wrote, so that the batch at index
    /// `i` is subtask `i`'s; `None` if the checkpoint has no such slot.
    ///
    /// # Errors
    /// [`CheckpointError::SchemaMismatch`] if the slot is keyed, [`CheckpointError::Corrupt`] if a
    /// file is not what was written.
    pub fn operator_rows(
        &self,
        operator: OperatorId,
        slot: &str,
    ) -> Result<Option<Vec<RecordBatch>>, CheckpointError> {
        let Some((operator, slot_files)) = self.slot(operator, slot, SlotScope::Operator)? else {
            return Ok(None);
        };
        let mut batches: Vec<RecordBatch> = Vec::with_capacity(slot_files.len());
        for file in &slot_files {
            let rows = slot_file::read(&self.path(file), file)?;
            // A subtask that did not have the slot yet counts as one without rows.
            let absent = RecordBatch::new_empty(rows.schema());
            batches.resize(file.subtask_index as usize, absent);
            batches.push(rows);
        }
        if let Some(last) = batches.last() {
            let absent = RecordBatch::new_empty(last.schema());
            batches.resize(operator.parallelism as usize, absent);
        }
        Ok(Some(batches))
    }

    /// The files of a slot, by subtask.
    fn slot(
        &self,
        operator: OperatorId,
        slot: &str,
        expected: SlotScope,
    ) -> Result<Option<(&ManifestOperator, Vec<&ManifestFile>)>, CheckpointError> {
        let Some(operator) = self.manifest.operator(operator) else {
            return Ok(None);
        };
        let mut found: Vec<_> = operator.files.iter().filter(|file| file.slot == slot).collect();
        found.sort_by_key(|file| file.subtask_index);
        let Some(scope) = found.first().map(|file| file.scope) else {
            return Ok(None);
        };
        if scope != expected {
            return Err(CheckpointError::SchemaMismatch {
                operator: name_of(&operator.identity),
                slot: slot.to_owned(),
                expected: words(expected).to_owned(),
                found: words(scope).to_owned(),
            });
        }
        Ok(Some((operator, found)))
    }

    fn path(&self, file: &ManifestFile) -> PathBuf {
        self.folder.join(&file.path)
    }
}

fn words(scope: SlotScope) -> &'static str {
    match scope {
        SlotScope::Keyed => "state per key",
        SlotScope::Operator => "state per subtask",
    }
}

/// The warnings for state that is dropped, or the refusal to drop it.
fn refuse_unless(
    allowed: bool,
    lost: Vec<String>,
    without_state: impl FnOnce() -> Vec<String>,
) -> Result<Vec<String>, CheckpointError> {
    if lost.is_empty() || allowed {
        let warning =
            |name| format!("state of {name} in the checkpoint is dropped: nothing takes it");
        return Ok(lost.into_iter().map(warning).collect());
    }
    Err(CheckpointError::UnmatchedState { operators: lost, without_state: without_state() })
}

/// The rows of one file whose key groups lie in `range`.
fn rows_in(
    range: KeyGroupRange,
    rows: RecordBatch,
    path: &Path,
    file: &ManifestFile,
) -> Result<RecordBatch, CheckpointError> {
    let groups = key_groups_of(&rows, path)?;
    if let Some(stray) = groups.values().iter().find(|g| !file.key_groups.contains(KeyGroup(**g))) {
        return Err(CheckpointError::Corrupt {
            path: path.into(),
            check: "key group",
            expected: format!("in {}", file.key_groups),
            found: stray.to_string(),
        });
    }
    if file.key_groups.overlap(range) == file.key_groups {
        return Ok(rows);
    }
    let inside = groups.values().iter().map(|group| Some(range.contains(KeyGroup(*group))));
    filter_record_batch(&rows, &BooleanArray::from_iter(inside)).map_err(|error| {
        let (expected, found) = ("rows that can be filtered".into(), error.to_string());
        CheckpointError::Corrupt { path: path.into(), check: "content", expected, found }
    })
}

fn key_groups_of<'a>(
    rows: &'a RecordBatch,
    path: &Path,
) -> Result<&'a UInt16Array, CheckpointError> {
    rows.column_by_name(KEY_GROUP_COLUMN)
        .and_then(|column| column.as_primitive_opt::<UInt16Type>())
        .filter(|groups| groups.null_count() == 0)
        .ok_or_else(|| CheckpointError::Corrupt {
            path: path.into(),
            check: "Arrow schema",
            expected: format!("a column `{KEY_GROUP_COLUMN}` of UInt16 without nulls"),
            found: rows.schema().to_string(),
        })
}

impl RestoredState for RestoredJob {
    fn slots_by_name(&self, operator: OperatorId) -> Vec<String> {
        let files = self.manifest.operator(operator).into_iter().flat_map(|of| &of.files);
        let names: BTreeSet<&String> =
            files.filter(|file| file.by_name).map(|file| &file.slot).collect();
        names.into_iter().cloned().collect()
    }

    fn has_finished(&self, instance: &Instance) -> bool {
        let Some(operator) = self.manifest.operator(instance.operator.id) else { return false };
        if operator.parallelism == instance.parallelism {
            return operator.finished.contains(&instance.subtask_index);
        }
        operator.finished.len() == operator.parallelism as usize
    }

    fn keyed_rows(
        &self,
        operator: OperatorId,
        slot: &str,
        range: KeyGroupRange,
    ) -> Result<Option<Vec<RecordBatch>>, crate::Error> {
        Ok(self.keyed(operator, slot, range)?)
    }

    fn operator_rows(
        &self,
        operator: OperatorId,
        slot: &str,
    ) -> Result<Option<Vec<RecordBatch>>, crate::Error> {
        Ok(Self::operator_rows(self, operator, slot)?)
    }
}

#[cfg(test)]
mod tests;
