//! Numbers the subtasks of all chains.

use super::Source;
use super::chain::Chains;
use crate::graph::OpIndex;

/// Gives each chain as many consecutive numbers as it has subtasks, in graph order of the chains'
/// first operators; returns those operators in that order.
pub(super) fn number_subtasks(source: &Source<'_>, chains: &mut Chains) -> Vec<OpIndex> {
    let mut next = 0u32;
    let mut heads = Vec::new();
    for op in source.topology.ops() {
        let chain = chains.of_mut(op);
        if chain.head() == op {
            chain.first_subtask = next;
            heads.push(op);
            let parallelism = source.topology.spec(op).parallelism;
            next = next.checked_add(parallelism).expect("validation bounds the subtasks of a plan");
        }
    }
    heads
}
