//! Carries out what the checkpoint protocol decided: writes snapshots and manifests, one after the
//! other, and says when each is durable.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clink_plan::id::{CheckpointId, SubtaskId};

use crate::checkpoint::store::{CheckpointStore, FinishedInstance, WrittenSlot};
use crate::checkpoint::{CheckpointError, SlotSnapshot, SubtaskSnapshot};
use crate::config::CHECKPOINTS_RETAINED;

/// What to write.
#[derive(Debug)]
pub(super) enum Task {
    /// One subtask's part.
    Write(SubtaskSnapshot),
    /// Nothing; but the end of a subtask must not overtake its snapshots.
    Ended {
        /// Who ended.
        subtask: SubtaskId,
        /// What it held at last.
        slots: Vec<SlotSnapshot>,
    },
    /// The manifest, after the final snapshots of the subtasks that had finished before.
    Complete {
        /// The checkpoint.
        id: CheckpointId,
        /// Final snapshots that belong to it.
        finals: Vec<SubtaskSnapshot>,
        /// The instances that had come to their end.
        finished: Vec<FinishedInstance>,
        /// The time, in milliseconds since the epoch.
        now_ms: i64,
    },
    /// Nothing more of this checkpoint.
    Abandon(CheckpointId),
}

/// What has been written.
#[derive(Debug)]
pub(super) enum Fact {
    /// A part is durable.
    Written {
        /// Whose.
        subtask: SubtaskId,
        /// Of which checkpoint.
        id: CheckpointId,
    },
    /// All snapshots of this subtask that came before its end are durable.
    Ended {
        /// Who ended.
        subtask: SubtaskId,
        /// What it held at last.
        slots: Vec<SlotSnapshot>,
    },
    /// The checkpoint exists.
    Completed {
        /// Which.
        id: CheckpointId,
        /// When, in milliseconds since the epoch.
        at_ms: i64,
        /// Bytes of its files.
        bytes: u64,
        /// Why older ones could not be deleted.
        kept: Option<CheckpointError>,
    },
    /// The checkpoint is gone.
    Abandoned(CheckpointId),
    /// A part could not be written.
    NotWritten {
        /// Whose.
        subtask: SubtaskId,
        /// Of which checkpoint.
        id: CheckpointId,
        /// Why not.
        error: CheckpointError,
    },
    /// A manifest could not be written, or a checkpoint not be abandoned.
    Failed(CheckpointError),
}

/// The newest checkpoint that was given up. Told to the recorder directly, since the tasks that
/// are void stand in its queue before the one that says so.
#[derive(Clone, Debug, Default)]
pub(super) struct GivenUp(Arc<AtomicU64>);

impl GivenUp {
    /// Checkpoint `id` and those before it are given up.
    pub(super) fn note(&self, id: CheckpointId) {
        self.0.fetch_max(id.0, Ordering::AcqRel);
    }

    fn holds(&self, id: CheckpointId) -> bool {
        id.0 <= self.0.load(Ordering::Acquire)
    }
}

/// The store and the parts of checkpoints that are not complete yet.
pub(super) struct Recorder {
    store: CheckpointStore,
    parts: BTreeMap<CheckpointId, Vec<WrittenSlot>>,
    given_up: GivenUp,
    /// The first checkpoint that is this run's to delete.
    first_own: CheckpointId,
}

impl Recorder {
    pub(super) fn new(store: CheckpointStore, given_up: GivenUp, first_own: CheckpointId) -> Self {
        Self { store, parts: BTreeMap::new(), given_up, first_own }
    }

    pub(super) fn carry_out(&mut self, task: Task) -> Fact {
        match task {
            Task::Write(snapshot) => {
                let (subtask, id) = (snapshot.subtask, snapshot.checkpoint);
                match self.write(&snapshot) {
                    Ok(()) => Fact::Written { subtask, id },
                    Err(error) => Fact::NotWritten { subtask, id, error },
                }
            }
            Task::Ended { subtask, slots } => Fact::Ended { subtask, slots },
            Task::Complete { id, .. } if self.given_up.holds(id) => Fact::Abandoned(id),
            Task::Complete { id, finals, finished, now_ms } => {
                match self.complete(id, &finals, finished, now_ms) {
                    // What could not be deleted now is tried again after the next checkpoint.
                    Ok(bytes) => Fact::Completed {
                        id,
                        at_ms: now_ms,
                        bytes,
                        kept: self.store.retain(self.first_own, CHECKPOINTS_RETAINED).err(),
                    },
                    Err(error) => Fact::Failed(error),
                }
            }
            Task::Abandon(id) => {
                self.parts.remove(&id);
                self.store.abandon(id).map_or_else(Fact::Failed, |()| Fact::Abandoned(id))
            }
        }
    }

    fn write(&mut self, snapshot: &SubtaskSnapshot) -> Result<(), CheckpointError> {
        if self.given_up.holds(snapshot.checkpoint) {
            return Ok(());
        }
        let written = self.store.write(snapshot)?;
        self.parts.entry(snapshot.checkpoint).or_default().extend(written);
        Ok(())
    }

    fn complete(
        &mut self,
        id: CheckpointId,
        finals: &[SubtaskSnapshot],
        finished: Vec<FinishedInstance>,
        now_ms: i64,
    ) -> Result<u64, CheckpointError> {
        for snapshot in finals {
            self.write(snapshot)?;
        }
        let parts = self.parts.remove(&id).unwrap_or_default();
        Ok(self.store.complete(id, now_ms, parts, finished)?.bytes())
    }
}
