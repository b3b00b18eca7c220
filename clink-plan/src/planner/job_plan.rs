//! The plan of a job: its subtasks, and why they are what they are.

use std::ops::Range;

use super::{OperatorChainSpec, RoutingMode};
use crate::descriptor::Locations;
use crate::id::WorkerId;
use crate::key_group::KeyGroupRange;
use crate::validate::Diagnostic;

/// A job as subtasks, before they are placed anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPlan {
    /// The subtasks, numbered in this order from 0.
    pub tasks: Vec<PlannedTask>,
    /// What the author should know, though the graph can be planned.
    pub warnings: Vec<Diagnostic>,
    /// Every choice between two operators, in graph order of the reader and its inputs.
    pub decisions: Vec<Decision>,
    /// Where the author wrote the operators, as far as it is known.
    pub locations: Locations,
}

/// One subtask: the unit of deployment, scheduling and failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTask {
    /// What the task is: [`super::GENERIC_SUBTASK_ROLE`].
    pub role: &'static str,
    /// Its number in the plan: a label, not an address.
    pub subtask_idx: u32,
    /// The id of the first operator of its chain; of the operator itself, for sources and sinks.
    pub op_id: String,
    /// Its place among the subtasks of that operator.
    pub subtask_idx_in_op: u32,
    /// How many such subtasks there are.
    pub parallelism: u32,
    /// The key groups it owns, if its operators are keyed.
    pub key_groups: KeyGroupRange,
    /// The subtask at the other end of every output edge, in group order.
    pub peer_refs: Vec<u32>,
    /// Whether what it committed is to be confirmed before a checkpoint counts: one of its sinks
    /// is exactly-once, and cannot find out after a crash whether a commit went through.
    pub needs_commit_confirmation: bool,
    /// The worker it must run on, if somebody has decided that already; placement fills the rest.
    pub worker_id: Option<WorkerId>,
    /// The port its inputs listen on; 0 until it listens.
    pub data_port: u16,
    /// Whose state it starts from, if it starts from any.
    pub restore_from: RestoreFrom,
    /// What it runs and how it is wired. Its JSON is what a worker is sent.
    pub chain: OperatorChainSpec,
}

/// Whose state a subtask starts from.
///
/// The reference has two numbers for it, the first parent and how many there are; a chain whose
/// operators were apart before has parents in several places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreFrom {
    /// Its own, of an earlier attempt of the same plan.
    Own,
    /// That of subtasks of a former plan, by their numbers there: ranges in order that do not
    /// touch. None of them: it starts from nothing.
    Parents(Vec<Range<u32>>),
}

/// One choice of the planner between an operator and one of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The id of the operator that is read.
    pub upstream: String,
    /// The id of the operator that reads.
    pub downstream: String,
    /// At which of its inputs.
    pub input_index: u32,
    /// Whether the two run as one, by plain calls.
    pub chained: bool,
    /// How records travel, if this is the choice of a route; `None` if it is that of a chain.
    pub routing: Option<RoutingMode>,
    /// Why: `not chained: `count` is keyed and parallelism is 4`.
    pub reason: String,
}

/// A number of things in a plan.
pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).expect("validation bounds the size of a plan")
}
