//! Asks that no operator reads, through others, its own output.

use std::ops::Range;

use super::report::{Context, Report};
use crate::graph::{OpIndex, PerOp};

/// How many operators of a cycle a message names.
const NAME_COUNT_MAX: usize = 10;

/// How far the search has come with an operator.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Unseen,
    /// On the path, at this place.
    OnPath(usize),
    Done,
}

/// Checks P0016: finds at least one cycle of every knot, and no operator on two.
///
/// The search follows readers depth first with a path of its own, since a chain of operators may
/// be longer than the stack is deep. Each operator is on the path once and in one cycle at most, so
/// the work is that of operators and references.
pub(super) fn check(context: &Context<'_>, report: &mut Report<'_>) {
    let topology = &context.topology;
    if topology.upstream_first().len() == topology.len() {
        return;
    }
    let mut marks = PerOp::filled(topology.len(), Mark::Unseen);
    for start in topology.ops() {
        if marks[start] != Mark::Unseen {
            continue;
        }
        marks[start] = Mark::OnPath(0);
        let mut path = vec![(start, 0)];
        // The parts of the path that are cycles and were reported, as places, from the start.
        let mut reported: Vec<Range<usize>> = Vec::new();
        while let Some((op, next)) = path.last_mut() {
            let reader = topology.readers(*op).get(*next);
            *next += 1;
            match reader.map(|reader| (reader.op, marks[reader.op])) {
                Some((reader, Mark::Unseen)) => {
                    marks[reader] = Mark::OnPath(path.len());
                    path.push((reader, 0));
                }
                Some((_, Mark::OnPath(place)))
                    if reported.last().is_none_or(|last| place >= last.end) =>
                {
                    let cycle = path.get(place..).unwrap_or_default();
                    say(context, report, cycle.iter().map(|(op, _)| *op).collect());
                    reported.push(place..path.len());
                }
                Some(_) => {}
                None => {
                    marks[*op] = Mark::Done;
                    path.pop();
                    // They lie one behind the other, so only the last can reach so far.
                    reported.pop_if(|last| {
                        last.end = last.end.min(path.len());
                        last.start == last.end
                    });
                }
            }
        }
    }
}

/// Reports a cycle at its first operator in graph order.
fn say(context: &Context<'_>, report: &mut Report<'_>, mut cycle: Vec<OpIndex>) {
    let first = (0..cycle.len()).min_by_key(|&at| cycle.get(at)).unwrap_or(0);
    cycle.rotate_left(first);
    let Some(&start) = cycle.first() else { return };
    let id = |op: &OpIndex| format!("`{}`", context.topology.spec(*op).id);
    let mut names: Vec<String> = cycle.iter().take(NAME_COUNT_MAX).map(id).collect();
    if cycle.len() > NAME_COUNT_MAX {
        names.push(format!("… ({} more)", cycle.len() - NAME_COUNT_MAX));
    }
    names.push(id(&start));
    report
        .error("P0016", start, format!("it reads its own output: {}", names.join(" → ")))
        .help("data flows one way in a job graph: drop one of these inputs");
}
