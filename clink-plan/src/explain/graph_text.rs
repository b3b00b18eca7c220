//! Prints a job graph as text for people: a tree in the direction of the data.
//!
//! Shape:  an operator stands below the first that it reads: behind `↓` if it is the only one
//!         there, else on a twig of its own. All that an operator reads is in its row as well.

use super::layout::{definitions, plural, table};
use crate::descriptor::Locations;
use crate::graph::{JobGraphSpec, OpIndex, OperatorSpec, PerOp, Topology};
use crate::plain::Plain;

/// How many twigs deep the tree is drawn; deeper ones say their depth.
const DEPTH_MAX: usize = 12;

/// The graph as text: a row for each operator, with what else is known of it below the table.
pub fn explain_graph(graph: &JobGraphSpec, locations: &Locations) -> String {
    let operators = &graph.operators;
    let mut text = format!("{}: {}\n", title("graph", graph), plural(operators.len(), "operator"));
    if operators.is_empty() {
        return text;
    }
    let place = if locations.is_empty() { "" } else { "written at" };
    let head = ["operator", "type", "parallelism", "emits", "reads", place];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(tree(&Topology::of(graph)).into_iter().map(|(twig, spec)| {
        let location = locations.get(&spec.id).map(ToString::to_string);
        row(&twig, spec, location.unwrap_or_default())
    }));
    text.push('\n');
    text += &table(2, &rows);
    let details: Vec<(String, String)> = operators.iter().filter_map(detail).collect();
    if !details.is_empty() {
        text += "\n";
        text += &definitions(2, &details);
    }
    text
}

/// What a text is about: the form, and the job's name if it has one.
pub(super) fn title(form: &str, graph: &JobGraphSpec) -> String {
    if graph.name.is_empty() {
        form.to_owned()
    } else {
        format!("{form} of `{}`", Plain(&graph.name))
    }
}

/// An operator that is to be drawn.
struct Twig {
    op: OpIndex,
    /// What stands before its name.
    lead: String,
    /// What stands before the names of those below it.
    below: String,
    depth: usize,
}

/// The operators in the order of the tree, each with what stands before its name.
///
/// Those that a cycle keeps from being reached come last.
fn tree<'g>(topology: &Topology<'g>) -> Vec<(String, &'g OperatorSpec)> {
    let mut children = PerOp::filled(topology.len(), Vec::new());
    let mut roots = Vec::new();
    for op in topology.ops() {
        match topology.inputs(op).iter().find_map(|input| input.from) {
            Some(parent) => children[parent].push(op),
            None => roots.push(op),
        }
    }
    let mut drawn = PerOp::filled(topology.len(), false);
    let mut rows = Vec::new();
    for op in roots.into_iter().chain(topology.ops()) {
        let root = Twig { op, lead: String::new(), below: String::new(), depth: 0 };
        // A stack of its own: a graph may be deeper than that of the thread.
        let mut waiting = vec![root];
        while let Some(twig) = waiting.pop() {
            if std::mem::replace(&mut drawn[twig.op], true) {
                continue;
            }
            let below = std::mem::take(&mut children[twig.op]);
            waiting.extend(twigs(&twig, &below).rev());
            rows.push((twig.lead, topology.spec(twig.op)));
        }
    }
    rows
}

/// The operators below one.
fn twigs<'t>(
    above: &'t Twig,
    ops: &'t [OpIndex],
) -> impl DoubleEndedIterator<Item = Twig> + ExactSizeIterator {
    let last = ops.len().saturating_sub(1);
    ops.iter().enumerate().map(move |(place, &op)| {
        let start = &above.below;
        let depth = if last == 0 { above.depth } else { above.depth + 1 };
        let (lead, below) = if last == 0 {
            (format!("{start}↓ "), start.clone())
        } else if depth > DEPTH_MAX {
            (format!("{start}├ ({depth}) "), start.clone())
        } else if place == last {
            (format!("{start}└ "), format!("{start}  "))
        } else {
            (format!("{start}├ "), format!("{start}│ "))
        };
        Twig { op, lead, below, depth }
    })
}

fn row(twig: &str, spec: &OperatorSpec, location: String) -> [String; 6] {
    let mut parallelism = spec.parallelism.to_string();
    if spec.max_parallelism > 0 {
        parallelism += &format!(" ({} to {})", spec.min_parallelism, spec.max_parallelism);
    }
    [
        format!("{twig}{}", spec.id),
        spec.type_name.clone(),
        parallelism,
        spec.out_channel.clone(),
        spec.inputs.join(", "),
        location,
    ]
}

/// The optional facts of an operator, if it has any.
fn detail(spec: &OperatorSpec) -> Option<(String, String)> {
    let mut facts = Vec::new();
    if !spec.display_name.is_empty() {
        facts.push(format!("shown as {:?}", spec.display_name));
    }
    if !spec.uid.is_empty() {
        facts.push(format!("uid {}", spec.uid));
    }
    if spec.is_keyed() {
        facts.push(format!("keyed by {}", spec.key_by));
    }
    for output in &spec.side_outputs {
        facts.push(format!("side output {} of {}", output.tag, output.channel_type));
    }
    for (name, value) in &spec.params {
        facts.push(format!("{name}={value:?}"));
    }
    (!facts.is_empty()).then(|| (spec.id.clone(), facts.join(", ")))
}
