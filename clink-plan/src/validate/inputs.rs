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
            let help = if ids.contains(input.text) {
                misread(input.text, operator, port)
            } else {
                let nearest = context.did_you_mean(operator, ids.iter().copied());
                nearest.unwrap_or_else(|| format!("the graph has {}", listed(ids.iter().copied())))
            };
            let message = match port {
                Port::Main => format!("its input `{operator}` names no operator"),
                _ => format!("its input `{}` names no operator `{operator}`", input.text),
            };
            report.error("P0015", op, message).help(help);
        }
        let alone = spec.inputs.is_empty() && context.topology.readers(op).is_empty();
        if alone && !report.hides(op) {
            report
                .error("P0017", op, "it reads nothing and nothing reads it".to_owned())
                .help("a source needs a reader, a sink an input");
        }
    }
}

/// Why a reference does not mean the operator of the very same name.
fn misread(text: &str, operator: &str, port: Port<'_>) -> String {
    let meaning = match port {
        Port::Branch(branch) => format!("branch {branch} of `{operator}`"),
        Port::Side(tag) => format!("side output `{tag}` of `{operator}`"),
        Port::Main => format!("`{operator}`"),
    };
    format!("`{text}` is read as {meaning}: rename the operator so that it can be referred to")
}
