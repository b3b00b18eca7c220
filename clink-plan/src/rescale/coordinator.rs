//! Keeps what is known of the rescale of each operator of a job.
//!
//! Source: the seed document "Jobs, parallelism and scheduling", section "Rescale".

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{RescaleCall, RescaleRefusal};
use crate::graph::JobGraphSpec;
use crate::id::CheckpointId;

/// How far the rescale of an operator has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RescaleState {
    /// None was asked for yet.
    Idle,
    /// Accepted; waiting for the checkpoint to cut at.
    Preparing,
    /// The old subtasks finish what came before the cut.
    Draining,
    /// The new subtasks come up from the checkpoint.
    CuttingOver,
    /// The operator has its new parallelism.
    Complete,
    /// Given up; the operator keeps its old parallelism.
    Aborted,
}

impl RescaleState {
    /// Every state.
    pub const ALL: &[RescaleState] = &[
        RescaleState::Idle,
        RescaleState::Preparing,
        RescaleState::Draining,
        RescaleState::CuttingOver,
        RescaleState::Complete,
        RescaleState::Aborted,
    ];

    /// The state in a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            RescaleState::Idle => "idle",
            RescaleState::Preparing => "preparing",
            RescaleState::Draining => "draining",
            RescaleState::CuttingOver => "cutting over",
            RescaleState::Complete => "complete",
            RescaleState::Aborted => "aborted",
        }
    }
}

impl fmt::Display for RescaleState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is known of the rescale of one operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RescaleStatus {
    /// How far it has come.
    pub state: RescaleState,
    /// The parallelism the operator runs at.
    pub current_parallelism: u32,
    /// The parallelism it is to run at; the current one if no rescale is under way.
    pub target_parallelism: u32,
    /// The least parallelism it may have. If it or the most is 0, the operator is not scalable.
    pub min_parallelism: u32,
    /// The most parallelism it may have.
    pub max_parallelism: u32,
    /// The checkpoint that the new subtasks start from, once it is complete.
    pub cutover_checkpoint: Option<CheckpointId>,
    /// The old subtasks that have drained.
    pub drained: BTreeSet<u32>,
    /// The new subtasks that are ready.
    pub ready: BTreeSet<u32>,
    /// Why the last rescale was given up; empty if it was not.
    pub abort_reason: String,
}

/// The rescales of a job, one for each operator:
///
/// ```text
/// Idle ─request→ Preparing ─checkpoint_ready→ Draining ─last old_drained→ CuttingOver
///                    │                           │                            │
///                    └─replan_complete→ Complete ←──────── last new_ready ────┘
/// Preparing, Draining, CuttingOver, Aborted ─abort→ Aborted
/// Complete, Aborted ─request→ Preparing
/// ```
///
/// Every call that is refused says why and changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RescaleCoordinator {
    operators: BTreeMap<String, RescaleStatus>,
}

impl RescaleCoordinator {
    /// One that knows no operator.
    pub fn new() -> RescaleCoordinator {
        RescaleCoordinator::default()
    }

    /// One that knows the operators of `graph`, all idle.
    pub fn of(graph: &JobGraphSpec) -> RescaleCoordinator {
        let mut coordinator = RescaleCoordinator::new();
        for spec in &graph.operators {
            let bounds = (spec.min_parallelism, spec.max_parallelism);
            coordinator.register(&spec.id, spec.parallelism, bounds.0, bounds.1);
        }
        coordinator
    }

    /// Makes an operator known and idle, whatever was known of it before.
    pub fn register(&mut self, operator: &str, parallelism: u32, min: u32, max: u32) {
        let status = RescaleStatus {
            state: RescaleState::Idle,
            current_parallelism: parallelism,
            target_parallelism: parallelism,
            min_parallelism: min,
            max_parallelism: max,
            cutover_checkpoint: None,
            drained: BTreeSet::new(),
            ready: BTreeSet::new(),
            abort_reason: String::new(),
        };
        self.operators.insert(operator.to_owned(), status);
    }

    /// Asks for another parallelism of an operator.
    ///
    /// # Errors
    /// The first that applies: [`RescaleRefusal::Unknown`], `NoBounds`, `OutOfBounds`,
    /// `Unchanged`, `WrongState` if a rescale is under way.
    pub fn request(&mut self, operator: &str, target: u32) -> Result<(), RescaleRefusal> {
        let status = self.known(operator)?;
        let (min, max) = (status.min_parallelism, status.max_parallelism);
        let operator = || operator.to_owned();
        if min == 0 || max == 0 {
            return Err(RescaleRefusal::NoBounds { operator: operator() });
        }
        if target < min || target > max {
            return Err(RescaleRefusal::OutOfBounds { operator: operator(), target, min, max });
        }
        if target == status.current_parallelism {
            let parallelism = target;
            return Err(RescaleRefusal::Unchanged { operator: operator(), parallelism });
        }
        let status = self.allowed(&operator(), RescaleCall::Request)?;
        status.state = RescaleState::Preparing;
        status.target_parallelism = target;
        status.cutover_checkpoint = None;
        status.drained.clear();
        status.ready.clear();
        status.abort_reason.clear();
        Ok(())
    }

