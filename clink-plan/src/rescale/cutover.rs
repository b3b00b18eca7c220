//! Says whether the subtasks of an operator can be exchanged while the rest of the job runs on.

use std::collections::{BTreeMap, BTreeSet};
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
    /// The operator is a source or a sink, or tells two inputs apart.
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
    /// A neighbour tells its inputs apart: its edges stay as they are while it runs.
    Neighbour {
        /// The neighbour.
        operator: String,
        /// What it is.
        kind: ChainOpKind,
    },
    /// The plans differ in what the operator does or is joined to, not in its parallelism alone.
    Redefined,
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
                "it is a {kind}: only operators between a source and a sink that do not tell two \
                 inputs apart can be exchanged"
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
            CutoverObstacle::Neighbour { operator, kind } => write!(
                f,
                "its neighbour `{operator}` is a {kind}, whose edges cannot be bent to other \
                 subtasks while it runs"
            ),
            CutoverObstacle::Redefined => {
                f.write_str("its type, key, parameters or edges change, not its parallelism alone")
            }
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
/// edge of the operator must be hash or rebalance in both plans, the operator have bounds, and its
/// neighbours be ready to be bent. Its parallelism is all that may change.
pub fn cutover_obstacles(
    before: &JobPlan,
    after: &JobPlan,
    operator: &str,
) -> Vec<CutoverObstacle> {
    let mut obstacles = Vec::new();
    let mut parallelism = Vec::new();
    for (moment, plan) in [(Moment::Before, before), (Moment::After, after)] {
        let operators = operators(plan);
        let Some(&(task, op)) = operators.get(operator) else {
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
        obstacles.extend(unready_neighbours(plan, &operators, task, operator));
        if !is_announced(plan, operator) && op.kind == ChainOpKind::Operator {
            obstacles.push(CutoverObstacle::NoBounds);
        }
    }
    if let [before, after] = parallelism[..]
        && before == after
    {
        obstacles.push(CutoverObstacle::Unchanged);
    }
    obstacles.extend(Shape::differences(before, after, operator));
    obstacles.sort();
    obstacles.dedup();
    obstacles
}

/// The first subtask of each operator, and what it knows of it.
fn operators(plan: &JobPlan) -> BTreeMap<&str, (&PlannedTask, &ChainOp)> {
    let first = plan.tasks.iter().filter(|task| task.subtask_idx_in_op == 0);
    first
        .flat_map(|task| task.chain.operators().map(move |op| (op.id.as_str(), (task, op))))
        .collect()
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

/// The neighbours of `operator` that tell two inputs apart: neither their inputs nor their outputs
/// can be bent while they run.
fn unready_neighbours(
    plan: &JobPlan,
    operators: &BTreeMap<&str, (&PlannedTask, &ChainOp)>,
    task: &PlannedTask,
    operator: &str,
) -> Vec<CutoverObstacle> {
    let feeds = |other: &&PlannedTask| {
        other.chain.output_groups.iter().any(|group| group.downstream_op_id == operator)
    };
    let upstream = plan.tasks.iter().filter(feeds).filter_map(|task| task.chain.ops.last());
    let groups = task.chain.output_groups.iter();
    let downstream =
        groups.filter_map(|group| Some(operators.get(group.downstream_op_id.as_str())?.1));
    upstream
        .chain(downstream)
        .filter(|neighbour| neighbour.kind.has_two_inputs())
        .map(|neighbour| CutoverObstacle::Neighbour {
            operator: neighbour.id.clone(),
            kind: neighbour.kind,
        })
        .collect()
}

/// Whether those who feed `operator` know how far it may grow.
fn is_announced(plan: &JobPlan, operator: &str) -> bool {
    let groups = plan.tasks.iter().flat_map(|task| &task.chain.output_groups);
    let mut feeding = groups.filter(|group| group.downstream_op_id == operator).peekable();
    feeding.peek().is_none() || feeding.all(|group| group.downstream_max_parallelism > 0)
}

/// All that may not change about a chain while one of its neighbours is exchanged.
#[derive(PartialEq)]
struct Shape<'p> {
    parallelism: u32,
    ops: Vec<ChainOp>,
    selector: &'p str,
    /// Of each input: its place, its operator where it is a fan, the type of its records.
    inputs: BTreeSet<(u32, Option<&'p str>, &'p str)>,
    outputs: Vec<OutputShape<'p>>,
}

/// What an output may not change.
#[derive(PartialEq)]
struct OutputShape<'p> {
    upstream: &'p str,
    tag: &'p str,
    branch: Option<u32>,
    downstream: &'p str,
    key: &'p str,
    channel: Option<&'p str>,
    /// How far the reader was promised to grow.
    downstream_max: u32,
}

