//! Keeps the checkpoints of one job in a folder.
//!
//! In:     captured snapshots, from any thread.
//! Out:    `chk-<id>` folders; one exists as a checkpoint only when its manifest does.
//! Order:  slot files (temporary, synced, renamed), their folders' sync, the manifest (the same
//!         way), its folder's sync. Deleting goes the other way: the manifest first.
//! Limit:  one checkpoint is open at a time, and one process per job folder.

mod restore_point;
pub(super) mod slot_file;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use clink_plan::id::CheckpointId;

pub use self::restore_point::{RestorePoint, StoredCheckpoint};
use super::error::CheckpointError;
use super::layout::{Layout, checkpoint_of, manifest_path, operator_folder, slot_file_name};
use super::manifest::{Manifest, ManifestFile, ManifestOperator};
use super::retention::to_delete;
use super::snapshot::{OperatorIdentity, SlotSnapshot, SubtaskSnapshot};
use crate::sys::files::{self, FileLock};

/// The checkpoints of one job.
///
/// Threading: every method takes `&self`; snapshots may be written from several threads at once.
#[derive(Debug)]
pub struct CheckpointStore {
    job: String,
    layout: Layout,
    /// Keeps other runs off the folder.
    _lock: FileLock,
    /// The newest checkpoint that takes no more snapshots: complete, abandoned, or from before
    /// this store was opened. Writers hold it while they write, so that a folder is never removed
    /// under them nor comes back after them.
    closed: RwLock<Option<CheckpointId>>,
}

/// One slot that is on the disk, as the manifest will list it.
///
/// Durable once [`CheckpointStore::complete`] has synced its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSlot {
    /// Part of which checkpoint.
    pub checkpoint: CheckpointId,
    /// Whose state.
    pub operator: OperatorIdentity,
    /// Parallelism of the operator.
    pub parallelism: u32,
    /// Where it is and what it must be when it is read.
    pub file: ManifestFile,
}

/// An operator instance that had come to its end when a checkpoint was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedInstance {
    /// Which operator.
    pub operator: OperatorIdentity,
    /// Parallelism of the operator.
    pub parallelism: u32,
    /// Index of the instance.
    pub subtask_index: u32,
}

impl CheckpointStore {
    /// Opens the folder of `job` under `root`, creating it where it does not exist, and removes
    /// what earlier runs left unfinished.
    ///
    /// # Errors
    /// [`CheckpointError::Name`] if the job's name cannot name a folder,
    /// [`CheckpointError::InUse`] if another run has it open,
    /// [`CheckpointError::File`] if the folder cannot be used.
    pub fn open(root: &Path, job: &str) -> Result<Self, CheckpointError> {
        let layout = Layout::new(root, job)?;
        files::create_dir_durable(layout.job_folder())?;
        let lock = files::lock(&layout.lock_file())?;
        let in_use = || CheckpointError::InUse { folder: layout.job_folder().to_path_buf() };
        let lock = lock.ok_or_else(in_use)?;
        let closed = RwLock::new(None);
        let store = Self { job: job.to_owned(), layout, _lock: lock, closed };
        let (ids, complete) = (store.folders()?, store.list()?);
        for id in ids.iter().filter(|id| !complete.contains(id)) {
            store.remove_unfinished(*id, ids.last() == Some(id))?;
        }
        store.close(ids.last().copied());
        Ok(store)
    }

    /// The folder of all checkpoints of the job.
    pub fn job_folder(&self) -> &Path {
        self.layout.job_folder()
    }

    /// The job's name.
    pub fn job(&self) -> &str {
        &self.job
    }

    /// A number that no checkpoint of this job has had, complete or not.
    ///
    /// # Errors
    /// [`CheckpointError::File`] if the folder cannot be listed.
    pub fn next_id(&self) -> Result<CheckpointId, CheckpointError> {
        let highest = self.folders()?.last().copied().max(self.closed());
        Ok(CheckpointId(highest.map_or(1, |id| id.0.saturating_add(1))))
    }

