//! Is the mind of one job in one process: facts in, tasks and wake-ups out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clink_plan::id::{CheckpointId, SubtaskId};

use crate::checkpoint::protocol::{AbortReason, Decision, Protocol};
use crate::checkpoint::store::FinishedInstance;
use crate::checkpoint::{CheckpointError, SlotSnapshot, SubtaskSnapshot};
use crate::config::{CANCEL_GRACE_MS, CHECKPOINT_FAILURES_MAX};
use crate::operator::JobShared;
use crate::state::snapshot::{Instance, RestoredState};
use crate::subtask::RuntimeError;
use crate::subtask::{JobControl, SubtaskEvent};
use crate::sync::wake::Wake;
use crate::sys::clock::Clock;

use super::recorder::{Fact, GivenUp, Task};
use super::{CheckpointCost, Ending, JobView, Signal};

/// What a job is made of, seen from its coordinator.
pub(super) struct JobFacts<'a> {
    /// The operator instances of each subtask.
    pub(super) instances: BTreeMap<SubtaskId, Vec<Instance>>,
    /// The state the run starts from.
    pub(super) restored: Option<&'a dyn RestoredState>,
    /// What the job asks of its subtasks.
    pub(super) control: Arc<JobControl>,
    /// Wakes them.
    pub(super) wake: Arc<dyn Wake>,
    /// The time.
    pub(super) clock: Clock,
    /// Tells the recorder what is void.
    pub(super) given_up: GivenUp,
    /// What operators share: what they want to be told, and their accumulators.
    pub(super) shared: Arc<JobShared>,
}

pub(super) struct JobCoordinator {
    control: Arc<JobControl>,
    wake: Arc<dyn Wake>,
    clock: Clock,
    protocol: Option<Protocol>,
    /// Subtasks that have not closed.
    open: usize,
    subtasks: usize,
    /// What finished subtasks held at last.
    finals: BTreeMap<SubtaskId, Vec<SlotSnapshot>>,
    /// The operator instances of each subtask.
    instances: BTreeMap<SubtaskId, Vec<FinishedInstance>>,
    /// Subtasks that were stopped before their input ended.
    stopped_subtasks: BTreeSet<SubtaskId>,
    /// Instances that had come to their end before the checkpoint this run started from.
    finished_before: Vec<FinishedInstance>,
    /// A checkpoint that was given up and is not gone yet: none starts before.
    abandoning: Option<CheckpointId>,
    given_up: GivenUp,
    /// Checkpoints in a row that could not be written.
    failures: u32,
    last_abort: Option<String>,
    /// The last checkpoint that was started and when, in milliseconds.
    started: Option<(CheckpointId, i64)>,
    /// Why checkpoints that are no longer kept are still there.
    not_deleted: Option<CheckpointError>,
    /// The last checkpoint exists, or there is none to come.
    saved: bool,
    failure: Option<RuntimeError>,
    stopped: bool,
    cancelled: bool,
    /// When it was cancelled, in milliseconds.
    cancelled_at_ms: Option<i64>,
    shared: Arc<JobShared>,
    view: JobView,
}

impl JobCoordinator {
    pub(super) fn new(facts: JobFacts<'_>, protocol: Option<Protocol>, view: JobView) -> Self {
        let JobFacts { instances, restored, control, wake, clock, given_up, shared } = facts;
        let finished_before = instances
            .values()
            .flatten()
            .filter(|instance| restored.is_some_and(|state| state.has_finished(instance)));
        let finish = |instance: &Instance| FinishedInstance {
            operator: instance.operator.clone(),
            parallelism: instance.parallelism,
            subtask_index: instance.subtask_index,
        };
        Self {
            control,
            wake,
            clock,
            saved: protocol.is_none(),
            protocol,
            open: instances.len(),
            subtasks: instances.len(),
            finals: BTreeMap::new(),
            stopped_subtasks: BTreeSet::new(),
            finished_before: finished_before.map(finish).collect(),
            instances: (instances.iter())
                .map(|(subtask, own)| (*subtask, own.iter().map(finish).collect()))
                .collect(),
            abandoning: None,
            given_up,
            failures: 0,
            last_abort: None,
            started: None,
            not_deleted: None,
            failure: None,
            stopped: false,
            cancelled: false,
            cancelled_at_ms: None,
            shared,
            view,
        }
    }

    /// True once every subtask has closed and the last checkpoint exists, or never will.
    pub(super) fn is_over(&self) -> bool {
        self.open == 0 && (self.saved || self.cancelled)
    }

