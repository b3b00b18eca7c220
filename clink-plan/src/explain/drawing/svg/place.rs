//! Places the points of each layer from left to right, and the layers from top to bottom.
//!
//! Source: the weighted means of Sugiyama, Tagawa and Toda 1981, step 3. Where the means of a
//!         layer would make points overlap, the nearest places that keep their order and
//!         distances are those of an isotonic regression, found by pooling adjacent violators
//!         (Ayer et al. 1955).

use super::dock::Docks;
use super::mesh::{Mesh, Part, Point, What};
use super::sketch::Sketch;
use super::table::{PointId, Table};

/// Between two nodes of a layer.
const NODE_GAP: f64 = 36.0;
/// Between two labels of a layer, and between an arrow that passes and anything else.
const POINT_GAP: f64 = 20.0;
/// Between two layers, at least.
const LAYER_GAP: f64 = 30.0;
/// Around a layer that holds nothing but arrows that pass.
const PASSED_LAYER_GAP: f64 = 16.0;
/// How much two layers are moved apart for an arrow that goes far to the side, as a part of how
/// far it goes, and at most.
const STEEP: (f64, f64) = (0.1, 90.0);
/// How far at most a point is moved in the end to make a link upright.
const BEND_MIN: f64 = 16.0;
/// What is upright to the eye.
const UPRIGHT: f64 = 0.05;
/// How many sweeps there are, at least and at most, and how many points they visit together.
const SWEEPS: (usize, usize) = (4, 40);
const WORK_MAX: usize = 400_000;

/// What a link pulls a point to.
#[derive(Clone, Copy)]
struct Pull {
    to: PointId,
    /// What the point is to be at the right of `to`.
    shift: f64,
    weight: f64,
}

/// The links of each point, with where they meet it.
struct Pulls {
    above: Table<PointId, Vec<Pull>>,
    below: Table<PointId, Vec<Pull>>,
}

/// From where to where a layer reaches down.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Band {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Where a part has its points and layers; it starts at the left at zero.
pub(super) struct PartPlaces {
    pub(super) bands: Vec<Band>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Places all points from left to right, and the layers of each part.
pub(super) fn place(
    sketch: &Sketch,
    mesh: &Mesh,
    docks: &Docks,
) -> (Table<PointId, f64>, Vec<PartPlaces>) {
    let pulls = pulls(sketch, mesh, docks);
    let mut xs: Table<PointId, f64> = Table::filled(mesh.points.len(), 0.0);
    let parts = mesh.parts.iter().map(|part| {
        place_part(mesh, part, &pulls, &mut xs);
        let (bands, height) = bands(mesh, part, &pulls, &xs);
        let width = settle(mesh, part, &mut xs);
        PartPlaces { bands, width, height }
    });
    let parts = parts.collect();
    (xs, parts)
}

fn pulls(sketch: &Sketch, mesh: &Mesh, docks: &Docks) -> Pulls {
    let count = mesh.points.len();
    let mut pulls =
        Pulls { above: Table::filled(count, Vec::new()), below: Table::filled(count, Vec::new()) };
    for ((edge, course), [upper, lower]) in sketch.edges.iter().zip(&mesh.courses).zip(&docks.edges)
    {
        let ends = [Mesh::node(edge.upper.node), Mesh::node(edge.lower.node)];
        let mut last = (!course.round).then_some((ends[0], upper.x()));
        let points = course.points.iter().map(|&point| (point, 0.0));
        for (point, dock) in points.chain([(ends[1], lower.x())]) {
            if let Some((above, above_dock)) = last {
                let weight = stiffness(mesh, above, point);
                let shift = above_dock - dock;
                pulls.above[point].push(Pull { to: above, shift, weight });
                pulls.below[above].push(Pull { to: point, shift: -shift, weight });
            }
            last = Some((point, dock));
        }
    }
    pulls
}

/// How much a link wants to be upright: long arrows bend least.
fn stiffness(mesh: &Mesh, above: PointId, below: PointId) -> f64 {
    let node = |point: PointId| matches!(mesh.points[point].what, What::Node(_));
    match (node(above), node(below)) {
        (false, false) => 8.0,
        (true, true) => 1.0,
        _ => 2.0,
    }
}

fn place_part(mesh: &Mesh, part: &Part, pulls: &Pulls, xs: &mut Table<PointId, f64>) {
    let points: usize = part.layers.iter().map(Vec::len).sum();
    if points < 2 {
        return;
    }
    let sweeps = (WORK_MAX / points).clamp(SWEEPS.0, SWEEPS.1);
    for sweep in 0..sweeps {
        // Up and down in turns; at the end both together, which evens out what is left.
        let (above, below) = match sweep {
            _ if sweep + 3 >= sweeps => (true, true),
            _ => (sweep.is_multiple_of(2), !sweep.is_multiple_of(2)),
        };
        let downwards = sweep.is_multiple_of(2);
        for at in 0..part.layers.len() {
            let at = if downwards { at } else { part.layers.len() - 1 - at };
            let Some(layer) = part.layers.get(at) else { continue };
            let wishes: Vec<(f64, f64)> = layer
                .iter()
                .map(|&point| {
                    let from_above = pulls.above[point].iter().filter(|_| above);
                    let from_below = pulls.below[point].iter().filter(|_| below);
                    wish(xs[point], from_above.chain(from_below), xs)
                })
                .collect();
            for (&point, x) in layer.iter().zip(nearest(mesh, layer, &wishes)) {
                xs[point] = x;
            }
        }
    }
    let links = [(&pulls.above, None), (&pulls.below, Some(&pulls.above))];
    part.layers.iter().for_each(|layer| straighten(mesh, layer, links[0], xs));
    part.layers.iter().rev().for_each(|layer| straighten(mesh, layer, links[1], xs));
}

/// Makes links upright that are nearly so, where there is room and no link is bent for it that
/// already is `kept` upright.
fn straighten(
    mesh: &Mesh,
    layer: &[PointId],
    (links, kept): (&Table<PointId, Vec<Pull>>, Option<&Table<PointId, Vec<Pull>>>),
    xs: &mut Table<PointId, f64>,
) {
    let upright = |xs: &Table<PointId, f64>, id: PointId, pull: &Pull| {
        (xs[pull.to] + pull.shift - xs[id]).abs() < UPRIGHT
    };
    for (at, &id) in layer.iter().enumerate() {
        let [pull] = links[id].as_slice() else { continue };
        if kept.is_some_and(|kept| kept[id].iter().any(|pull| upright(xs, id, pull))) {
            continue;
        }
        let x = xs[pull.to] + pull.shift;
        let point = &mesh.points[id];
        let neighbour = |at: Option<usize>| Some(*layer.get(at?)?);
        let from = neighbour(at.checked_sub(1)).map_or(f64::NEG_INFINITY, |left| {
            let other = &mesh.points[left];
            xs[left] + other.right + gap(other, point) + point.left
        });
        let to = neighbour(Some(at + 1)).map_or(f64::INFINITY, |right| {
            let other = &mesh.points[right];
            xs[right] - other.left - gap(point, other) - point.right
        });
        if (x - xs[id]).abs() <= BEND_MIN && from <= x && x <= to {
            xs[id] = x;
        }
    }
}

/// Where a point wants to be, and how much; without a pull it stays if nothing moves it.
fn wish<'p>(
    now: f64,
    pulls: impl Iterator<Item = &'p Pull>,
    xs: &Table<PointId, f64>,
) -> (f64, f64) {
    let (mut sum, mut weight) = (0.0, 0.0);
    for pull in pulls {
        sum += (xs[pull.to] + pull.shift) * pull.weight;
        weight += pull.weight;
    }
    if weight > 0.0 { (sum / weight, weight) } else { (now, 0.01) }
}

