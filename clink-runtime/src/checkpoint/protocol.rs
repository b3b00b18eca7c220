//! Decides when a checkpoint starts, when it is complete and when it is given up (pure).
//!
//! In:     the time, acknowledgements, ends of subtasks; time is processing time in milliseconds.
//! Out:    [`Decision`]s, to be carried out in the order given.
//! Limit:  one checkpoint in flight.
//! Source: FLIP-147 for subtasks that finish: a finished subtask's final snapshot stands in for it
//!         in every checkpoint that it has not acknowledged.
//!
//! ```text
//!           due            every subtask acknowledged or finished
//!   idle ────────▶ pending ───────────────────────────────────────▶ complete, idle
//!                     │ timeout, declined
//!                     └───────────────────────────────────────────▶ aborted, idle
//!   idle ──────── every subtask finished ─────────────────────────▶ final, over
//! ```

use std::collections::BTreeSet;

use clink_plan::id::{CheckpointId, SubtaskId};

/// What a job's checkpoints are made of.
#[derive(Clone, Debug)]
pub struct ProtocolConfig {
    /// Time from the start of one checkpoint to the start of the next, in milliseconds.
    pub interval_ms: u64,
    /// Time after which an unfinished checkpoint is aborted, in milliseconds.
    pub timeout_ms: u64,
    /// Every subtask of the job.
    pub subtasks: Vec<SubtaskId>,
    /// Those of them that have no input.
    pub sources: Vec<SubtaskId>,
    /// The number of the first checkpoint.
    pub first_id: CheckpointId,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Have these sources put the barrier into their outputs.
    Trigger {
        /// The checkpoint.
        id: CheckpointId,
        /// The sources that still run.
        sources: BTreeSet<SubtaskId>,
    },
    /// Write the manifest: every part is durable.
    Complete {
        /// The checkpoint.
        id: CheckpointId,
        /// Subtasks whose snapshot at the barrier it holds.
        acknowledged: BTreeSet<SubtaskId>,
        /// Subtasks whose final snapshot it holds.
        finished: BTreeSet<SubtaskId>,
    },
    /// Delete what was written: the checkpoint will not be complete.
    Abort {
        /// The checkpoint.
        id: CheckpointId,
        /// Why.
        reason: AbortReason,
    },
    /// Write the manifest of the job's last checkpoint: the final snapshots of every subtask.
    Final {
        /// The checkpoint.
        id: CheckpointId,
    },
}

/// Why a checkpoint was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbortReason {
    /// Not every subtask acknowledged in time.
    Timeout,
    /// A subtask could not write its part.
    Declined(SubtaskId),
}

/// How checkpoints have fared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProtocolCounts {
    /// Complete ones, the final one included.
    pub completed: u64,
    /// Those given up.
    pub aborted: u64,
    /// Acknowledgements that were late, repeated or from an unknown subtask.
    pub ignored: u64,
}

/// The progress of a job's checkpoints.
///
/// Facts about one subtask must arrive in the order in which that subtask captured its snapshots:
/// the acknowledgement of a barrier it passed comes before its end. Otherwise its final snapshot
/// would stand in for it in a checkpoint whose barrier it had passed long before.
#[derive(Clone, Debug)]
pub struct Protocol {
    interval_ms: u64,
    timeout_ms: u64,
    subtasks: BTreeSet<SubtaskId>,
    running_sources: BTreeSet<SubtaskId>,
    finished: BTreeSet<SubtaskId>,
    next_id: CheckpointId,
    /// When the last checkpoint started, or the protocol did; `None` before the first tick.
    last_start_ms: Option<i64>,
    pending: Option<Pending>,
    stopping: bool,
    final_id: Option<CheckpointId>,
    counts: ProtocolCounts,
}

#[derive(Clone, Debug)]
struct Pending {
    id: CheckpointId,
    start_ms: i64,
    acknowledged: BTreeSet<SubtaskId>,
}

impl Protocol {
    /// The protocol of a job that has just started.
    pub fn new(config: ProtocolConfig) -> Self {
        Self {
            interval_ms: config.interval_ms,
            timeout_ms: config.timeout_ms,
            subtasks: config.subtasks.into_iter().collect(),
            running_sources: config.sources.into_iter().collect(),
            finished: BTreeSet::new(),
            next_id: config.first_id,
            last_start_ms: None,
            pending: None,
            stopping: false,
            final_id: None,
            counts: ProtocolCounts::default(),
        }
    }

