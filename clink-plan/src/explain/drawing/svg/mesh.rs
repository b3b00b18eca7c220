//! Breaks arrows into short links between neighbouring layers, with a point for each label.
//!
//! Limit:  a link for each layer that an arrow passes would be quadratic in the worst case; where
//!         there would be more than `LINKS_MAX` of them, the longest arrows go round instead.

use super::node::{Node, label_size};
use super::sketch::{Edge, Sketch};
use super::table::{ArrowId, Key, NodeId, PointId, Table};

/// How many layers all arrows together may pass before those longer than `SPAN_MAX` go round.
const LINKS_MAX: usize = 50_000;
/// How many layers an arrow may pass in a drawing with too many links.
const SPAN_MAX: usize = 16;

/// What stands at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Node(NodeId),
    Label(ArrowId),
    /// An arrow passes.
    Bend,
}

/// A point, in one layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) what: What,
    pub(super) layer: usize,
    /// How far it reaches to the left and to the right.
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) height: f64,
}

/// The points between the two ends of an edge, from the top.
pub(super) struct Course {
    pub(super) points: Vec<PointId>,
    /// Whether the edge goes round the drawing to reach the first of them.
    pub(super) round: bool,
}

/// Points that hang together, layer by layer from the left.
#[derive(Default)]
pub(super) struct Part {
    pub(super) nodes: Vec<NodeId>,
    pub(super) layers: Vec<Vec<PointId>>,
    /// Its edges, by their places in the sketch.
    pub(super) edges: Vec<usize>,
}

/// The points of a drawing and their links; the first points are the nodes.
pub(super) struct Mesh {
    pub(super) points: Table<PointId, Point>,
    /// To what a point is linked in the layer above and below.
    pub(super) above: Table<PointId, Vec<PointId>>,
    pub(super) below: Table<PointId, Vec<PointId>>,
    /// One for each edge.
    pub(super) courses: Vec<Course>,
    pub(super) parts: Vec<Part>,
}

impl Mesh {
    /// Breaks the edges of a sketch whose nodes have these layers.
    ///
    /// Nodes get layers with even numbers; labels go between them.
    pub(super) fn of(sketch: &Sketch, layers: &Table<NodeId, usize>) -> Mesh {
        let node = |(id, node): (NodeId, &Node)| Point {
            what: What::Node(id),
            layer: 2 * layers[id],
            left: node.width / 2.0,
            right: node.width / 2.0,
            height: node.height,
        };
        let mut mesh = Mesh {
            points: sketch.nodes.iter().map(node).collect(),
            above: Table::filled(sketch.nodes.len(), Vec::new()),
            below: Table::filled(sketch.nodes.len(), Vec::new()),
            courses: Vec::new(),
            parts: Vec::new(),
        };
        let span = |edge: &Edge| 2 * (layers[edge.lower.node] - layers[edge.upper.node]);
        let links: usize = sketch.edges.iter().map(span).sum();
        let span_max = if links > LINKS_MAX { SPAN_MAX } else { usize::MAX };
        for edge in &sketch.edges {
            let round = span(edge) > span_max;
            mesh.add(sketch, edge, round);
        }
        mesh.part(sketch);
        mesh
    }

    /// The point of a node.
    pub(super) fn node(id: NodeId) -> PointId {
        PointId::new(id.at())
    }

    fn add(&mut self, sketch: &Sketch, edge: &Edge, round: bool) {
        let (upper, lower) = (Mesh::node(edge.upper.node), Mesh::node(edge.lower.node));
        let (top, bottom) = (self.points[upper].layer, self.points[lower].layer);
        let first = if round { bottom - 1 } else { top + 1 };
        // The middle one of the layers between nodes.
        let middle = if round { first } else { top + (bottom - top).div_ceil(4) * 2 - 1 };
        let size = sketch.labels[edge.arrow].as_ref().map(label_size);
        let mut points = Vec::new();
        let mut last = (!round).then_some(upper);
        for layer in first..bottom {
            let (what, (width, height)) = match size {
                Some(size) if layer == middle => (What::Label(edge.arrow), size),
                _ => (What::Bend, (0.0, 0.0)),
            };
            let (left, right) = (width / 2.0, width / 2.0);
            let point = self.points.push(Point { what, layer, left, right, height });
            self.above.push(Vec::new());
            self.below.push(Vec::new());
            self.link(last, point);
            last = Some(point);
            points.push(point);
        }
        self.link(last, lower);
        self.courses.push(Course { points, round });
    }

    fn link(&mut self, upper: Option<PointId>, lower: PointId) {
        if let Some(upper) = upper {
            self.below[upper].push(lower);
            self.above[lower].push(upper);
        }
    }

    /// Sorts points and edges into parts, the points of a layer as a depth-first walk meets them.
    fn part(&mut self, sketch: &Sketch) {
        let mut part_of: Table<PointId, usize> = Table::filled(self.points.len(), 0);
        let of_nodes = self.parts_of_nodes(sketch);
        for (node, &part) in of_nodes.iter() {
            part_of[Mesh::node(node)] = part;
        }
        for (at, (edge, course)) in sketch.edges.iter().zip(&self.courses).enumerate() {
            let part = of_nodes[edge.upper.node];
            course.points.iter().for_each(|&point| part_of[point] = part);
            if let Some(part) = self.parts.get_mut(part) {
                part.edges.push(at);
            }
        }
        let mut seen: Table<PointId, bool> = Table::filled(self.points.len(), false);
        for root in self.points.keys().filter(|&point| self.above[point].is_empty()) {
            let mut walk = vec![root];
            while let Some(point) = walk.pop() {
                if std::mem::replace(&mut seen[point], true) {
                    continue;
                }
                let layer = self.points[point].layer;
                if let Some(Part { layers, .. }) = self.parts.get_mut(part_of[point]) {
                    if layers.len() <= layer {
                        layers.resize(layer + 1, Vec::new());
                    }
                    layers.get_mut(layer).into_iter().for_each(|layer| layer.push(point));
                }
                walk.extend(self.below[point].iter().rev());
            }
        }
    }

    /// The part of each node, numbered from the first node on.
    fn parts_of_nodes(&mut self, sketch: &Sketch) -> Table<NodeId, usize> {
        let count = sketch.nodes.len();
        let mut joined: Table<NodeId, Vec<NodeId>> = Table::filled(count, Vec::new());
        for Edge { upper, lower, .. } in &sketch.edges {
            joined[upper.node].push(lower.node);
            joined[lower.node].push(upper.node);
        }
        let mut parts: Table<NodeId, Option<usize>> = Table::filled(count, None);
        for root in sketch.nodes.keys() {
            if parts[root].is_some() {
                continue;
            }
            let mut part = Part::default();
            let mut walk = vec![root];
            while let Some(node) = walk.pop() {
                if parts[node].replace(self.parts.len()).is_none() {
                    part.nodes.push(node);
                    walk.extend(&joined[node]);
                }
            }
            self.parts.push(part);
        }
        parts.values().map(|part| part.unwrap_or_default()).collect()
    }
}
