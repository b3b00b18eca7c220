//! Takes bends out of arrows where there is room to go straight.
//!
//! Means leave long arrows with many slight bends. The points of an arrow that can stand one below
//! the other do so here, and nodes and labels move a little where that makes a link upright.

use super::mesh::{Mesh, Part, What};
use super::place::{Links, Pull, Pulls, gap};
use super::table::{PointId, Table};

/// How far a node or a label moves to make a link upright.
const NUDGE_MAX: f64 = 26.0;
/// How far the points of a long arrow move to stand below its start or above its end.
const SHIFT_MAX: f64 = 60.0;
/// What is upright to the eye.
const UPRIGHT: f64 = 0.05;

/// Straightens the arrows of a part, the long ones first.
pub(super) fn straighten(
    mesh: &Mesh,
    part: &Part,
    order: &Table<PointId, usize>,
    pulls: &Pulls,
    xs: &mut Table<PointId, f64>,
) {
    let courses = part.edges.iter().filter_map(|&at| mesh.courses.get(at));
    for course in courses.filter(|course| course.points.len() > 1) {
        let mut run = Run::default();
        for &id in &course.points {
            let (from, to) = room(mesh, part, order, id, xs);
            if run.from.max(from) > run.to.min(to) {
                run.end(pulls, xs);
                run = Run::default();
            }
            (run.from, run.to) = (run.from.max(from), run.to.min(to));
            run.points.push(id);
        }
        run.end(pulls, xs);
    }
    // Twice, for one that moved may have made room for its neighbour.
    for _ in 0..2 {
        for &id in part.layers.iter().flatten() {
            nudge(mesh, part, order, id, &pulls.above, None, xs);
        }
        for &id in part.layers.iter().rev().flatten() {
            nudge(mesh, part, order, id, &pulls.below, Some(&pulls.above), xs);
        }
    }
}

/// Points of one arrow, one below the other, and where all of them have room.
struct Run {
    points: Vec<PointId>,
    from: f64,
    to: f64,
}

impl Default for Run {
    fn default() -> Run {
        Run { points: Vec::new(), from: f64::NEG_INFINITY, to: f64::INFINITY }
    }
}

impl Run {
    /// Moves the points below what comes before them or above what comes after, if that is near,
    /// else to their mean.
    #[expect(clippy::cast_precision_loss, reason = "an arrow has fewer than 2^52 points")]
    fn end(&self, pulls: &Pulls, xs: &mut Table<PointId, f64>) {
        let (Some(&first), Some(&last)) = (self.points.first(), self.points.last()) else { return };
        let sum: f64 = self.points.iter().map(|&point| xs[point]).sum();
        let mean = sum / self.points.len() as f64;
        let ends = pulls.above[first].first().into_iter().chain(pulls.below[last].first());
        let near = ends
            .map(|pull| pull.x(xs))
            .find(|&x| (x - mean).abs() <= SHIFT_MAX && self.from <= x && x <= self.to);
        let x = near.unwrap_or_else(|| mean.max(self.from).min(self.to));
        self.points.iter().for_each(|&point| xs[point] = x);
    }
}

/// Moves a node, or the label of a short arrow, so that its only link on one side is upright, if
/// none of those `kept` is so far.
fn nudge(
    mesh: &Mesh,
    part: &Part,
    order: &Table<PointId, usize>,
    id: PointId,
    links: &Links,
    kept: Option<&Links>,
    xs: &mut Table<PointId, f64>,
) {
    let [pull] = links[id].as_slice() else { return };
    let node = |id: PointId| matches!(mesh.points[id].what, What::Node(_));
    let short = mesh.above[id].iter().chain(&mesh.below[id]).all(|&other| node(other));
    let upright = |pull: &Pull| (pull.x(xs) - xs[id]).abs() < UPRIGHT;
    if !(node(id) || short) || kept.is_some_and(|kept| kept[id].iter().any(upright)) {
        return;
    }
    let x = pull.x(xs);
    let (from, to) = room(mesh, part, order, id, xs);
    if (x - xs[id]).abs() <= NUDGE_MAX && from <= x && x <= to {
        xs[id] = x;
    }
}

/// Between which places a point may move without coming too close to its neighbours.
fn room(
    mesh: &Mesh,
    part: &Part,
    order: &Table<PointId, usize>,
    id: PointId,
    xs: &Table<PointId, f64>,
) -> (f64, f64) {
    let point = &mesh.points[id];
    let layer = part.layers.get(point.layer).map_or(&[][..], Vec::as_slice);
    let left = order[id].checked_sub(1).and_then(|at| layer.get(at));
    let from = left.map_or(f64::NEG_INFINITY, |&left| {
        let other = &mesh.points[left];
        xs[left] + other.right + gap(other, point) + point.left
    });
    let to = layer.get(order[id] + 1).map_or(f64::INFINITY, |&right| {
        let other = &mesh.points[right];
        xs[right] - other.left - gap(point, other) - point.right
    });
    (from, to)
}
