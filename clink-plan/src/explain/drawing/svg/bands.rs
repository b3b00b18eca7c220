//! Puts the layers of a part one below the other.

use super::mesh::{Mesh, Part};
use super::place::Pulls;
use super::table::{PointId, Table};

/// Between two layers, at least.
const LAYER_GAP: f64 = 30.0;
/// Around a layer that holds nothing but arrows that pass.
const PASSED_LAYER_GAP: f64 = 16.0;
/// How much two layers are moved apart for an arrow that goes far to the side, as a part of how
/// far it goes, and at most.
const STEEP: (f64, f64) = (0.1, 90.0);
/// From where to where a layer reaches down.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Band {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// From where to where each layer of a part reaches, and how far down the last one does.
pub(super) fn bands(
    mesh: &Mesh,
    part: &Part,
    pulls: &Pulls,
    xs: &Table<PointId, f64>,
) -> (Vec<Band>, f64) {
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
