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
        keyed(op, spec, report);
        bounds(op, spec, report);
    }
    size(context, report);
}

fn keyed(op: OpIndex, spec: &OperatorSpec, report: &mut Report<'_>) {
    let most = u32::from(KEY_GROUP_COUNT);
    // That a source is keyed at all is said elsewhere.
    if !spec.is_keyed() || spec.inputs.is_empty() {
        return;
    }
    let message = if spec.parallelism > most {
        format!("it is keyed and its parallelism is {}", spec.parallelism)
    } else if spec.max_parallelism > most {
        format!("it is keyed and its `max_parallelism` is {}", spec.max_parallelism)
    } else {
        return;
    };
    report
        .error("P0010", op, message)
        .help(format!("keys fall into {most} groups, so more subtasks than that would idle"));
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
    } else if spec.parallelism > 0 && (spec.parallelism < min || spec.parallelism > max) {
        let message = format!(
            "its parallelism {} lies outside its rescale bounds {min} to {max}",
            spec.parallelism
        );
        report.error("P0012", op, message).help("change the parallelism or the bounds");
    }
}

/// Refuses plans that no machine could hold, before any of it is built.
fn size(context: &Context<'_>, report: &mut Report<'_>) {
    let mut subtasks = Total::default();
    let mut channels = Total::default();
    for (op, spec) in context.specs() {
        let here = u64::from(spec.parallelism);
        subtasks.add(op, here);
        let inputs = context.topology.inputs(op).iter().enumerate();
        let inputs = inputs.filter_map(|(index, input)| Some((index, input.from?)));
        let into = inputs.fold(0u64, |sum, (index, from)| {
            let there = u64::from(context.topology.spec(from).parallelism);
            let forward = !spec.is_keyed() && here == there && !spec.is_broadcast(index);
            // Two factors below 2^32 have a product below 2^64.
            sum.saturating_add(if forward { here } else { here * there })
        });
        channels.add(op, into);
    }
    // Channels follow from subtasks: too many of both is one mistake.
    let totals = [
        ("subtasks", "has", subtasks, SUBTASK_COUNT_MAX),
        ("channels", "is reached by", channels, CHANNEL_COUNT_MAX),
    ];
    if let Some((what, verb, total, limit)) =
        totals.into_iter().find(|(_, _, total, limit)| total.sum > *limit)
    {
        let Some((op, most)) = total.most else { return };
        let name = context.name(op);
        report
            .graph_error("P0014", format!("it asks for {} {what}, the limit is {limit}", total.sum))
            .help(format!("lower a parallelism: {name} alone {verb} {most}"));
    }
}

/// A sum over operators, and the one that adds most to it.
#[derive(Default)]
struct Total {
    sum: u64,
    most: Option<(OpIndex, u64)>,
}

impl Total {
    fn add(&mut self, op: OpIndex, count: u64) {
        self.sum = self.sum.saturating_add(count);
        if self.most.is_none_or(|(_, most)| count > most) {
            self.most = Some((op, count));
        }
    }
}
