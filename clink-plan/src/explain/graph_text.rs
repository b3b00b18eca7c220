//! Prints a job graph as text for people.

use super::layout::{definitions, plural, table};
use crate::graph::{JobGraphSpec, OperatorSpec};

/// The graph as text: a row for each operator, with what else is known of it below the table.
pub fn explain_graph(graph: &JobGraphSpec) -> String {
    let operators = &graph.operators;
    let mut text = format!("{}: {}\n", title("graph", graph), plural(operators.len(), "operator"));
    if operators.is_empty() {
        return text;
    }
    let head = ["operator", "type", "parallelism", "emits", "reads"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(head).chain(operators.iter().map(row)).collect();
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
    if graph.name.is_empty() { form.to_owned() } else { format!("{form} of `{}`", graph.name) }
}

fn row(spec: &OperatorSpec) -> [String; 5] {
    let mut parallelism = spec.parallelism.to_string();
    if spec.max_parallelism > 0 {
        parallelism += &format!(" ({} to {})", spec.min_parallelism, spec.max_parallelism);
    }
    [
        spec.id.clone(),
        spec.type_name.clone(),
        parallelism,
        spec.out_channel.clone(),
        spec.inputs.join(", "),
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
