//! Asks that every operator has a number of subtasks that it can have.

use super::report::{Context, Report};
use crate::graph::{OpIndex, OperatorSpec};
use crate::key_group::KEY_GROUP_COUNT;

/// The most subtasks a plan may have, counted before chaining.
pub const SUBTASK_COUNT_MAX: u64 = 1 << 22;

/// The most channels between subtasks a plan may have, counted before chaining: both ends of
/// each are written down, and four million take some 400 MB.
pub const CHANNEL_COUNT_MAX: u64 = 1 << 22;

/// Checks P0009 to P0014.
pub(super) fn check(context: &Context<'_>, report: &mut Report<'_>) {
    for (op, spec) in context.specs() {
        if spec.parallelism == 0 {
            report
                .error("P0009", op, "its parallelism is 0".to_owned())
                .help("an operator needs at least one subtask to run");
        }
        if spec.is_keyed() && spec.parallelism > u32::from(KEY_GROUP_COUNT) {
            let message = format!("it is keyed and its parallelism is {}", spec.parallelism);
            report.error("P0010", op, message).help(format!(
                "keys fall into {KEY_GROUP_COUNT} groups, so more subtasks than that would idle"
            ));
        }
        bounds(op, spec, report);
    }
    size(context, report);
}

fn bounds(op: OpIndex, spec: &OperatorSpec, report: &mut Report<'_>) {
    let (min, max) = (spec.min_parallelism, spec.max_parallelism);
    let missing = match (min, max) {
        (0, 0) => return,
        (0, _) => Some("min_parallelism"),
        (_, 0) => Some("max_parallelism"),
        _ => None,
    };
    if let Some(missing) = missing {
        report
            .error("P0011", op, format!("`{missing}` is 0 and its counterpart is not"))
            .help("give both bounds, or neither if the operator is not to be rescaled");
    } else if min > max {
        report
            .error("P0013", op, format!("`min_parallelism` {min} is above `max_parallelism` {max}"))
            .help("swap them");
    } else if spec.parallelism < min || spec.parallelism > max {
        let message = format!(
            "its parallelism {} lies outside its rescale bounds {min} to {max}",
            spec.parallelism
        );
        report.error("P0012", op, message).help("change the parallelism or the bounds");
    }
}

/// Refuses plans that no machine could hold, before any of it is built.
fn size(context: &Context<'_>, report: &mut Report<'_>) {
    let mut subtasks = 0u64;
    let mut channels = 0u64;
    for (op, spec) in context.specs() {
        let here = u64::from(spec.parallelism);
        subtasks = subtasks.saturating_add(here);
        for from in context.topology.inputs(op).iter().filter_map(|input| input.from) {
            let there = u64::from(context.topology.spec(from).parallelism);
            let forward = !spec.is_keyed() && here == there;
            // Two factors below 2^32 have a product below 2^64.
            channels = channels.saturating_add(if forward { here } else { here * there });
        }
    }
    for (what, count, limit) in
        [("subtasks", subtasks, SUBTASK_COUNT_MAX), ("channels", channels, CHANNEL_COUNT_MAX)]
    {
        if count > limit {
            report
                .graph_error("P0014", format!("it asks for {count} {what}, the limit is {limit}"))
                .help("lower the parallelism of its operators");
        }
    }
}
