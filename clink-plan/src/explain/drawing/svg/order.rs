//! Orders the points of each layer so that few links cross.
//!
//! Source: Sugiyama, Tagawa and Toda 1981, step 2: sweeps down and up sort each layer by the mean
//!         place of what its points are linked to, and the best order is kept. Crossings are
//!         counted as in Barth, Jünger and Mutzel 2002. In small drawings neighbours then change
//!         places where that helps, as in Gansner et al. 1993, `transpose`.

use super::mesh::{Mesh, Part};
use super::table::{PointId, Table};

/// The most sweeps a drawing gets.
const SWEEPS_MAX: usize = 24;
/// How many links all sweeps together may look at, two sweeps apart.
const WORK_MAX: usize = 200_000;
/// How many links a drawing may have for its neighbours to change places one by one.
const TRANSPOSED_MAX: usize = 3_000;

/// Orders every layer of every part; gives the place of each point in its layer.
pub(super) fn order(mesh: &mut Mesh) -> Table<PointId, usize> {
    let mut places: Table<PointId, usize> = Table::filled(mesh.points.len(), 0);
    let mut parts = std::mem::take(&mut mesh.parts);
    for part in &mut parts {
        part.layers.iter().for_each(|layer| number(layer, &mut places));
        order_part(mesh, part, &mut places);
    }
    mesh.parts = parts;
    places
}

fn order_part(mesh: &Mesh, part: &mut Part, places: &mut Table<PointId, usize>) {
    let links: usize = part.layers.iter().flatten().map(|&point| mesh.below[point].len()).sum();
    let mut fewest = crossings(mesh, part, places);
    let mut best = part.layers.clone();
    let sweeps = (WORK_MAX / links.max(1)).clamp(2, SWEEPS_MAX);
    for sweep in 0..sweeps {
        if fewest == 0 {
            break;
        }
        sweep_layers(mesh, part, places, sweep);
        if links <= TRANSPOSED_MAX {
            transpose(mesh, part, places);
        }
        let now = crossings(mesh, part, places);
        if now < fewest {
            fewest = now;
            best.clone_from(&part.layers);
        }
    }
    part.layers = best;
    part.layers.iter().for_each(|layer| number(layer, places));
}

/// Sorts every layer by what its points are linked to: above, or below in every second sweep.
fn sweep_layers(mesh: &Mesh, part: &mut Part, places: &mut Table<PointId, usize>, sweep: usize) {
    let down = sweep.is_multiple_of(2);
    // Every second pair of sweeps turns equal points round, to try another order.
    let turn = sweep % 4 >= 2;
    let mut layers: Vec<&mut Vec<PointId>> = part.layers.iter_mut().collect();
    if !down {
        layers.reverse();
    }
    for layer in layers {
        let mut keyed: Vec<(f64, PointId)> = layer
            .iter()
            .map(|&point| {
                let linked = if down { &mesh.above[point] } else { &mesh.below[point] };
                (mean(linked, places).unwrap_or_else(|| real(places[point])), point)
            })
            .collect();
        if turn {
            keyed.reverse();
        }
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
        *layer = keyed.into_iter().map(|(_, point)| point).collect();
        number(layer, places);
    }
}

fn mean(points: &[PointId], places: &Table<PointId, usize>) -> Option<f64> {
    let sum: usize = points.iter().map(|&point| places[point]).sum();
    (!points.is_empty()).then(|| real(sum) / real(points.len()))
}

#[expect(clippy::cast_precision_loss, reason = "a sum of places is below 2^52")]
fn real(number: usize) -> f64 {
    number as f64
}

fn number(layer: &[PointId], places: &mut Table<PointId, usize>) {
    layer.iter().enumerate().for_each(|(place, &point)| places[point] = place);
}

/// Lets neighbours change places where fewer of their links cross then.
fn transpose(mesh: &Mesh, part: &mut Part, places: &mut Table<PointId, usize>) {
    for layer in &mut part.layers {
        for at in 1..layer.len() {
            let Some([left, right]) = layer.get_mut(at - 1..=at) else { continue };
            let crossed = |one: PointId, other: PointId| {
                between(&mesh.above[one], &mesh.above[other], places)
                    + between(&mesh.below[one], &mesh.below[other], places)
            };
            if crossed(*right, *left) < crossed(*left, *right) {
                std::mem::swap(left, right);
                (places[*left], places[*right]) = (at - 1, at);
            }
        }
    }
}

/// How many links of a point cross those of its right neighbour.
fn between(left: &[PointId], right: &[PointId], places: &Table<PointId, usize>) -> usize {
    let mut ends: Vec<usize> = right.iter().map(|&point| places[point]).collect();
    ends.sort_unstable();
    left.iter().map(|&point| ends.partition_point(|&end| end < places[point])).sum()
}

/// How many links of the part cross.
fn crossings(mesh: &Mesh, part: &Part, places: &Table<PointId, usize>) -> usize {
    let mut crossed = 0;
    for pair in part.layers.windows(2) {
        let [upper, lower] = pair else { continue };
        let mut before = Counts::new(lower.len());
        let mut links = 0;
        for &point in upper {
            let mut ends: Vec<usize> =
                mesh.below[point].iter().map(|&below| places[below]).collect();
            ends.sort_unstable();
            for &end in &ends {
                crossed += links - before.up_to(end);
                before.add(end);
                links += 1;
            }
        }
    }
    crossed
}

/// How often each number was added, in a Fenwick tree.
struct Counts(Vec<usize>);

impl Counts {
    fn new(count: usize) -> Counts {
        Counts(vec![0; count + 1])
    }

    fn add(&mut self, number: usize) {
        let mut at = number + 1;
        while let Some(count) = self.0.get_mut(at) {
            *count += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// How many of the numbers added are not greater.
    fn up_to(&self, number: usize) -> usize {
        let mut at = number + 1;
        let mut sum = 0;
        while at > 0 {
            sum += self.0.get(at).copied().unwrap_or_default();
            at &= at - 1;
        }
        sum
    }
}