    /// Writes every slot of a snapshot, those without rows included: a slot that is not there is
    /// one that its operator did not have.
    ///
    /// Writes nothing and returns nothing if the checkpoint is complete or abandoned: the snapshot
    /// comes too late to be a part of it.
    ///
    /// # Errors
    /// [`CheckpointError::File`] if the disk refuses, [`CheckpointError::Encode`] if rows cannot
    /// be encoded. Some files may be there; abandon the checkpoint.
    pub fn write(&self, snapshot: &SubtaskSnapshot) -> Result<Vec<WrittenSlot>, CheckpointError> {
        let closed = self.closed.read().unwrap_or_else(PoisonError::into_inner);
        if closed.is_some_and(|closed| snapshot.checkpoint <= closed) {
            return Ok(Vec::new());
        }
        let folder = self.folder(snapshot.checkpoint);
        let mut folders = BTreeSet::new();
        let mut written = Vec::with_capacity(snapshot.slots.len());
        let mut drafts = Vec::with_capacity(snapshot.slots.len());
        for slot in &snapshot.slots {
            let operator = operator_folder(&slot.operator)?;
            if folders.insert(operator.clone()) {
                files::create_dir(&folder.join(&operator))?;
            }
            let path = format!("{operator}/{}", slot_file_name(slot.subtask_index, &slot.slot));
            let draft = slot_file::Draft::write(&folder.join(&path), &slot.rows)?;
            written.push(written_slot(snapshot.checkpoint, slot, path, &draft));
            drafts.push(draft);
        }
        // All are written before the first is synced: the disk takes them together.
        drafts.iter().try_for_each(slot_file::Draft::sync)?;
        drafts.into_iter().try_for_each(slot_file::Draft::publish)?;
        Ok(written)
    }

    /// Makes the checkpoint exist: syncs the folders, then writes the manifest of `parts`, with
    /// the instances that had come to their end.
    ///
    /// # Errors
    /// [`CheckpointError::Inconsistent`] if the parts do not make one checkpoint or it is closed,
    /// [`CheckpointError::File`] if the disk refuses. The checkpoint does not exist then, unless
    /// only the last sync failed; abandon it.
    pub fn complete(
        &self,
        id: CheckpointId,
        created_at_ms: i64,
        parts: impl IntoIterator<Item = WrittenSlot>,
        finished: impl IntoIterator<Item = FinishedInstance>,
    ) -> Result<Manifest, CheckpointError> {
        let manifest = self.assemble(id, created_at_ms, parts, finished)?;
        let mut closed = self.closed.write().unwrap_or_else(PoisonError::into_inner);
        if closed.is_some_and(|closed| id <= closed) {
            let reason = "it is complete or abandoned already".to_owned();
            return Err(CheckpointError::Inconsistent { id, reason });
        }
        let folder = self.folder(id);
        files::create_dir(&folder)?;
        for operator in manifest.operators.iter().filter(|operator| !operator.files.is_empty()) {
            files::sync_folder(&folder.join(operator_folder(&operator.identity)?))?;
        }
        // A manifest that lists a file which is not there would refuse every restore.
        for file in manifest.files() {
            files::size(&folder.join(&file.path))?;
        }
        files::sync_folder(&folder)?;
        files::sync_folder(self.job_folder())?;
        files::write_durable(&manifest_path(&folder), &manifest.encode())?;
        *closed = Some(id);
        Ok(manifest)
    }

    /// Deletes what there is of a checkpoint that will not be complete. Snapshots that still
    /// arrive for it are not written.
    ///
    /// The number stays taken: an empty folder keeps it until a later checkpoint is complete.
    ///
    /// # Errors
    /// [`CheckpointError::Inconsistent`] if it is complete, [`CheckpointError::File`] if something
    /// cannot be removed.
    pub fn abandon(&self, id: CheckpointId) -> Result<(), CheckpointError> {
        if files::exists(&manifest_path(&self.folder(id)))? {
            if Some(id) <= self.closed() {
                let reason = "it is complete and cannot be abandoned".to_owned();
                return Err(CheckpointError::Inconsistent { id, reason });
            }
            // The last sync of `complete` failed: whoever restores must not find it.
            self.remove(id)?;
        }
        self.close(Some(id));
        self.remove_unfinished(id, true)
    }

    /// The complete checkpoints, oldest first.
    ///
    /// # Errors
    /// [`CheckpointError::File`] if the folder cannot be read.
    pub fn list(&self) -> Result<Vec<CheckpointId>, CheckpointError> {
        let mut complete = Vec::new();
        for id in self.folders()? {
            if files::exists(&manifest_path(&self.folder(id)))? {
                complete.push(id);
            }
        }
        Ok(complete)
    }

    /// Deletes complete checkpoints from number `first` on beyond the newest `keep` (at least one
    /// stays), and what abandoned ones left. Returns what it deleted.
    ///
    /// # Errors
    /// [`CheckpointError::File`] if something cannot be removed; the next call tries again.
    pub fn retain(
        &self,
        first: CheckpointId,
        keep: usize,
    ) -> Result<Vec<CheckpointId>, CheckpointError> {
        let complete = self.list()?;
        let own: Vec<CheckpointId> = complete.iter().copied().filter(|id| *id >= first).collect();
        let deleted = to_delete(&own, keep);
        deleted.iter().try_for_each(|id| self.remove(*id))?;
        let (newest, closed) = (complete.last().copied(), self.closed());
        for id in self.folders()? {
            if Some(id) < newest && Some(id) <= closed && !complete.contains(&id) {
                self.remove_unfinished(id, false)?;
            }
        }
        Ok(deleted)
    }