    /// Tells that checkpoint `id`, the one to cut at, is complete.
    ///
    /// # Errors
    /// [`RescaleRefusal::Unknown`] and `WrongState`.
    pub fn mark_checkpoint_ready(
        &mut self,
        operator: &str,
        id: CheckpointId,
    ) -> Result<(), RescaleRefusal> {
        let status = self.allowed(operator, RescaleCall::CheckpointReady)?;
        status.cutover_checkpoint = Some(id);
        status.state = RescaleState::Draining;
        Ok(())
    }

    /// Tells that old subtask `index` has drained; saying it again changes nothing.
    ///
    /// # Errors
    /// [`RescaleRefusal::Unknown`], `WrongState` and `NoSubtask`.
    pub fn mark_old_drained(&mut self, operator: &str, index: u32) -> Result<(), RescaleRefusal> {
        let status = self.allowed(operator, RescaleCall::OldDrained)?;
        let count = status.current_parallelism;
        count_in(operator, &mut status.drained, index, count)?;
        if status.drained.len() == count as usize {
            status.state = RescaleState::CuttingOver;
        }
        Ok(())
    }

    /// Tells that new subtask `index` is ready; saying it again changes nothing.
    ///
    /// # Errors
    /// [`RescaleRefusal::Unknown`], `WrongState` and `NoSubtask`.
    pub fn mark_new_ready(&mut self, operator: &str, index: u32) -> Result<(), RescaleRefusal> {
        let status = self.allowed(operator, RescaleCall::NewReady)?;
        let count = status.target_parallelism;
        count_in(operator, &mut status.ready, index, count)?;
        if status.ready.len() == count as usize {
            status.current_parallelism = count;
            status.state = RescaleState::Complete;
        }
        Ok(())
    }

    /// Tells that the whole job was stopped and planned anew, the operator at `parallelism`.
    ///
    /// # Errors
    /// [`RescaleRefusal::Unknown`], `WrongState`, and `OutOfBounds`.
    pub fn mark_replan_complete(
        &mut self,
        operator: &str,
        parallelism: u32,
    ) -> Result<(), RescaleRefusal> {
        let status = self.allowed(operator, RescaleCall::ReplanComplete)?;
        let (min, max) = (status.min_parallelism, status.max_parallelism);
        if parallelism < min || parallelism > max {
            let (operator, target) = (operator.to_owned(), parallelism);
            return Err(RescaleRefusal::OutOfBounds { operator, target, min, max });
        }
        status.current_parallelism = parallelism;
        status.target_parallelism = parallelism;
        status.state = RescaleState::Complete;
        Ok(())
    }

    /// Gives the rescale of an operator up.
    ///
    /// # Errors
    /// [`RescaleRefusal::Unknown`] and `WrongState`.
    pub fn abort(&mut self, operator: &str, reason: &str) -> Result<(), RescaleRefusal> {
        let status = self.allowed(operator, RescaleCall::Abort)?;
        status.state = RescaleState::Aborted;
        status.target_parallelism = status.current_parallelism;
        reason.clone_into(&mut status.abort_reason);
        Ok(())
    }

    /// What is known of one operator.
    pub fn status(&self, operator: &str) -> Option<&RescaleStatus> {
        self.operators.get(operator)
    }

    /// What is known of all operators, sorted by their ids.
    pub fn all(&self) -> impl Iterator<Item = (&str, &RescaleStatus)> {
        self.operators.iter().map(|(operator, status)| (operator.as_str(), status))
    }

    fn known(&mut self, operator: &str) -> Result<&mut RescaleStatus, RescaleRefusal> {
        if !self.operators.contains_key(operator) {
            let known = self.operators.keys().cloned().collect();
            return Err(RescaleRefusal::Unknown { operator: operator.to_owned(), known });
        }
        Ok(self.operators.get_mut(operator).expect("the operator was found above"))
    }

    fn allowed(
        &mut self,
        operator: &str,
        call: RescaleCall,
    ) -> Result<&mut RescaleStatus, RescaleRefusal> {
        let status = self.known(operator)?;
        let state = status.state;
        if call.allowed_in().contains(&state) {
            return Ok(status);
        }
        Err(RescaleRefusal::WrongState { operator: operator.to_owned(), call, state })
    }
}

/// Counts subtask `index` of `count` in.
fn count_in(
    operator: &str,
    seen: &mut BTreeSet<u32>,
    index: u32,
    count: u32,
) -> Result<(), RescaleRefusal> {
    if index >= count {
        return Err(RescaleRefusal::NoSubtask { operator: operator.to_owned(), index, count });
    }
    seen.insert(index);
    Ok(())
}