    pub(super) fn ending(self) -> Result<Ending, RuntimeError> {
        match (self.failure, self.cancelled, self.stopped) {
            (Some(failure), _, _) => Err(failure),
            (None, true, _) => Ok(Ending::Cancelled),
            (None, false, true) => Ok(Ending::Stopped),
            (None, false, false) => Ok(Ending::Finished),
        }
    }

    pub(super) fn view(&self) -> JobView {
        let mut view = self.view.clone();
        view.now_ms = self.clock.now_ms();
        (view.notices_before, view.notices) = self.shared.notices.list();
        view.accumulators = self.shared.accumulators.list();
        if let Some(protocol) = &self.protocol {
            view.checkpoints_aborted = protocol.counts().aborted;
        }
        if let Some(reason) = &self.last_abort {
            let count = view.checkpoints_aborted;
            view.warnings.push(format!("checkpoints given up: {count}; the last one: {reason}"));
        }
        if let Some(error) = &self.not_deleted {
            view.warnings.push(format!("old checkpoints stay: {error}"));
        }
        view
    }

    pub(super) fn next_deadline_ms(&self, now_ms: i64) -> Option<i64> {
        let waits = self.cancelled || self.abandoning.is_some();
        self.protocol.as_ref().filter(|_| !waits)?.next_deadline_ms(now_ms)
    }

    pub(super) fn tick(&mut self, now_ms: i64) -> Vec<Task> {
        if self.abandoning.is_some() {
            return Vec::new();
        }
        let decisions = self.decide(|protocol| protocol.tick(now_ms));
        self.carry_out(decisions)
    }

    pub(super) fn signal(&mut self, signal: Signal) {
        match signal {
            Signal::Stop if !self.stopped => {
                self.stopped = true;
                if let Some(protocol) = &mut self.protocol {
                    protocol.stop_requested();
                }
                self.control.request_stop();
                self.wake_all();
                self.shared.interrupts.interrupt();
            }
            Signal::Stop => {}
            Signal::Cancel => self.cancel(),
        }
    }

    pub(super) fn event(&mut self, event: SubtaskEvent) -> Vec<Task> {
        match event {
            SubtaskEvent::Captured { subtask, checkpoint, slots } => {
                vec![Task::Write(SubtaskSnapshot { subtask, checkpoint, slots })]
            }
            SubtaskEvent::Finished { subtask, stopped, slots } => {
                self.open = self.open.saturating_sub(1);
                if stopped {
                    self.stopped_subtasks.insert(subtask);
                }
                match self.protocol {
                    Some(_) => vec![Task::Ended { subtask, slots }],
                    None => Vec::new(),
                }
            }
            SubtaskEvent::Failed { error, .. } => {
                self.open = self.open.saturating_sub(1);
                self.fail(error);
                Vec::new()
            }
            SubtaskEvent::Cancelled { .. } => {
                self.open = self.open.saturating_sub(1);
                Vec::new()
            }
        }
    }

    pub(super) fn fact(&mut self, fact: Fact) -> Vec<Task> {
        let decisions = match fact {
            Fact::Written { subtask, id } => self.decide(|p| p.acknowledged(subtask, id)),
            Fact::Ended { subtask, slots } => {
                self.finals.insert(subtask, slots);
                self.decide(|protocol| protocol.finished(subtask))
            }
            Fact::Completed { id, at_ms, bytes, kept } => {
                self.failures = 0;
                self.view.checkpoints_completed += 1;
                self.view.last_checkpoint = Some((id, at_ms));
                self.view.last_checkpoint_cost = self.cost(id, bytes);
                self.last_abort = None;
                self.not_deleted = kept;
                // Only the final checkpoint: another one may complete just before it.
                self.saved = self.protocol.as_ref().is_none_or(|p| p.final_id() == Some(id));
                Vec::new()
            }
            Fact::Abandoned(id) => {
                self.abandoning.take_if(|abandoning| *abandoning <= id);
                Vec::new()
            }
            Fact::NotWritten { subtask, id, error } => self.not_written(subtask, id, error),
            Fact::Failed(error) => {
                self.fail(error.into());
                Vec::new()
            }
        };
        self.carry_out(decisions)
    }

    /// One checkpoint less is no reason to end a job; a disk that takes none is.
    fn not_written(
        &mut self,
        subtask: SubtaskId,
        id: CheckpointId,
        error: CheckpointError,
    ) -> Vec<Decision> {
        if self.protocol.as_ref().and_then(Protocol::pending) != Some(id) {
            return Vec::new();
        }
        self.failures += 1;
        if self.failures >= CHECKPOINT_FAILURES_MAX {
            self.fail(error.into());
            return Vec::new();
        }
        let decisions = self.decide(|protocol| protocol.declined(subtask, id));
        self.last_abort = Some(error.to_string());
        decisions
    }

