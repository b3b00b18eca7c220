//! Asks that state is found again after the job changes.

use super::report::{Context, Report};
use crate::graph::unpack_versions;

/// Checks P0030 and P0031.
pub(super) fn check(context: &Context<'_>, report: &mut Report<'_>) {
    for (op, spec) in context.specs() {
        if !spec.uid.is_empty() || !context.facts.stateful.contains(&spec.id) {
            continue;
        }
        let message = "it keeps state but has no uid".to_owned();
        let entry = if context.facts.checkpoints {
            report.error("P0030", op, message)
        } else {
            report.warning("P0030", op, message)
        };
        entry.help(
            "give it a uid: without one its state is filed under its place in the job, and is \
             lost when an operator before it comes or goes",
        );
    }
    if let Err(error) = unpack_versions(&context.graph.expected_state_versions) {
        report
            .graph_error("P0031", format!("`expected_state_versions`: {error}"))
            .help("the text is written by the job's build; do not edit it by hand");
    }
}