    /// Time has passed. The first call starts the first interval.
    pub fn tick(&mut self, now_ms: i64) -> Vec<Decision> {
        let mut decisions = Vec::new();
        let last_start_ms = *self.last_start_ms.get_or_insert(now_ms);
        if let Some(pending) = &self.pending
            && now_ms >= pending.start_ms.saturating_add_unsigned(self.timeout_ms)
        {
            decisions.extend(self.abort(AbortReason::Timeout));
        }
        let due_ms = last_start_ms.saturating_add_unsigned(self.interval_ms);
        if self.pending.is_none() && self.may_trigger() && now_ms >= due_ms {
            let id = self.take_id();
            self.last_start_ms = Some(now_ms);
            self.pending = Some(Pending { id, start_ms: now_ms, acknowledged: BTreeSet::new() });
            decisions.push(Decision::Trigger { id, sources: self.running_sources.clone() });
        }
        decisions
    }

    /// When [`tick`](Self::tick) next has something to do, at once if that is not after `now_ms`;
    /// `None` if only other facts can bring the job on.
    pub fn next_deadline_ms(&self, now_ms: i64) -> Option<i64> {
        let Some(last_start_ms) = self.last_start_ms else {
            return self.may_trigger().then_some(now_ms);
        };
        match &self.pending {
            Some(pending) => Some(pending.start_ms.saturating_add_unsigned(self.timeout_ms)),
            None if self.may_trigger() => {
                Some(last_start_ms.saturating_add_unsigned(self.interval_ms))
            }
            None => None,
        }
    }

    /// The subtask's snapshot at the barrier of `id` is durable.
    pub fn acknowledged(&mut self, subtask: SubtaskId, id: CheckpointId) -> Vec<Decision> {
        let known = self.subtasks.contains(&subtask) && !self.finished.contains(&subtask);
        let counted = match &mut self.pending {
            Some(pending) if pending.id == id && known => pending.acknowledged.insert(subtask),
            _ => false,
        };
        if !counted {
            self.counts.ignored = self.counts.ignored.saturating_add(1);
        }
        self.complete_if_whole().into_iter().collect()
    }

    /// The subtask could not capture or write its snapshot at the barrier of `id`.
    pub fn declined(&mut self, subtask: SubtaskId, id: CheckpointId) -> Vec<Decision> {
        match &self.pending {
            Some(pending) if pending.id == id => {
                self.abort(AbortReason::Declined(subtask)).into_iter().collect()
            }
            _ => {
                self.counts.ignored = self.counts.ignored.saturating_add(1);
                Vec::new()
            }
        }
    }

    /// The subtask has ended and its final snapshot is durable.
    pub fn finished(&mut self, subtask: SubtaskId) -> Vec<Decision> {
        let mut decisions = Vec::new();
        if !self.subtasks.contains(&subtask) || !self.finished.insert(subtask) {
            return decisions;
        }
        self.running_sources.remove(&subtask);
        decisions.extend(self.complete_if_whole());
        if self.finished.len() == self.subtasks.len() {
            let id = self.take_id();
            self.final_id = Some(id);
            self.counts.completed = self.counts.completed.saturating_add(1);
            decisions.push(Decision::Final { id });
        }
        decisions
    }

    /// The sources have been told to end: nothing more is triggered. A checkpoint in flight goes
    /// on, and the final one follows when every subtask has finished.
    pub fn stop_requested(&mut self) {
        self.stopping = true;
    }

    /// The checkpoint in flight.
    pub fn pending(&self) -> Option<CheckpointId> {
        self.pending.as_ref().map(|pending| pending.id)
    }

    /// Whether every subtask has finished and the final checkpoint is decided.
    pub fn is_over(&self) -> bool {
        self.final_id.is_some()
    }

    /// The final checkpoint, once it is decided. One that was in flight then is complete just
    /// before it, so a job has saved everything only when this very one is written.
    pub fn final_id(&self) -> Option<CheckpointId> {
        self.final_id
    }

    /// How checkpoints have fared so far.
    pub fn counts(&self) -> ProtocolCounts {
        self.counts
    }

    fn may_trigger(&self) -> bool {
        !self.stopping && !self.running_sources.is_empty()
    }

    fn take_id(&mut self) -> CheckpointId {
        let id = self.next_id;
        self.next_id = CheckpointId(id.0.saturating_add(1));
        id
    }

    fn abort(&mut self, reason: AbortReason) -> Option<Decision> {
        let pending = self.pending.take()?;
        self.counts.aborted = self.counts.aborted.saturating_add(1);
        Some(Decision::Abort { id: pending.id, reason })
    }

    fn complete_if_whole(&mut self) -> Option<Decision> {
        let is_whole = |pending: &mut Pending| {
            pending.acknowledged.union(&self.finished).count() == self.subtasks.len()
        };
        let Pending { id, acknowledged, .. } = self.pending.take_if(is_whole)?;
        self.counts.completed = self.counts.completed.saturating_add(1);
        let finished = self.finished.difference(&acknowledged).copied().collect();
        Some(Decision::Complete { id, acknowledged, finished })
    }
}

#[cfg(test)]
mod tests;
