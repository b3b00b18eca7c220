//! Takes the source and the sink of a chain of parallelism 1 into the chain.
//!
//! An end is taken in only if the chain would be its one neighbour anyway. The reference looks no
//! further than the first input and so loses the others; here a chain or a sink with several
//! inputs stays as it is.

use super::chain::{Chains, Choice, upstream};
use super::{ChainOpKind, Source};
use crate::graph::{OpIndex, Port};

/// Fuses what can be fused, chain by chain.
pub(super) fn fuse_ends(source: &Source<'_>, chains: &mut Chains) {
    for op in source.topology.ops() {
        let chain = chains.of(op);
        let (head, tail) = (chain.head(), chain.tail());
        let alone = source.topology.spec(head).parallelism == 1;
        if op != head || !alone || !source.is_inner(head) || !source.is_inner(tail) {
            continue;
        }
        if let Some(end) = source_of(source, head) {
            chains.of_mut(head).fused_source = Some(end);
            chains.adopt(head, end);
            chains.decide(head, 0, fused("source", source, end));
        }
        if let Some(end) = sink_of(source, tail) {
            chains.of_mut(head).fused_sink = Some(end);
            chains.adopt(head, end);
            chains.decide(end, 0, fused("sink", source, end));
        }
    }
}

fn fused(what: &str, source: &Source<'_>, end: OpIndex) -> Choice {
    let reason =
        format!("fused: {what} `{}` and chain meet nobody else", { &source.topology.spec(end).id });
    Choice { chained: true, reason }
}

/// The source that only `head` reads, and that is all `head` reads.
fn source_of(source: &Source<'_>, head: OpIndex) -> Option<OpIndex> {
    let [input] = source.topology.inputs(head) else {
        return None;
    };
    let end = upstream(input);
    let spec = source.topology.spec(end);
    let fits = source.kinds[end] == ChainOpKind::Source
        && input.port == Port::Main
        && spec.parallelism == 1
        && spec.side_outputs.is_empty()
        && source.topology.readers(end).len() == 1;
    fits.then_some(end)
}

/// The sink that alone reads `tail`, and reads nothing else.
fn sink_of(source: &Source<'_>, tail: OpIndex) -> Option<OpIndex> {
    let [reader] = source.topology.readers(tail) else {
        return None;
    };
    let spec = source.topology.spec(reader.op);
    let fits = source.kinds[reader.op] == ChainOpKind::Sink
        && reader.port == Port::Main
        && spec.parallelism == 1
        && spec.inputs.len() == 1;
    fits.then_some(reader.op)
}
