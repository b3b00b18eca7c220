//! Gives every node a layer, so that arrows point downwards.
//!
//! Source: Sugiyama, Tagawa and Toda 1981, step 1: cycles are broken where a depth-first walk
//!         finds them, layers are those of the longest path; then a node with more arrows out
//!         than in moves down to its readers, which shortens more arrows than it lengthens.

use super::sketch::Sketch;
use super::table::{NodeId, Table};

/// The layer of each node, from the top; arrows that would point upwards are reversed.
pub(super) fn layers(sketch: &mut Sketch) -> Table<NodeId, usize> {
    break_cycles(sketch);
    let mut readers: Table<NodeId, Vec<NodeId>> = Table::filled(sketch.nodes.len(), Vec::new());
    let mut inputs: Table<NodeId, usize> = Table::filled(sketch.nodes.len(), 0);
    for edge in &sketch.edges {
        readers[edge.upper.node].push(edge.lower.node);
        inputs[edge.lower.node] += 1;
    }
    let mut layers: Table<NodeId, usize> = Table::filled(sketch.nodes.len(), 0);
    let mut waiting = inputs.clone();
    let mut order: Vec<NodeId> = waiting.keys().filter(|&node| waiting[node] == 0).collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &reader in &readers[node] {
            layers[reader] = layers[reader].max(layers[node] + 1);
            waiting[reader] -= 1;
            if waiting[reader] == 0 {
                order.push(reader);
            }
        }
    }
    for &node in order.iter().rev() {
        let nearest = readers[node].iter().map(|&reader| layers[reader] - 1).min();
        if let Some(nearest) = nearest.filter(|_| readers[node].len() > inputs[node]) {
            layers[node] = nearest;
        }
    }
    layers
}

/// Reverses every arrow to a node from which a depth-first walk has come.
fn break_cycles(sketch: &mut Sketch) {
    let mut out: Table<NodeId, Vec<usize>> = Table::filled(sketch.nodes.len(), Vec::new());
    let mut inputs: Table<NodeId, usize> = Table::filled(sketch.nodes.len(), 0);
    for (at, edge) in sketch.edges.iter().enumerate() {
        out[edge.upper.node].push(at);
        inputs[edge.lower.node] += 1;
    }
    let mut seen: Table<NodeId, Seen> = Table::filled(sketch.nodes.len(), Seen::Not);
    // A walk from the sources first, so that few arrows point upwards.
    let sources = inputs.keys().filter(|&node| inputs[node] == 0);
    for root in sources.chain(inputs.keys()).collect::<Vec<_>>() {
        if seen[root] != Seen::Not {
            continue;
        }
        seen[root] = Seen::Open;
        let mut walk = vec![(root, 0)];
        while let Some((node, next)) = walk.last_mut() {
            let Some(&at) = out[*node].get(*next) else {
                seen[*node] = Seen::Done;
                walk.pop();
                continue;
            };
            *next += 1;
            let Some(edge) = sketch.edges.get_mut(at) else { continue };
            match seen[edge.lower.node] {
                Seen::Not => {
                    seen[edge.lower.node] = Seen::Open;
                    walk.push((edge.lower.node, 0));
                }
                Seen::Open => {
                    std::mem::swap(&mut edge.upper, &mut edge.lower);
                    edge.reversed = true;
                }
                Seen::Done => {}
            }
        }
    }
}

/// Where a walk stands with a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Not,
    Open,
    Done,
}
