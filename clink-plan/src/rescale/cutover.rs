//! Says whether the subtasks of an operator can be exchanged while the rest of the job runs on.

use std::collections::BTreeMap;
use std::fmt;

use crate::planner::{ChainOp, ChainOpKind, JobPlan, PlannedTask, RoutingMode};

/// Before or after the rescale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// In the plan that runs.
    Before,
    /// In the plan that is to run.
    After,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Moment::Before => "before",
            Moment::After => "after",
        })
    }
}

/// Why an operator cannot be exchanged while the rest runs on: its job must stop and be planned
/// anew instead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CutoverObstacle {
    /// A plan has no such operator.
    Unknown {
        /// In which plan.
        moment: Moment,
    },
    /// The operator is none that reads one stream and is read.
    Kind {
        /// What it is.
        kind: ChainOpKind,
    },
    /// Both plans give it the same subtasks.
    Unchanged,
    /// It has no bounds, so its neighbours do not know that it may change.
    NoBounds,
    /// It shares its subtasks with others, which would be exchanged as well.
    Chained {
        /// In which plan.
        moment: Moment,
        /// The others.
        others: Vec<String>,
    },
    /// One of its inputs ties each of its subtasks to one of the upstream's.
    ForwardInput {
        /// In which plan.
        moment: Moment,
        /// The input.
        input_index: u32,
    },
    /// One of its outputs ties each of its subtasks to one of the downstream's.
    ForwardOutput {
        /// In which plan.
        moment: Moment,
        /// The operator that reads it.
        downstream: String,
    },
    /// The plans differ in other operators as well.
    OthersChange {
        /// Those at the head of a chain that is not the same.
        operators: Vec<String>,
    },
}

impl fmt::Display for CutoverObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CutoverObstacle::Unknown { moment } => {
                write!(f, "the plan {moment} the rescale has no such operator")
            }
            CutoverObstacle::Kind { kind } => write!(
                f,
                "it is a {kind}: only operators between a source and a sink that read one stream \
                 can be exchanged"
            ),
            CutoverObstacle::Unchanged => f.write_str("its parallelism does not change"),
            CutoverObstacle::NoBounds => f.write_str(
                "it has no `max_parallelism`, so its neighbours are not prepared for a change",
            ),
            CutoverObstacle::Chained { moment, others } => write!(
                f,
                "it shares its subtasks with {} {moment} the rescale",
                others.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
            ),
            CutoverObstacle::ForwardInput { moment, input_index } => write!(
                f,
                "its input {input_index} is a forward edge {moment} the rescale, subtask to \
                 subtask"
            ),
            CutoverObstacle::ForwardOutput { moment, downstream } => write!(
                f,
                "its output to `{downstream}` is a forward edge {moment} the rescale, subtask to \
                 subtask"
            ),
            CutoverObstacle::OthersChange { operators } => write!(
                f,
                "the chains of {} change as well",
                operators.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
            ),
        }
    }
}

/// Everything that keeps `operator` from being exchanged between the plan that runs and the one
/// that is to run; nothing does if the list is empty.
///
/// Only fans can be bent to other subtasks, and only those that both ends know about: so every
/// edge of the operator must be hash or rebalance in both plans, and the operator have bounds.
pub fn cutover_obstacles(
    before: &JobPlan,
    after: &JobPlan,
    operator: &str,
) -> Vec<CutoverObstacle> {
    let mut obstacles = Vec::new();
    let mut parallelism = Vec::new();
    for (moment, plan) in [(Moment::Before, before), (Moment::After, after)] {
        let Some((task, op)) = find(plan, operator) else {
            obstacles.push(CutoverObstacle::Unknown { moment });
            continue;
        };
        parallelism.push(op.parallelism);
        if op.kind != ChainOpKind::Operator {
            obstacles.push(CutoverObstacle::Kind { kind: op.kind });
        }
        let others: Vec<String> = (task.chain.operators())
            .filter(|other| other.id != operator)
            .map(|other| other.id.clone())
            .collect();
        if !others.is_empty() {
            obstacles.push(CutoverObstacle::Chained { moment, others });
        }
        obstacles.extend(forward_edges(moment, task));
        if !is_announced(plan, operator) && op.kind == ChainOpKind::Operator {
            obstacles.push(CutoverObstacle::NoBounds);
        }
    }
    if let [before, after] = parallelism[..]
        && before == after
    {
        obstacles.push(CutoverObstacle::Unchanged);
    }
    let operators = changed(before, after, operator);
    if !operators.is_empty() && obstacles.is_empty() {
        obstacles.push(CutoverObstacle::OthersChange { operators });
    }
    obstacles.sort();
    obstacles.dedup();
    obstacles
}

/// The first subtask that runs `operator`, and what it knows of it.
fn find<'p>(plan: &'p JobPlan, operator: &str) -> Option<(&'p PlannedTask, &'p ChainOp)> {
    plan.tasks.iter().find_map(|task| {
        let op = task.chain.operators().find(|op| op.id == operator)?;
        Some((task, op))
    })
}

fn forward_edges(moment: Moment, task: &PlannedTask) -> Vec<CutoverObstacle> {
    let inputs = task.chain.input_edges.iter();
    // A fan names the operator it comes from, a forward edge does not.
    let inputs = inputs.filter(|edge| edge.upstream_op_id.is_none());
    let inputs =
        inputs.map(|edge| CutoverObstacle::ForwardInput { moment, input_index: edge.input_index });
    let outputs = task.chain.output_groups.iter();
    let outputs = outputs.filter(|group| group.mode == RoutingMode::Forward);
    let outputs = outputs.map(|group| CutoverObstacle::ForwardOutput {
        moment,
        downstream: group.downstream_op_id.clone(),
    });
    inputs.chain(outputs).collect()
}

/// Whether those who feed `operator` know how far it may grow.
fn is_announced(plan: &JobPlan, operator: &str) -> bool {
    let groups = plan.tasks.iter().flat_map(|task| &task.chain.output_groups);
    let mut feeding = groups.filter(|group| group.downstream_op_id == operator).peekable();
    feeding.peek().is_none() || feeding.all(|group| group.downstream_max_parallelism > 0)
}

/// The heads of chains, `operator` apart, that are not the same in both plans.
fn changed(before: &JobPlan, after: &JobPlan, operator: &str) -> Vec<String> {
    let chains = |plan: &JobPlan| -> BTreeMap<String, (u32, Vec<String>)> {
        let tasks = plan.tasks.iter().filter(|task| task.op_id != operator);
        let shape = |task: &PlannedTask| {
            let ids = task.chain.operators().map(|op| op.id.clone()).collect();
            (task.op_id.clone(), (task.parallelism, ids))
        };
        tasks.map(shape).collect()
    };
    let (before, after) = (chains(before), chains(after));
    let heads = before.keys().chain(after.keys().filter(|head| !before.contains_key(*head)));
    heads.filter(|head| before.get(*head) != after.get(*head)).cloned().collect()
}
