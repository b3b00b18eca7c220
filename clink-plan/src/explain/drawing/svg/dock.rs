//! Decides where arrows meet their nodes.
//!
//! An arrow into the first box of a node comes from above, and one out of the last box leaves
//! below. Every other box of a frame is reached from the side, over a lane of the arrow's own
//! beside the frame, so that no arrow crosses another box.

use std::cmp::Reverse;

use super::lane::{Lanes, Looped};
use super::layout::Place;
use super::mesh::Mesh;
use super::node::Node;
use super::sketch::Sketch;
use super::table::{NodeId, PointId, Table};

/// Between the arrows at the upper or lower side of a node, if there is room.
const PORT_GAP: f64 = 26.0;
/// Between the outermost arrows at the upper or lower side of a node and its corners.
const PORT_MARGIN: f64 = 14.0;

/// Where an arrow meets a node, counted from the middle of the node's upper side.
#[derive(Clone, Debug, Default)]
pub(super) struct Dock {
    /// From the box outwards; the last place is on the arrow's way to the next layer.
    pub(super) places: Vec<Place>,
}

impl Dock {
    /// Where the arrow leaves the node's layer.
    pub(super) fn x(&self) -> f64 {
        self.places.last().map_or(0.0, |place| place.x)
    }
}

/// All docks of a drawing.
pub(super) struct Docks {
    /// The upper and the lower dock of each edge.
    pub(super) edges: Vec<[Dock; 2]>,
    pub(super) loops: Table<NodeId, Vec<Looped>>,
}

/// One end of an edge, at its node.
#[derive(Clone, Copy)]
pub(super) struct Meeting {
    /// The place of the edge in the sketch.
    pub(super) edge: usize,
    /// Whether it is the upper end of the edge, so that the arrow goes on below.
    pub(super) leaves: bool,
    /// The place of the box among those of the node.
    pub(super) place: usize,
    /// Where the edge comes from or goes to, as a place in the neighbouring layer.
    pub(super) towards: usize,
}

/// Gives both ends of every edge a dock, and widens the points of nodes by their lanes.
pub(super) fn docks(sketch: &Sketch, mesh: &mut Mesh, places: &Table<PointId, usize>) -> Docks {
    let mut docks = Docks {
        edges: vec![<[Dock; 2]>::default(); sketch.edges.len()],
        loops: sketch.nodes.keys().map(|_| Vec::new()).collect(),
    };
    let meetings = meetings(sketch, mesh, places);
    for (id, node) in sketch.nodes.iter() {
        let [above, below, left, right] = sorted(node, &meetings[id]);
        docks.spread(node, &above, 0.0);
        docks.spread(node, &below, node.boxes.last().map_or(0.0, |one| one.rect.bottom()));
        let mut lanes = Lanes::of(node, [&left, &right]);
        for (meeting, places) in lanes.ways() {
            docks.set(meeting, places);
        }
        let point = &mut mesh.points[Mesh::node(id)];
        docks.loops[id] = lanes.loops(&sketch.labels);
        (point.left, point.right) = lanes.reach;
        point.height = point.height.max(lanes.bottom);
    }
    docks
}

/// The ends of edges at each node.
fn meetings(
    sketch: &Sketch,
    mesh: &Mesh,
    places: &Table<PointId, usize>,
) -> Table<NodeId, Vec<Meeting>> {
    let mut meetings: Table<NodeId, Vec<Meeting>> = Table::filled(sketch.nodes.len(), Vec::new());
    for (at, (edge, course)) in sketch.edges.iter().zip(&mesh.courses).enumerate() {
        let below = match course.points.first() {
            // What goes round does so at the right.
            Some(&point) if !course.round => places[point],
            _ => usize::MAX,
        };
        let above = course.points.last().map_or(0, |&point| places[point]);
        for (end, leaves, towards) in [(edge.upper, true, below), (edge.lower, false, above)] {
            meetings[end.node].push(Meeting { edge: at, leaves, place: end.place, towards });
        }
    }
    meetings
}

/// The ends that come from above and leave below, from the left; then those that need a lane at
/// the left and at the right, from the node outwards.
fn sorted(node: &Node, meetings: &[Meeting]) -> [Vec<Meeting>; 4] {
    let last = node.boxes.len().saturating_sub(1);
    let straight = |meeting: &&Meeting| meeting.place == if meeting.leaves { last } else { 0 };
    let (straight, mut aside): (Vec<&Meeting>, Vec<&Meeting>) = meetings.iter().partition(straight);
    let [mut above, mut below, mut left, mut right] = <[Vec<Meeting>; 4]>::default();
    for meeting in straight {
        if meeting.leaves { &mut below } else { &mut above }.push(*meeting);
    }
    above.sort_by_key(|meeting| meeting.towards);
    below.sort_by_key(|meeting| meeting.towards);
    aside.sort_by_key(|meeting| meeting.towards);
    for &meeting in &aside {
        // A lane on the side where the arrow goes crosses none of the others.
        let at_left = if meeting.leaves {
            below.first().is_some_and(|first| meeting.towards < first.towards)
        } else {
            above.last().is_none_or(|last| meeting.towards <= last.towards)
        };
        if at_left { &mut left } else { &mut right }.push(*meeting);
    }
    left.reverse();
    // What leaves a lower box turns down first, what enters an upper box comes last.
    for side in [&mut left, &mut right] {
        side.sort_by_key(|one| match one.leaves {
            true => (false, Reverse(one.place), 0),
            false => (true, Reverse(0), one.place),
        });
    }
    [above, below, left, right]
}

impl Docks {
    fn set(&mut self, meeting: Meeting, places: Vec<Place>) {
        if let Some([upper, lower]) = self.edges.get_mut(meeting.edge) {
            *if meeting.leaves { upper } else { lower } = Dock { places };
        }
    }

    /// Spreads ends over the upper or lower side of a node.
    #[expect(clippy::cast_precision_loss, reason = "a node has fewer than 2^52 arrows")]
    fn spread(&mut self, node: &Node, ends: &[Meeting], y: f64) {
        let gaps = ends.len().saturating_sub(1).max(1) as f64;
        let gap = PORT_GAP.min((node.width - 2.0 * PORT_MARGIN) / gaps);
        let first = -gap * (ends.len().saturating_sub(1)) as f64 / 2.0;
        for (at, &meeting) in ends.iter().enumerate() {
            self.set(meeting, vec![Place::new(first + gap * at as f64, y)]);
        }
    }
}
