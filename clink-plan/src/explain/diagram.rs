//! Draws each form of a job as boxes and arrows.

use std::collections::BTreeMap;

use super::drawing::{Arrow, DiagramLanguage, Drawing};
use super::graph_text::title;
use super::links::{chains, kept, links};
use super::placement_text::{index, key_groups, operators, workers};
use super::plan_text::subtasks;
use crate::deploy::Placement;
use crate::descriptor::Locations;
use crate::graph::{InputRef, JobGraphSpec, OperatorSpec, Port};
use crate::planner::{ChainOp, JobPlan};

/// The graph as a diagram: a box for each operator, an arrow for each input, labelled with the
/// type of its records. An input that names no operator is drawn as a box of its own.
pub fn draw_graph(
    graph: &JobGraphSpec,
    locations: &Locations,
    language: DiagramLanguage,
) -> String {
    let mut drawing = Drawing::new(title("graph", graph));
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for spec in &graph.operators {
        let place = drawing.add(None, operator_lines(spec, locations));
        places.entry(&spec.id).or_insert(place);
    }
    for (to, spec) in graph.operators.iter().enumerate() {
        for reference in &spec.inputs {
            let input = InputRef::parse(reference);
            let from = *places.entry(input.operator).or_insert_with(|| {
                drawing.add(None, vec![input.operator.to_owned(), "not an operator".to_owned()])
            });
            let label = arrow_lines(input.port, graph.operators.get(from));
            drawing.arrows.push(Arrow { from, to, label, chained: false });
        }
    }
    drawing.write(language)
}

/// The plan as a diagram: a frame for each chain, an arrow for each edge with its reasons, thick
/// where two operators are chained. Warnings are comments at the end.
pub fn draw_plan(graph: &JobGraphSpec, plan: &JobPlan, language: DiagramLanguage) -> String {
    let mut drawing = Drawing::new(title("plan", graph));
    let mut notes: BTreeMap<&str, String> =
        (graph.operators.iter()).filter_map(|spec| Some((spec.id.as_str(), kept(spec)?))).collect();
    let mut places = BTreeMap::new();
    for tasks in chains(plan) {
        drawing.frames.push(subtasks(tasks));
        let frame = Some(drawing.frames.len() - 1);
        for op in tasks.iter().take(1).flat_map(|task| task.chain.operators()) {
            let note = notes.remove(op.id.as_str());
            places.insert(op.id.as_str(), drawing.add(frame, chain_op_lines(plan, op, note)));
        }
    }
    for link in links(graph, plan) {
        let (Some(&from), Some(&to)) = (places.get(link.upstream), places.get(link.downstream))
        else {
            continue;
        };
        let output = (link.reference != link.upstream).then_some(link.reference);
        let label = output.into_iter().chain(link.reasons).map(str::to_owned).collect();
        drawing.arrows.push(Arrow { from, to, label, chained: link.chained });
    }
    let warnings = plan.warnings.iter().map(ToString::to_string);
    drawing.comments = warnings.flat_map(|text| lines_of(&text)).collect();
    drawing.write(language)
}

/// A placement as a diagram: a frame for each worker, in it a box for each slot that is taken.
///
/// Channels are not drawn, for there are as many as subtasks can meet: each frame counts them.
pub fn draw_placement(
    graph: &JobGraphSpec,
    plan: &JobPlan,
    placement: &Placement,
    language: DiagramLanguage,
) -> String {
    let mut drawing = Drawing::new(title("placement", graph));
    for worker in workers(plan, placement) {
        drawing.frames.push(worker.heading());
        let frame = Some(drawing.frames.len() - 1);
        if worker.subtasks.is_empty() {
            drawing.add(frame, vec!["nothing runs here".to_owned()]);
        }
        for (slot, task) in worker.subtasks {
            let place = format!("slot {}: subtask {}", slot.index, task.subtask_idx);
            let lines = [operators(task), index(task), key_groups(task), place];
            drawing.add(frame, lines.into_iter().filter(|line| !line.is_empty()).collect());
        }
    }
    drawing.write(language)
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// What a box of a graph says.
fn operator_lines(spec: &OperatorSpec, locations: &Locations) -> Vec<String> {
    let mut lines = vec![spec.id.clone(), spec.type_name.clone()];
    lines.extend(labelled("uid", &spec.uid));
    lines.extend(labelled("keyed by", &spec.key_by));
    lines.push(format!("parallelism {}", spec.parallelism));
    lines.extend(locations.get(&spec.id).map(ToString::to_string));
    lines
}

/// What a box of a plan says.
fn chain_op_lines(plan: &JobPlan, op: &ChainOp, note: Option<String>) -> Vec<String> {
    let mut lines = vec![op.id.clone(), format!("{}: {}", op.kind, op.type_name)];
    lines.extend(labelled("uid", &op.uid));
    lines.extend(labelled("keyed by", &op.key_by));
    lines.extend(note);
    lines.extend(plan.locations.get(&op.id).map(ToString::to_string));
    lines
}

fn labelled(label: &str, text: &str) -> Option<String> {
    (!text.is_empty()).then(|| format!("{label} {text}"))
}

/// What an arrow of a graph says: the output that is read, and the type of its records.
fn arrow_lines(port: Port<'_>, upstream: Option<&OperatorSpec>) -> Vec<String> {
    let main = upstream.map(|spec| spec.out_channel.clone());
    match port {
        Port::Main => main.into_iter().collect(),
        Port::Branch(branch) => std::iter::once(format!("branch {branch}")).chain(main).collect(),
        Port::Side(tag) => {
            let output =
                upstream.and_then(|spec| spec.side_outputs.iter().find(|output| output.tag == tag));
            let records = output.map(|output| output.channel_type.clone());
            std::iter::once(format!("side output {tag}")).chain(records).collect()
        }
    }
}