    /// Reads the manifest of the checkpoint to restore from.
    ///
    /// # Errors
    /// [`CheckpointError::NotFound`] lists what there is; [`CheckpointError::Corrupt`],
    /// [`CheckpointError::Manifest`], [`CheckpointError::NewerFormat`] and
    /// [`CheckpointError::WrongJob`] say why a manifest is not taken.
    pub fn load(&self, point: &RestorePoint) -> Result<StoredCheckpoint, CheckpointError> {
        restore_point::load(self, point)
    }

    /// Every `chk-` folder's number, ascending, whatever is in the folder.
    fn folders(&self) -> Result<Vec<CheckpointId>, CheckpointError> {
        let entries = files::list_folder(self.job_folder())?;
        let mut ids: Vec<CheckpointId> = entries
            .iter()
            .filter(|entry| entry.is_folder)
            .filter_map(|entry| checkpoint_of(entry.name.to_str()?))
            .collect();
        ids.sort_unstable();
        Ok(ids)
    }

    fn folder(&self, id: CheckpointId) -> PathBuf {
        self.layout.checkpoint_folder(id)
    }

    fn closed(&self) -> Option<CheckpointId> {
        *self.closed.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for writers, then turns away what comes for `id` and those before it.
    fn close(&self, id: Option<CheckpointId>) {
        let mut closed = self.closed.write().unwrap_or_else(PoisonError::into_inner);
        *closed = id.max(*closed);
    }

    /// Removes a complete checkpoint: once the manifest is durably gone it does not exist, however
    /// much of the folder a crash leaves.
    fn remove(&self, id: CheckpointId) -> Result<(), CheckpointError> {
        let folder = self.folder(id);
        files::remove_file(&manifest_path(&folder))?;
        files::sync_folder(&folder)?;
        Ok(files::remove_folder(&folder)?)
    }

    /// Removes a checkpoint without a manifest, all but its folder if that must keep the number.
    fn remove_unfinished(&self, id: CheckpointId, keep: bool) -> Result<(), CheckpointError> {
        let folder = self.folder(id);
        files::remove_folder(&folder)?;
        if keep {
            files::create_dir_durable(&folder)?;
        }
        Ok(())
    }

    fn assemble(
        &self,
        id: CheckpointId,
        created_at_ms: i64,
        parts: impl IntoIterator<Item = WrittenSlot>,
        finished: impl IntoIterator<Item = FinishedInstance>,
    ) -> Result<Manifest, CheckpointError> {
        let failed = |reason| CheckpointError::Inconsistent { id, reason };
        let mut operators = Vec::new();
        for part in parts {
            if part.checkpoint != id {
                return Err(failed(format!("a part belongs to checkpoint {}", part.checkpoint)));
            }
            entry(&mut operators, part.operator, part.parallelism).files.push(part.file);
        }
        for FinishedInstance { operator, parallelism, subtask_index } in finished {
            entry(&mut operators, operator, parallelism).finished.push(subtask_index);
        }
        let mut manifest = Manifest { job: self.job.clone(), id, created_at_ms, operators };
        manifest.sort();
        manifest.check().map_err(failed)?;
        Ok(manifest)
    }
}

/// The operator's entry in a manifest, a new one if it has none.
fn entry(
    operators: &mut Vec<ManifestOperator>,
    identity: OperatorIdentity,
    parallelism: u32,
) -> &mut ManifestOperator {
    let same = |operator: &ManifestOperator| {
        operator.identity == identity && operator.parallelism == parallelism
    };
    let at = operators.iter().position(same).unwrap_or_else(|| {
        let (files, finished) = (Vec::new(), Vec::new());
        operators.push(ManifestOperator { identity, parallelism, files, finished });
        operators.len() - 1
    });
    operators.get_mut(at).expect("it was found or added at this place")
}

fn written_slot(
    checkpoint: CheckpointId,
    slot: &SlotSnapshot,
    path: String,
    draft: &slot_file::Draft,
) -> WrittenSlot {
    WrittenSlot {
        checkpoint,
        operator: slot.operator.clone(),
        parallelism: slot.parallelism,
        file: ManifestFile {
            subtask_index: slot.subtask_index,
            slot: slot.slot.clone(),
            scope: slot.scope,
            by_name: slot.by_name,
            path,
            bytes: draft.bytes,
            rows: slot.rows.num_rows() as u64,
            crc32: draft.crc32,
            key_groups: slot.key_groups,
        },
    }
}

#[cfg(test)]
mod tests;
