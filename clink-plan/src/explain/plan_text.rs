//! Prints a plan as text for people: every chain, every edge, and why.

use std::collections::BTreeMap;

use super::graph_text::title;
use super::layout::{definitions, paragraph, plural, table};
use super::links::{Link, chains, kept, links};
use crate::graph::JobGraphSpec;
use crate::planner::{ChainOp, JobPlan, PlannedTask};

/// The plan as text: its chains in the order of their subtasks, then notes and warnings.
pub fn explain_plan(graph: &JobGraphSpec, plan: &JobPlan) -> String {
    // By the operator that is read.
    let mut readers: BTreeMap<&str, Vec<Link<'_>>> = BTreeMap::new();
    for link in links(graph, plan) {
        readers.entry(link.upstream).or_default().push(link);
    }
    let mut text = format!(
        "{}: {} in {}, {}\n",
        title("plan", graph),
        plural(graph.operators.len(), "operator"),
        plural(chains(plan).count(), "chain"),
        plural(plan.tasks.len(), "subtask"),
    );
    for tasks in chains(plan) {
        text.push('\n');
        text += &chain(plan, tasks, &readers);
    }
    text += &section(
        "notes",
        graph
            .operators
            .iter()
            .filter_map(|spec| Some(paragraph("  ", &format!("`{}` {}", spec.id, kept(spec)?)))),
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

/// One chain, given its subtasks.
fn chain(plan: &JobPlan, tasks: &[PlannedTask], readers: &BTreeMap<&str, Vec<Link<'_>>>) -> String {
    let Some(task) = tasks.first() else {
        return String::new();
    };
    let ops: Vec<&ChainOp> = task.chain.operators().collect();
    let mut text = format!("{}\n", subtasks(tasks));
    let rows: Vec<_> = ops.iter().map(|op| operator(plan, op)).collect();
    text += &table(2, &rows);
    if ops.iter().any(|op| !op.key_by.is_empty()) {
        let ranges = tasks.iter().map(|task| {
            let range = task.key_groups;
            if range.is_empty() { "none".to_owned() } else { range.to_string() }
        });
        text += &paragraph("  key groups  ", &ranges.collect::<Vec<_>>().join(", "));
    }
    let read = ops.iter().filter_map(|op| readers.get(op.id.as_str())).flatten();
    let edges: Vec<(String, String)> = read
        .map(|Link { reference, chained, downstream, reasons, .. }| {
            let arrow = if *chained { "↓" } else { "→" };
            let place = plan.locations.get(*downstream).map(|place| format!(" ({place})"));
            let why = format!("{}{}", reasons.join("; "), place.unwrap_or_default());
            (format!("{reference} {arrow} {downstream}"), why)
        })
        .collect();
    text + &definitions(2, &edges)
}

/// The heading of a chain.
pub(super) fn subtasks(tasks: &[PlannedTask]) -> String {
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

fn operator(plan: &JobPlan, op: &ChainOp) -> [String; 6] {
    let uid = if op.uid.is_empty() { "no uid".to_owned() } else { format!("uid {}", op.uid) };
    let key = if op.key_by.is_empty() { String::new() } else { format!("keyed by {}", op.key_by) };
    let place = plan.locations.get(&op.id).map(ToString::to_string).unwrap_or_default();
    [op.id.clone(), op.kind.to_string(), op.type_name.clone(), uid, key, place]
}
