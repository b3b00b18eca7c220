//! Makes composite nodes of a drawing's frames and boxes, and sorts its arrows by what they join.

use std::cmp::Reverse;

use super::measure::{BODY, Block, SMALL};
use super::node::{BoxOf, Node};
use super::table::{ArrowId, Key, NodeId, Table};
use crate::explain::drawing::Drawing;

/// The widest line of a box, in columns.
const BOX_COLUMNS_MAX: usize = 44;
/// The widest line of a label or of the title of a frame, in columns.
const LABEL_COLUMNS_MAX: usize = 40;

/// Where an arrow meets a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) node: NodeId,
    /// The place of the box among those of the node.
    pub(super) place: usize,
}

/// An arrow between two nodes.
pub(super) struct Edge {
    pub(super) arrow: ArrowId,
    /// Where it starts; where its head is, if it is reversed.
    pub(super) upper: End,
    pub(super) lower: End,
    /// Whether it closes a cycle, so that it points upwards.
    pub(super) reversed: bool,
}

/// A drawing, measured and sorted.
pub(super) struct Sketch {
    pub(super) nodes: Table<NodeId, Node>,
    pub(super) edges: Vec<Edge>,
    pub(super) labels: Table<ArrowId, Option<Block>>,
}

impl Sketch {
    /// Measures everything and sorts the arrows.
    pub(super) fn of(drawing: &Drawing) -> Sketch {
        let label = |lines: &Vec<String>| {
            (!lines.is_empty()).then(|| Block::new(SMALL, lines, LABEL_COLUMNS_MAX))
        };
        let labels: Table<ArrowId, Option<Block>> =
            drawing.arrows.iter().map(|arrow| label(&arrow.label)).collect();
        let (mut nodes, homes) = nodes(drawing);
        let mut edges = Vec::new();
        for (arrow, ends) in drawing.arrows.iter().enumerate() {
            let arrow = ArrowId::new(arrow);
            let (Some(&upper), Some(&lower)) = (homes.get(ends.from), homes.get(ends.to)) else {
                continue;
            };
            if upper.node == lower.node {
                nodes[upper.node].add(arrow, upper.place, lower.place);
            } else {
                edges.push(Edge { arrow, upper, lower, reversed: false });
            }
        }
        let nodes = nodes.into_values().map(|node| node.measured(&labels)).collect();
        Sketch { nodes, edges, labels }
    }

    /// Sorts edges by where they leave their upper node: below it first, then beside it from the
    /// lowest box up.
    ///
    /// So the first order of a layer is already one in which they need not cross.
    pub(super) fn sort_edges(&mut self) {
        let Sketch { nodes, edges, .. } = self;
        edges.sort_by_key(|edge| {
            let beside = edge.upper.place + 1 < nodes[edge.upper.node].boxes.len();
            (beside, Reverse(if beside { edge.upper.place } else { 0 }))
        });
    }
}

/// A node for each box without a frame, then one for each frame; and the home of each box.
fn nodes(drawing: &Drawing) -> (Table<NodeId, Node>, Vec<End>) {
    let framed = |frame: Option<usize>| frame.filter(|&frame| frame < drawing.frames.len());
    let alone = drawing.boxes.iter().filter(|(frame, _)| framed(*frame).is_none()).count();
    let titles = drawing
        .frames
        .iter()
        .enumerate()
        .map(|(frame, title)| Some((frame, Block::new(SMALL, [title], LABEL_COLUMNS_MAX))));
    let mut nodes: Table<NodeId, Node> =
        std::iter::repeat_n(None, alone).chain(titles).map(Node::new).collect();
    let mut homes = Vec::new();
    let mut next = 0;
    for (number, (frame, lines)) in drawing.boxes.iter().enumerate() {
        let node = match framed(*frame) {
            Some(frame) => NodeId::new(alone + frame),
            None => {
                next += 1;
                NodeId::new(next - 1)
            }
        };
        let boxes = &mut nodes[node].boxes;
        homes.push(End { node, place: boxes.len() });
        boxes.push(BoxOf::new(number, Block::new(BODY, lines, BOX_COLUMNS_MAX)));
    }
    (nodes, homes)
}
