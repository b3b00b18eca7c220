//! Is the mind of one job in one process: facts in, tasks and wake-ups out.

use std::collections::BTreeMap;
use std::sync::Arc;

use clink_plan::id::{CheckpointId, SubtaskId};
use clink_plan::planner::{ChainOpKind, JobPlan};

use crate::checkpoint::protocol::{Decision, Protocol, ProtocolConfig};
use crate::checkpoint::{SlotSnapshot, SubtaskSnapshot};
use crate::subtask::RuntimeError;
use crate::subtask::{JobControl, SubtaskEvent};
use crate::sync::wake::Wake;
use crate::sys::clock::Clock;

use super::recorder::{Fact, Task};
use super::{CheckpointOptions, Ending, JobView, Signal};

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
    /// The last checkpoint exists, or there is none to come.
    saved: bool,
    failure: Option<RuntimeError>,
    stopped: bool,
    cancelled: bool,
    view: JobView,
}

impl JobCoordinator {
    pub(super) fn new(
        plan: &JobPlan,
        control: Arc<JobControl>,
        wake: Arc<dyn Wake>,
        checkpoints: Option<(&CheckpointOptions, CheckpointId)>,
        clock: Clock,
        view: JobView,
    ) -> Self {
        let id = |task: &clink_plan::planner::PlannedTask| SubtaskId(task.subtask_idx);
        let is_source = |task: &&clink_plan::planner::PlannedTask| {
            task.chain.fused_source.is_some()
                || task.chain.ops.first().is_some_and(|op| op.kind == ChainOpKind::Source)
        };
        let protocol = checkpoints.map(|(options, first_id)| {
            Protocol::new(ProtocolConfig {
                interval_ms: options.interval_ms,
                timeout_ms: options.timeout_ms,
                subtasks: plan.tasks.iter().map(id).collect(),
                sources: plan.tasks.iter().filter(is_source).map(id).collect(),
                first_id,
            })
        });
        let saved = protocol.is_none();
        let subtasks = plan.tasks.len();
        Self {
            control,
            wake,
            clock,
            protocol,
            open: subtasks,
            subtasks,
            finals: BTreeMap::new(),
            saved,
            failure: None,
            stopped: false,
            cancelled: false,
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
        if let Some(protocol) = &self.protocol {
            view.checkpoints_completed = protocol.counts().completed;
            view.checkpoints_aborted = protocol.counts().aborted;
        }
        view
    }

    pub(super) fn next_deadline_ms(&self, now_ms: i64) -> Option<i64> {
        self.protocol.as_ref().filter(|_| !self.cancelled)?.next_deadline_ms(now_ms)
    }

    pub(super) fn tick(&mut self, now_ms: i64) -> Vec<Task> {
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
            SubtaskEvent::Finished { subtask, slots } => {
                self.open = self.open.saturating_sub(1);
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
            Fact::Completed { id, at_ms, kept } => {
                self.view.warnings.extend(kept.map(|error| error.to_string()));
                self.view.last_checkpoint = Some((id, at_ms));
                // Only the final checkpoint: another one may complete just before it.
                self.saved = self.protocol.as_ref().is_none_or(|p| p.final_id() == Some(id));
                Vec::new()
            }
            Fact::Abandoned => Vec::new(),
            Fact::Failed(error) => {
                self.fail(error.into());
                Vec::new()
            }
        };
        self.carry_out(decisions)
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
                Decision::Trigger { id, sources } => {
                    self.control.request_barrier(id);
                    sources.iter().for_each(|source| self.wake.wake(source.0 as usize));
                }
                Decision::Complete { id, finished, .. } => {
                    let finals = finished.iter().filter_map(|subtask| self.last_of(*subtask, id));
                    tasks.push(Task::Complete { id, finals: finals.collect(), now_ms });
                }
                Decision::Abort { id, reason } => {
                    let note = format!("checkpoint {} was given up: {reason:?}", id.0);
                    self.view.warnings.push(note);
                    tasks.push(Task::Abandon(id));
                }
                Decision::Final { id } => {
                    let all: Vec<SubtaskId> = self.finals.keys().copied().collect();
                    let finals = all.iter().filter_map(|subtask| self.last_of(*subtask, id));
                    tasks.push(Task::Complete { id, finals: finals.collect(), now_ms });
                }
            }
        }
        tasks
    }

    /// The final snapshot of a subtask as its part of checkpoint `id`.
    fn last_of(&self, subtask: SubtaskId, id: CheckpointId) -> Option<SubtaskSnapshot> {
        let slots = self.finals.get(&subtask)?.clone();
        Some(SubtaskSnapshot { subtask, checkpoint: id, slots })
    }

    fn fail(&mut self, error: RuntimeError) {
        // The first failure is the cause; what falls over after it is not.
        self.failure.get_or_insert(error);
        self.cancel();
    }

    fn cancel(&mut self) {
        self.cancelled = true;
        self.control.request_cancel();
        self.wake_all();
    }

    fn wake_all(&self) {
        (0..self.subtasks).for_each(|position| self.wake.wake(position));
    }
}