impl<'p> Shape<'p> {
    /// The chain of a task; the parallelism of `operator` is left out.
    fn of(task: &'p PlannedTask, operator: &str) -> Shape<'p> {
        let chain = &task.chain;
        let ops = chain.operators().map(|op| {
            let parallelism = if op.id == operator { 0 } else { op.parallelism };
            ChainOp { parallelism, ..op.clone() }
        });
        let inputs = chain.input_edges.iter().map(|edge| {
            // Whether the operator's own edges are fans is judged apart from this.
            let fan = edge.upstream_op_id.as_deref();
            let upstream = fan.filter(|id| *id != operator && task.op_id != operator);
            (edge.input_index, upstream, &*edge.channel_type)
        });
        let outputs = chain.output_groups.iter().map(|group| OutputShape {
            upstream: &group.upstream_op_id,
            tag: &group.side_output_tag,
            branch: group.branch,
            downstream: &group.downstream_op_id,
            key: &group.key_extractor_fn,
            channel: group.edges.first().map(|edge| &*edge.channel_type),
            downstream_max: group.downstream_max_parallelism,
        });
        Shape {
            parallelism: if task.op_id == operator { 0 } else { task.parallelism },
            ops: ops.collect(),
            selector: &chain.output_selector_fn,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
        }
    }

    /// What changes between the plans besides the parallelism of `operator` and who shares
    /// subtasks with it.
    fn differences(
        before: &'p JobPlan,
        after: &'p JobPlan,
        operator: &str,
    ) -> Vec<CutoverObstacle> {
        let (before, after) = (Shape::all(before, operator), Shape::all(after, operator));
        let with_operator =
            |shape: &Shape<'_>| shape.ops.len() > 1 && shape.ops.iter().any(|op| op.id == operator);
        // Those who leave or join the operator's chain are named as such already.
        let moved: BTreeSet<&str> = (before.values().chain(after.values()))
            .filter(|shape| with_operator(shape))
            .flat_map(|shape| shape.ops.iter().map(|op| op.id.as_str()))
            .collect();
        let heads: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
        let changed = heads
            .into_iter()
            .filter(|head| !moved.contains(head) && before.get(head) != after.get(head));
        let (own, others): (Vec<&str>, Vec<&str>) = changed.partition(|head| *head == operator);
        let own =
            own.first().filter(|head| before.contains_key(*head) && after.contains_key(*head));
        let operators: Vec<String> = others.into_iter().map(str::to_owned).collect();
        let others = (!operators.is_empty()).then_some(CutoverObstacle::OthersChange { operators });
        own.map(|_| CutoverObstacle::Redefined).into_iter().chain(others).collect()
    }

    /// The chains of a plan, by their first operators.
    fn all(plan: &'p JobPlan, operator: &str) -> BTreeMap<&'p str, Shape<'p>> {
        let first = plan.tasks.iter().filter(|task| task.subtask_idx_in_op == 0);
        first.map(|task| (task.op_id.as_str(), Shape::of(task, operator))).collect()
    }
}
