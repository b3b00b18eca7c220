//! Places the points of each layer from left to right, and the layers from top to bottom.
//!
//! Source: the weighted means of Sugiyama, Tagawa and Toda 1981, step 3. Where the means of a
//!         layer would make points overlap, the nearest places that keep their order and
//!         distances are those of an isotonic regression, found by pooling adjacent violators
//!         (Ayer et al. 1955).

use super::bands::{Band, bands};
use super::dock::Docks;
use super::mesh::{Mesh, Part, Point, What};
use super::sketch::Sketch;
use super::straighten;
use super::table::{PointId, Table};

/// Between two nodes of a layer.
const NODE_GAP: f64 = 36.0;
/// Between two labels of a layer, and between an arrow that passes and anything else.
const POINT_GAP: f64 = 20.0;
/// How many sweeps there are, at least and at most, and how many points they visit together.
const SWEEPS: (usize, usize) = (4, 60);
/// How far points still move in a sweep that is the last, unless all have been made.
const SETTLED: f64 = 0.2;
const WORK_MAX: usize = 150_000;

/// What a link pulls a point to.
#[derive(Clone, Copy)]
pub(super) struct Pull {
    pub(super) to: PointId,
    /// How far at the right of `to` the point is where the link is upright.
    pub(super) shift: f64,
    weight: f64,
}

impl Pull {
    /// Where the link is upright.
    pub(super) fn x(&self, xs: &Table<PointId, f64>) -> f64 {
        xs[self.to] + self.shift
    }
}

/// What pulls each point.
pub(super) type Links = Table<PointId, Vec<Pull>>;

/// The links of each point, with where they meet it.
pub(super) struct Pulls {
    pub(super) above: Links,
    pub(super) below: Links,
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
    order: &Table<PointId, usize>,
    docks: &Docks,
) -> (Table<PointId, f64>, Vec<PartPlaces>) {
    let pulls = Pulls::of(sketch, mesh, docks);
    let mut xs: Table<PointId, f64> = Table::filled(mesh.points.len(), 0.0);
    let parts = mesh.parts.iter().map(|part| {
        sweep(mesh, part, &pulls, &mut xs);
        straighten::straighten(mesh, part, order, &pulls, &mut xs);
        let (bands, height) = bands(mesh, part, &pulls, &xs);
        let width = settle(mesh, part, &mut xs);
        PartPlaces { bands, width, height }
    });
    let parts = parts.collect();
    (xs, parts)
}

impl Pulls {
    fn of(sketch: &Sketch, mesh: &Mesh, docks: &Docks) -> Pulls {
        let count = mesh.points.len();
        let mut pulls = Pulls {
            above: Table::filled(count, Vec::new()),
            below: Table::filled(count, Vec::new()),
        };
        for ((edge, course), [upper, lower]) in
            sketch.edges.iter().zip(&mesh.courses).zip(&docks.edges)
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

/// Moves the points of a part to where their links pull them.
fn sweep(mesh: &Mesh, part: &Part, pulls: &Pulls, xs: &mut Table<PointId, f64>) {
    let points: usize = part.layers.iter().map(Vec::len).sum();
    if points < 2 {
        return;
    }
    let sweeps = (WORK_MAX / points).clamp(SWEEPS.0, SWEEPS.1);
    for sweep in 0..sweeps {
        // Up and down in turns; then both together, which evens out what is left.
        let downwards = sweep.is_multiple_of(2);
        let both = 3 * sweep >= sweeps;
        let (above, below) = (downwards || both, !downwards || both);
        let mut moved: f64 = 0.0;
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
                moved = moved.max((xs[point] - x).abs());
                xs[point] = x;
            }
        }
        if both && moved < SETTLED {
            break;
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
        sum += pull.x(xs) * pull.weight;
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

/// How far two neighbours of a layer stay apart.
pub(super) fn gap(left: &Point, right: &Point) -> f64 {
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
