//! Describes a complete checkpoint: which files hold whose state.
//!
//! Shape: one JSON object. Its first field is `format`, its last, alone on the last line but one,
//!        is `crc32`: the checksum, in hex, of every byte before that line. Both stay where they
//!        are in every later format.
//! Order: operators by uid and id, files by slot and subtask: the same state, the same bytes.
//! Errors: a byte that changed is [`CheckpointError::Corrupt`]; a whole manifest that contradicts
//!         itself is [`CheckpointError::Manifest`].

mod encoding;

use std::collections::{BTreeMap, BTreeSet};

use clink_plan::id::{CheckpointId, OperatorId};
use clink_plan::key_group::{KEY_GROUP_COUNT, KeyGroupRange};

use super::error::CheckpointError;
use super::layout::stays_inside;
use super::snapshot::{OperatorIdentity, SlotScope};
use crate::config::PARALLELISM_MAX;

/// What a complete checkpoint consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The job's name.
    pub job: String,
    /// The checkpoint's number.
    pub id: CheckpointId,
    /// When it was complete, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// Every operator that has slots or an instance that had come to its end.
    pub operators: Vec<ManifestOperator>,
}

/// The files of one operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestOperator {
    /// What the state is filed under.
    pub identity: OperatorIdentity,
    /// How many subtasks wrote.
    pub parallelism: u32,
    /// One file per subtask and slot.
    pub files: Vec<ManifestFile>,
    /// Indices of the subtasks that had come to their end, ascending: their final rows stand here,
    /// and what they emitted at the end is not emitted again.
    pub finished: Vec<u32>,
}

/// One slot of one subtask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestFile {
    /// Index of the subtask that wrote it.
    pub subtask_index: u32,
    /// The slot's name.
    pub slot: String,
    /// Whose rows.
    pub scope: SlotScope,
    /// True if the operator asked for it by name: whoever restores may ask again, and cannot be
    /// refused because no field takes it.
    pub by_name: bool,
    /// Where it is, relative to the checkpoint's folder, with `/` between the parts.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// How many rows it holds.
    pub rows: u64,
    /// The checksum of its bytes.
    pub crc32: u32,
    /// Key groups of the subtask that wrote it.
    pub key_groups: KeyGroupRange,
}

impl Manifest {
    /// The operator whose state is filed under `id`.
    pub fn operator(&self, id: OperatorId) -> Option<&ManifestOperator> {
        self.operators.iter().find(|operator| operator.identity.id == id)
    }

    /// Every file.
    pub fn files(&self) -> impl Iterator<Item = &ManifestFile> {
        self.operators.iter().flat_map(|operator| &operator.files)
    }

    /// The size of all files together.
    pub fn bytes(&self) -> u64 {
        self.files().map(|file| file.bytes).fold(0, u64::saturating_add)
    }

    /// Puts operators and files into their documented order.
    pub(super) fn sort(&mut self) {
        self.operators.sort_by(|a, b| {
            (&a.identity.uid, a.identity.id).cmp(&(&b.identity.uid, b.identity.id))
        });
        for operator in &mut self.operators {
            operator
                .files
                .sort_by(|a, b| (&a.slot, a.subtask_index).cmp(&(&b.slot, b.subtask_index)));
            operator.finished.sort_unstable();
            operator.finished.dedup();
        }
    }

    /// Whether the manifest contradicts itself; says how.
    pub(super) fn check(&self) -> Result<(), String> {
        let (mut ids, mut paths) = (BTreeSet::new(), BTreeSet::new());
        for operator in &self.operators {
            let name = &operator.identity;
            if !ids.insert(name.id) {
                return Err(format!("two operators have the id {}", name.id));
            }
            operator.check().map_err(|reason| format!("{}: {reason}", name_of(name)))?;
            for file in &operator.files {
                if !stays_inside(&file.path) {
                    return Err(format!("path `{}` leaves the checkpoint's folder", file.path));
                }
                if !paths.insert(&file.path) {
                    return Err(format!("two slots are in `{}`", file.path));
                }
            }
        }
        Ok(())
    }
}

impl ManifestOperator {
    fn check(&self) -> Result<(), String> {
        if !(1..=PARALLELISM_MAX).contains(&self.parallelism) {
            return Err(format!("its parallelism is {}", self.parallelism));
        }
        if let Some(index) = self.finished.iter().find(|index| **index >= self.parallelism) {
            return Err(format!("subtask {index} had ended at parallelism {}", self.parallelism));
        }
        let mut slots: BTreeMap<&str, Vec<&ManifestFile>> = BTreeMap::new();
        for file in &self.files {
            if file.subtask_index >= self.parallelism {
                return Err(format!(
                    "slot `{}` of subtask {} at parallelism {}",
                    file.slot, file.subtask_index, self.parallelism
                ));
            }
            slots.entry(&file.slot).or_default().push(file);
        }
        slots.into_values().try_for_each(check_slot)
    }
}

/// Whether the files of one slot are one per subtask and no key is in two of them.
fn check_slot(mut files: Vec<&ManifestFile>) -> Result<(), String> {
    files.sort_by_key(|file| (file.key_groups.start, file.key_groups.end));
    let (mut subtasks, mut end) = (BTreeSet::new(), 0);
    let first = files.first().map(|file| (file.scope, file.by_name));
    for file in files {
        let (slot, range) = (&file.slot, file.key_groups);
        if !subtasks.insert(file.subtask_index) {
            return Err(format!("two files hold slot `{slot}` of subtask {}", file.subtask_index));
        }
        if first.is_some_and(|(scope, _)| file.scope != scope) {
            return Err(format!("slot `{slot}` is keyed in one subtask and not in another"));
        }
        if first.is_some_and(|(_, by_name)| file.by_name != by_name) {
            return Err(format!("slot `{slot}` is a field in one subtask and not in another"));
        }
        if file.by_name && file.scope != SlotScope::Keyed {
            return Err(format!("slot `{slot}` was asked for by name and has no keys"));
        }
        if range.start > range.end || range.end > KEY_GROUP_COUNT {
            return Err(format!("slot `{slot}` has the key groups {range}"));
        }
        if file.scope == SlotScope::Keyed && !range.is_empty() {
            if range.start < end {
                return Err(format!("two files of slot `{slot}` hold key group {}", range.start));
            }
            end = range.end;
        }
    }
    Ok(())
}

/// The operator as messages name it.
pub(super) fn name_of(operator: &OperatorIdentity) -> String {
    if operator.uid.is_empty() {
        format!("operator {} (no uid)", operator.id)
    } else {
        format!("operator `{}`", operator.uid)
    }
}

#[cfg(test)]
mod tests;
