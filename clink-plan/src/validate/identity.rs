//! Asks that operators can be told apart: ids, types, uids.

use std::collections::BTreeMap;

use super::report::{Context, Report};
use crate::graph::OpIndex;
use crate::id::{OperatorId, OperatorUid};

/// Checks P0001 to P0008.
pub(super) fn check(context: &Context<'_>, report: &mut Report<'_>) {
    if context.topology.len() == 0 {
        report
            .graph_error("P0001", "it has no operators".to_owned())
            .help("a job needs at least a source and a sink that reads it");
    }
    names(context, report);
    ids(context, report);
    uids(context, report);
}

fn names(context: &Context<'_>, report: &mut Report<'_>) {
    for (place, (op, spec)) in context.specs().enumerate() {
        if spec.id.is_empty() {
            let message = format!("the operator at place {} has no id", place + 1);
            report.error("P0002", op, message).help(format!("its type is `{}`", spec.type_name));
        }
        if spec.id.contains(':') {
            report
                .error("P0004", op, "its id holds a colon".to_owned())
                .help("`a::b` reads side output `b` of `a`: use `-`, `_` or `.` in ids");
        }
        if let Some(found) = spec.id.chars().find(|letter| letter.is_control()) {
            report
                .error("P0004", op, format!("its id holds the control character {found:?}"))
                .help("ids are shown in lines and tables: use letters, digits, `-`, `_` or `.`");
        }
        if spec.type_name.is_empty() {
            report
                .error("P0005", op, "it has no type".to_owned())
                .help("the type is the name under which the operator's factory is registered");
        }
        if spec.out_channel.is_empty() {
            report
                .error("P0006", op, "it has no `out_channel`".to_owned())
                .help("name the element type it emits; a sink names the one it reads");
        }
    }
}

fn ids(context: &Context<'_>, report: &mut Report<'_>) {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, (op, spec)) in context.specs().enumerate() {
        if spec.id.is_empty() {
            continue;
        }
        let other = *first.entry(&spec.id).or_insert(place);
        if other != place {
            let (other, place) = (other + 1, place + 1);
            report
                .error(
                    "P0003",
                    op,
                    format!("the operators at places {other} and {place} share this id"),
                )
                .help("inputs refer to operators by id: give each its own");
        }
    }
}

fn uids(context: &Context<'_>, report: &mut Report<'_>) {
    let mut first: BTreeMap<String, OpIndex> = BTreeMap::new();
    // Without a uid, state is filed under the id that is derived from the operator's place.
    let unnamed = context.specs().enumerate().filter(|(_, (_, spec))| spec.uid.is_empty());
    let derived: BTreeMap<String, OpIndex> = unnamed
        .map(|(place, (op, spec))| (OperatorId::of(place, "", &spec.id).to_string(), op))
        .collect();
    for (op, spec) in context.specs() {
        if spec.uid.is_empty() {
            continue;
        }
        // The uid names a folder, and some file systems take upper case for lower.
        let folder = spec.uid.to_lowercase();
        if let Some(other) = derived.get(&folder) {
            let other = context.name(*other);
            let message =
                format!("its uid `{}` is the id under which state of {other} is filed", spec.uid);
            report.error("P0007", op, message).help("give it a uid of another form");
        }
        let other = *first.entry(folder).or_insert(op);
        if other != op {
            let (uid, others) = (&spec.uid, &context.topology.spec(other).uid);
            let message = if uid == others {
                format!("its uid `{uid}` is that of {} too", context.name(other))
            } else {
                let name = context.name(other);
                format!("its uid `{uid}` is that of {name}, `{others}`, but for upper case")
            };
            report
                .error("P0007", op, message)
                .help("state is filed under the uid: give each operator its own");
        }
        if let Err(error) = OperatorUid::new(spec.uid.as_str()) {
            report
                .error("P0008", op, format!("{:?}: {error}", spec.uid))
                .help("the uid names a folder in every checkpoint");
        }
    }
}