/// The places nearest to what the points of a layer wish that keep their order and distances.
fn nearest(mesh: &Mesh, layer: &[PointId], wishes: &[(f64, f64)]) -> Vec<f64> {
    // A place less the room of all points at its left may not be smaller than the one before.
    let mut room = 0.0;
    let mut rooms = Vec::with_capacity(layer.len());
    let mut last: Option<&Point> = None;
    for &point in layer {
        let point = &mesh.points[point];
        room += last.map_or(0.0, |last| last.right + gap(last, point) + point.left);
        rooms.push(room);
        last = Some(point);
    }
    // Of each pool: the sum of its weights, the weighted sum of its wishes, how many points.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (&(wish, weight), room) in wishes.iter().zip(&rooms) {
        let mut pool = (weight, (wish - room) * weight, 1);
        while let Some(&(weight, sum, count)) = pools.last()
            && sum / weight > pool.1 / pool.0
        {
            pool = (pool.0 + weight, pool.1 + sum, pool.2 + count);
            pools.pop();
        }
        pools.push(pool);
    }
    let means =
        pools.into_iter().flat_map(|(weight, sum, count)| std::iter::repeat_n(sum / weight, count));
    means.zip(rooms).map(|(mean, room)| mean + room).collect()
}

fn gap(left: &Point, right: &Point) -> f64 {
    match (left.what, right.what) {
        (What::Node(_), What::Node(_)) => NODE_GAP,
        _ => POINT_GAP,
    }
}

/// Moves a part to the left border; gives its width.
fn settle(mesh: &Mesh, part: &Part, xs: &mut Table<PointId, f64>) -> f64 {
    let points = || part.layers.iter().flatten();
    let left = points().map(|&point| xs[point] - mesh.points[point].left);
    let left = left.fold(f64::INFINITY, f64::min);
    let mut width: f64 = 0.0;
    for &point in points() {
        xs[point] -= left;
        width = width.max(xs[point] + mesh.points[point].right);
    }
    width
}

/// From where to where each layer of a part reaches, and how far down the last one does.
fn bands(mesh: &Mesh, part: &Part, pulls: &Pulls, xs: &Table<PointId, f64>) -> (Vec<Band>, f64) {
    let mut bands: Vec<Band> = Vec::new();
    let mut bottom = 0.0;
    let mut low_before = true;
    for layer in &part.layers {
        let height = layer.iter().map(|&point| mesh.points[point].height).fold(0.0, f64::max);
        let low = height == 0.0;
        let far = layer.iter().flat_map(|&point| {
            pulls.above[point].iter().map(move |pull| (xs[pull.to] + pull.shift - xs[point]).abs())
        });
        let steep = (far.fold(0.0, f64::max) * STEEP.0).min(STEEP.1);
        let gap = if low || low_before { PASSED_LAYER_GAP } else { LAYER_GAP };
        let top = bottom + if bands.is_empty() { 0.0 } else { (gap + steep).round() };
        bottom = top + height;
        low_before = low;
        bands.push(Band { top, bottom });
    }
    (bands, bottom)
}
