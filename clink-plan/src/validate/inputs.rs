//! Asks that operators are joined up: every input names one, and none stands alone.

use std::collections::BTreeSet;

use super::report::{Context, Report, listed};
use crate::graph::{InputRef, Port};

/// Checks P0015 and P0017.
pub(super) fn check(context: &Context<'_>, report: &mut Report<'_>) {
    let ids: BTreeSet<&str> = context.specs().map(|(_, spec)| spec.id.as_str()).collect();
    for (op, spec) in context.specs() {
        for input in context.topology.inputs(op).iter().filter(|input| input.from.is_none()) {
            let InputRef { operator, port } = InputRef::parse(input.text);
            let message = match port {
                Port::Main => format!("its input `{operator}` names no operator"),
                _ => format!("its input `{}` names no operator `{operator}`", input.text),
            };
            let help = help(context, &ids, &spec.id, input.text);
            report.error("P0015", op, message).help(help);
        }
    }
    // A misspelt input leaves the operator it meant without a reader, through no fault of its own.
    if report.has_code("P0015") {
        return;
    }
    for (op, spec) in context.specs() {
        let alone = spec.inputs.is_empty() && context.topology.readers(op).is_empty();
        if alone && !report.hides(op) {
            report
                .error("P0017", op, "it reads nothing and nothing reads it".to_owned())
                .help("a source needs a reader, a sink an input");
        }
    }
}

/// What to write instead of a reference that names no operator.
fn help(context: &Context<'_>, ids: &BTreeSet<&str>, reader: &str, text: &str) -> String {
    let InputRef { operator, port } = InputRef::parse(text);
    if ids.contains(text) {
        return misread(text, operator, port);
    }
    if let Some((operator, tag)) = text.split_once(':')
        && ids.contains(operator)
        && !tag.is_empty()
    {
        return format!("a side output is read with two colons: `{operator}::{tag}`");
    }
    // An operator that reads itself is never what was meant.
    let others = ids.iter().copied().filter(|id| *id != reader);
    let nearest = context.did_you_mean(operator, others);
    nearest.unwrap_or_else(|| format!("the graph has {}", listed(ids.iter().copied())))
}

/// Why a reference does not mean the operator of the very same name.
fn misread(text: &str, operator: &str, port: Port<'_>) -> String {
    let meaning = match port {
        Port::Branch(branch) => format!("branch {branch} of `{operator}`"),
        Port::Side(tag) => format!("side output `{tag}` of `{operator}`"),
        Port::Main => format!("`{operator}`"),
    };
    format!("`{text}` is read as {meaning}: for the operator of that name write `{text}::`")
}
