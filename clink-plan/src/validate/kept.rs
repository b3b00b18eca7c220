//! Warns of what a newer release said and this one carries without understanding it.

use super::report::{Context, Report};
use crate::graph::KeptKeys;

/// Checks P0032.
pub(super) fn check(context: &Context<'_>, report: &mut Report<'_>) {
    let graph = context.graph;
    let functions = graph.udfs.iter().flat_map(|udf| names(&udf.kept));
    if let Some(message) = said(names(&graph.kept).chain(functions)) {
        report.graph_warning("P0032", message).help(HELP);
    }
    for (op, spec) in context.specs() {
        let outputs = spec.side_outputs.iter().flat_map(|output| names(&output.kept));
        if let Some(message) = said(names(&spec.kept).chain(outputs)) {
            report.warning("P0032", op, message).help(HELP);
        }
    }
}

const HELP: &str = "a newer clink wrote this graph: what they ask for will not happen here";

fn names(kept: &KeptKeys) -> impl Iterator<Item = &str> {
    kept.iter().map(|(key, _)| key)
}

fn said<'k>(keys: impl Iterator<Item = &'k str>) -> Option<String> {
    let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
    (!keys.is_empty()).then(|| format!("this release does not know {}", keys.join(", ")))
}
