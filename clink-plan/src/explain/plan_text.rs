//! Prints a plan as text for people: every chain, every edge, and why.

use std::collections::BTreeMap;

use super::graph_text::title;
use super::layout::{definitions, paragraph, plural, table};
use crate::graph::JobGraphSpec;
use crate::planner::{ChainOp, Decision, JobPlan, PlannedTask};

/// What the lines of a chain are made from.
struct Printer<'p> {
    graph: &'p JobGraphSpec,
    /// The place of each operator in the graph.
    places: BTreeMap<&'p str, usize>,
    /// The choices about the readers of an operator.
    choices: BTreeMap<&'p str, Vec<&'p Decision>>,
}

/// The plan as text: its chains in the order of their subtasks, then notes and warnings.
pub fn explain_plan(graph: &JobGraphSpec, plan: &JobPlan) -> String {
    let mut printer = Printer { graph, places: BTreeMap::new(), choices: BTreeMap::new() };
    for (place, spec) in graph.operators.iter().enumerate() {
        printer.places.entry(&spec.id).or_insert(place);
    }
    for decision in &plan.decisions {
        printer.choices.entry(&decision.upstream).or_default().push(decision);
    }
    let chains: Vec<&[PlannedTask]> =
        plan.tasks.chunk_by(|task, next| task.op_id == next.op_id).collect();
    let mut text = format!(
        "{}: {} in {}, {}\n",
        title("plan", graph),
        plural(graph.operators.len(), "operator"),
        plural(chains.len(), "chain"),
        plural(plan.tasks.len(), "subtask"),
    );
    for tasks in chains {
        text.push('\n');
        text += &printer.chain(tasks);
    }
    text += &section(
        "notes",
        graph.operators.iter().filter_map(|spec| {
            let reason = spec.forced_singleton()?;
            let why = if reason.is_empty() { "no reason given" } else { reason };
            let kept = format!("`{}` keeps parallelism {}: {why}", spec.id, spec.parallelism);
            Some(paragraph("  ", &kept))
        }),
    );
    text += &section(
        "warnings",
        plan.warnings.iter().map(|warning| {
            warning.to_string().lines().map(|line| paragraph("  ", line.trim_end())).collect()
        }),
    );
    text
}

/// A heading and its lines; nothing if there are none.
fn section(heading: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n{heading}\n{lines}") }
}

impl Printer<'_> {
    /// One chain, given its subtasks.
    fn chain(&self, tasks: &[PlannedTask]) -> String {
        let Some(task) = tasks.first() else {
            return String::new();
        };
        let chain = &task.chain;
        let ends = (chain.fused_source.iter(), chain.fused_sink.iter());
        let ops: Vec<&ChainOp> = ends.0.chain(&chain.ops).chain(ends.1).collect();
        let mut text = format!("{}\n", subtasks(tasks));
        let rows: Vec<_> = ops.iter().map(|op| operator(op)).collect();
        text += &table(2, &rows);
        if ops.iter().any(|op| !op.key_by.is_empty()) {
            let ranges = tasks.iter().map(|task| {
                let range = task.key_groups;
                if range.is_empty() { "none".to_owned() } else { range.to_string() }
            });
            text += &paragraph("  key groups  ", &ranges.collect::<Vec<_>>().join(", "));
        }
        let read = ops.iter().filter_map(|op| self.choices.get(op.id.as_str())).flatten();
        let mut edges: Vec<(String, String)> = Vec::new();
        for decision in read {
            let label = self.edge(decision);
            match edges.last_mut() {
                // The route of an edge follows the reason why it is one; a reader wants it first.
                Some((last, why)) if decision.routing.is_some() && *last == label => {
                    *why = format!("{}; {why}", decision.reason);
                }
                _ => edges.push((label, decision.reason.clone())),
            }
        }
        text + &definitions(2, &edges)
    }

    /// Which output is read, and by whom.
    fn edge(&self, decision: &Decision) -> String {
        let Decision { downstream, upstream, input_index, .. } = decision;
        let arrow = if decision.chained { "↓" } else { "→" };
        let place = self.places.get(downstream.as_str());
        let reader = place.and_then(|&place| self.graph.operators.get(place));
        let reference = reader.and_then(|spec| spec.inputs.get(*input_index as usize));
        let reference = reference.map_or(upstream.as_str(), String::as_str);
        format!("{reference} {arrow} {downstream}")
    }
}

/// The heading of a chain.
fn subtasks(tasks: &[PlannedTask]) -> String {
    match tasks {
        [only] => format!("subtask {}: parallelism 1", only.subtask_idx),
        [first, .., last] => format!(
            "subtasks {} to {}: parallelism {}",
            first.subtask_idx,
            last.subtask_idx,
            tasks.len()
        ),
        [] => String::new(),
    }
}

fn operator(op: &ChainOp) -> [String; 5] {
    let uid = if op.uid.is_empty() { "no uid".to_owned() } else { format!("uid {}", op.uid) };
    let key = if op.key_by.is_empty() { String::new() } else { format!("keyed by {}", op.key_by) };
    [op.id.clone(), op.kind.to_string(), op.type_name.clone(), uid, key]
}