    fn decide(&mut self, ask: impl FnOnce(&mut Protocol) -> Vec<Decision>) -> Vec<Decision> {
        if self.cancelled {
            return Vec::new();
        }
        self.protocol.as_mut().map(ask).unwrap_or_default()
    }

    fn carry_out(&mut self, decisions: Vec<Decision>) -> Vec<Task> {
        let now_ms = self.clock.now_ms();
        let mut tasks = Vec::new();
        for decision in decisions {
            match decision {
                Decision::Trigger { id, .. } => {
                    self.started = Some((id, now_ms));
                    self.control.request_barrier(id);
                    // Not only sources: where the end of an input waits for something, the barrier
                    // is put in as well.
                    self.wake_all();
                }
                Decision::Complete { id, finished, .. } => {
                    tasks.push(self.complete(id, &finished, now_ms));
                }
                Decision::Abort { id, reason } => {
                    self.last_abort = Some(match reason {
                        AbortReason::Timeout => format!("{} was not complete in time", id.0),
                        AbortReason::Declined(subtask) => {
                            format!("{}: subtask {} could not be saved", id.0, subtask.0)
                        }
                    });
                    self.given_up.note(id);
                    self.abandoning = Some(id);
                    tasks.push(Task::Abandon(id));
                }
                Decision::Final { id } => {
                    self.started = Some((id, now_ms));
                    let all = self.finals.keys().copied().collect();
                    tasks.push(self.complete(id, &all, now_ms));
                }
            }
        }
        tasks
    }

    /// The manifest of checkpoint `id`, in which final snapshots stand for `finished` subtasks.
    ///
    /// One that was stopped is saved like the others but has not come to its end.
    fn complete(&self, id: CheckpointId, finished: &BTreeSet<SubtaskId>, now_ms: i64) -> Task {
        let ended = finished.difference(&self.stopped_subtasks);
        let ended = ended.filter_map(|subtask| self.instances.get(subtask)).flatten();
        Task::Complete {
            id,
            finals: finished.iter().filter_map(|subtask| self.last_of(*subtask, id)).collect(),
            finished: self.finished_before.iter().chain(ended).cloned().collect(),
            now_ms,
        }
    }

    /// What the checkpoint that has just been completed took.
    fn cost(&self, id: CheckpointId, bytes: u64) -> Option<CheckpointCost> {
        let (_, started_ms) = self.started.filter(|(started, _)| *started == id)?;
        let took_ms = self.clock.now_ms().saturating_sub(started_ms).max(0).unsigned_abs();
        Some(CheckpointCost { took_ms, bytes })
    }

    /// The final snapshot of a subtask as its part of checkpoint `id`.
    fn last_of(&self, subtask: SubtaskId, id: CheckpointId) -> Option<SubtaskSnapshot> {
        let slots = self.finals.get(&subtask)?.clone();
        Some(SubtaskSnapshot { subtask, checkpoint: id, slots })
    }

    /// The thread that writes checkpoints has ended before the job.
    pub(super) fn writer_is_gone(&mut self) {
        let source = std::io::Error::other("its thread has ended");
        self.fail(RuntimeError::System { action: "write checkpoints", source });
    }

    fn fail(&mut self, error: RuntimeError) {
        // The first failure is the cause; what falls over after it is not.
        self.failure.get_or_insert(error);
        self.cancel();
    }

    fn cancel(&mut self) {
        self.cancelled = true;
        // Nothing that waits to be written will be part of a checkpoint.
        self.given_up.note(CheckpointId(u64::MAX));
        self.control.request_cancel();
        self.cancelled_at_ms.get_or_insert(self.clock.now_ms());
        self.wake_all();
        self.shared.interrupts.interrupt();
    }

    /// How long ago the job was cancelled, in milliseconds, if subtasks have not noticed: they are
    /// in a call that does not return.
    pub(super) fn unnoticed_for_ms(&self, now_ms: i64) -> Option<i64> {
        let since_ms = self.cancelled_at_ms?;
        let unnoticed = self.subtasks.saturating_sub(self.control.closing());
        // Those that close are waited for.
        (unnoticed > 0 && unnoticed == self.open).then(|| now_ms.saturating_sub(since_ms))
    }

    /// Nobody waits any more for subtasks that have not noticed that the job was cancelled.
    pub(super) fn abandon(&mut self) {
        let count = self.open;
        self.open = 0;
        self.view.warnings.push(format!(
            "{count} subtasks did not return from a call of their operator within {} s of the \
             cancel: they are left behind, not closed",
            CANCEL_GRACE_MS / 1_000
        ));
    }

    fn wake_all(&self) {
        (0..self.subtasks).for_each(|position| self.wake.wake(position));
    }
}
