//! Asks that side outputs and branches are declared the way they are read.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{Context, Report, listed};
use crate::graph::{OpIndex, OperatorSpec, Port, SELECTOR_FN};

/// How many branches a message lists.
const BRANCH_COUNT_MAX: usize = 8;

/// Checks P0018 to P0024, P0033 and P0034.
pub(super) fn check(context: &Context<'_>, report: &mut Report<'_>) {
    let shadowed = context.shadowed();
    for (op, spec) in context.specs() {
        side_inputs(context, op, report);
        side_outputs(op, spec, report);
        if context.topology.is_split(op) {
            let shadowed = shadowed.get(spec.id.as_str()).and_then(|ids| ids.first());
            branches(context, op, spec, shadowed.copied(), report);
        } else if spec.params.contains_key(SELECTOR_FN) && !report.has_code("P0015") {
            let message = format!("nobody reads it by branch, so its `{SELECTOR_FN}` is not asked");
            report
                .warning("P0033", op, message)
                .help(format!("read it as `{0}.0`, `{0}.1`, …: now each reader gets all", spec.id));
        }
        let unread = context.topology.readers(op).is_empty() && !report.has_code("P0015");
        if unread && !report.hides(op) && context.kind(op).has_two_inputs() {
            let message = format!("it is a {} and nothing reads it", context.kind(op));
            report
                .warning("P0034", op, message)
                .help("what it finds goes nowhere: add a sink that reads it");
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

fn branches(
    context: &Context<'_>,
    op: OpIndex,
    spec: &OperatorSpec,
    shadowed: Option<&str>,
    report: &mut Report<'_>,
) {
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
        let help = match shadowed {
            Some(other) => format!(
                "`{other}` is read as a branch of it: for the operator of that name write \
                 `{other}::`"
            ),
            None => format!("add the parameter `{SELECTOR_FN}` with the name of a selector"),
        };
        report
            .error("P0022", op, format!("it is read by branch but has no `{SELECTOR_FN}`"))
            .help(help);
        if shadowed.is_some() {
            // It was not meant as a split at all.
            return;
        }
    }
    for &reader in &plain {
        let message = format!("it reads `{0}`, a split, and gets branch 0", spec.id);
        report.warning("P0023", reader, message).help(format!("write `{}.0`", spec.id));
        read.insert(0);
    }
    let mut expected = 0;
    let mut missing = Vec::new();
    for &branch in &read {
        match branch - expected {
            0 => {}
            1 => missing.push(format!("branch {expected}")),
            _ => missing.push(format!("branches {expected} to {}", branch - 1)),
        }
        expected = branch.saturating_add(1);
    }
    if !missing.is_empty() {
        let shown: Vec<String> = read.iter().take(BRANCH_COUNT_MAX).map(u32::to_string).collect();
        let more = if read.len() > BRANCH_COUNT_MAX { ", …" } else { "" };
        missing.truncate(BRANCH_COUNT_MAX);
        let message = format!(
            "its branches {}{more} are read, but not {}",
            shown.join(", "),
            missing.join(", ")
        );
        report
            .error("P0021", op, message)
            .help("a selector counts branches from 0: read every branch, or renumber them");
    }
}
