//! Asks that side outputs and branches are declared the way they are read.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{Context, Report, listed};
use crate::graph::{OpIndex, OperatorSpec, Port, SELECTOR_FN};

/// Checks P0018 to P0024.
pub(super) fn check(context: &Context<'_>, report: &mut Report<'_>) {
    for (op, spec) in context.specs() {
        side_inputs(context, op, report);
        side_outputs(op, spec, report);
        if context.topology.is_split(op) {
            branches(context, op, spec, report);
        }
        if spec.is_keyed() && spec.inputs.is_empty() {
            report
                .error("P0024", op, format!("it reads nothing, yet is keyed by `{}`", spec.key_by))
                .help("put `key_by` on the operator that keeps state by key");
        }
    }
}

fn side_inputs(context: &Context<'_>, op: OpIndex, report: &mut Report<'_>) {
    for input in context.topology.inputs(op) {
        let (Port::Side(tag), Some(from)) = (input.port, input.from) else {
            continue;
        };
        let declared = &context.topology.spec(from).side_outputs;
        if declared.iter().any(|output| output.tag == tag) {
            continue;
        }
        let message = format!("{} declares no side output `{tag}`", context.name(from));
        let tags = declared.iter().map(|output| output.tag.as_str());
        let help = context.did_you_mean(tag, tags.clone()).unwrap_or_else(|| {
            if declared.is_empty() {
                "it declares none: add it there".to_owned()
            } else {
                format!("it declares {}", listed(tags))
            }
        });
        report.error("P0018", op, message).help(help);
    }
}

fn side_outputs(op: OpIndex, spec: &OperatorSpec, report: &mut Report<'_>) {
    let mut declared: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for output in &spec.side_outputs {
        declared.entry(&output.tag).or_default().push(format!("of {}", output.channel_type));
        if output.tag.is_empty() {
            let message = format!("a side output of `{}` has no tag", output.channel_type);
            report.error("P0020", op, message).help("readers name a side output by its tag");
        } else if output.channel_type.is_empty() {
            let message = format!("side output `{}` has no element type", output.tag);
            report.error("P0020", op, message).help("name the type in its `channel_type`");
        }
    }
    for (tag, types) in declared {
        if types.len() > 1 && !tag.is_empty() {
            let message = format!(
                "side output `{tag}` is declared {} times: {}",
                types.len(),
                types.join(", ")
            );
            report.error("P0019", op, message).help("declare it once, or give each its own tag");
        }
    }
}

fn branches(context: &Context<'_>, op: OpIndex, spec: &OperatorSpec, report: &mut Report<'_>) {
    let mut read = BTreeSet::new();
    let mut plain = Vec::new();
    for reader in context.topology.readers(op) {
        match reader.port {
            Port::Branch(branch) => drop(read.insert(branch)),
            Port::Main => plain.push(reader.op),
            Port::Side(_) => {}
        }
    }
    if spec.params.get(SELECTOR_FN).is_none_or(String::is_empty) {
        report
            .error("P0022", op, format!("it is read by branch but has no `{SELECTOR_FN}`"))
            .help(format!("add the parameter `{SELECTOR_FN}` with the name of a selector"));
    }
    for &reader in &plain {
        let message = format!("it reads `{0}`, a split, and gets branch 0", spec.id);
        report.warning("P0023", reader, message).help(format!("write `{}.0`", spec.id));
        read.insert(0);
    }
    let mut expected = 0;
    for &branch in &read {
        if branch > expected {
            let missing = match branch - expected {
                1 => format!("branch {expected}"),
                _ => format!("branches {expected} to {}", branch - 1),
            };
            report
                .error("P0021", op, format!("its branch {branch} is read, but not {missing}"))
                .help("a selector counts branches from 0: read every branch, or renumber them");
        }
        expected = branch.saturating_add(1);
    }
}
