//! Leads every arrow from its start to its head.
//!
//! An arrow goes straight down through a layer, where its points keep it free of everything else,
//! and crosses over to its next point in the gap between two layers, where nothing stands.

use super::bands::Band;
use super::dock::Dock;
use super::layout::{Place, Rect, TextBox, Way};
use super::mesh::{Course, Mesh, What};
use super::place::PartPlaces;
use super::sketch::{Edge, Sketch};
use super::table::{PointId, Table};

/// How far an arrow goes straight when it leaves or enters a node, as a part of the gap, and at
/// most.
const STRAIGHT: (f64, f64) = (0.3, 10.0);
/// Between a part and the first arrow that goes round it, and between two of these.
const ROUND_GAP: f64 = 10.0;

/// Where the points and layers of one part are.
pub(super) struct Router<'d> {
    pub(super) sketch: &'d Sketch,
    pub(super) mesh: &'d Mesh,
    pub(super) xs: &'d Table<PointId, f64>,
    pub(super) part: &'d PartPlaces,
    pub(super) corner: Place,
    /// How many arrows went round this part.
    pub(super) round: f64,
}

impl Router<'_> {
    /// Where the middle of the upper side of a point is.
    pub(super) fn origin(&self, point: PointId) -> Place {
        let band = self.band(point);
        // What nothing points at stands as near as it can to what it points at.
        let y = match self.mesh.above[point].as_slice() {
            [] => band.bottom - self.mesh.points[point].height,
            _ => band.top,
        };
        Place::new(self.xs[point], y).from(self.corner)
    }

    fn band(&self, point: PointId) -> Band {
        self.part.bands.get(self.mesh.points[point].layer).copied().unwrap_or_default()
    }

    /// The way of an edge, with its label.
    pub(super) fn way(&mut self, edge: &Edge, course: &Course, docks: &[Dock; 2]) -> Way {
        let [upper, lower] = docks;
        let upper_node = Mesh::node(edge.upper.node);
        let lower_node = Mesh::node(edge.lower.node);
        let mut places: Vec<Place> =
            upper.places.iter().map(|place| place.from(self.origin(upper_node))).collect();
        let mut x = places.last().map_or(0.0, |place| place.x);
        let mut y = self.corner.y + self.band(upper_node).bottom;
        let mut straight = true;
        if course.round {
            let first = course.points.first().copied().unwrap_or(lower_node);
            self.go_round(&mut places, y, self.origin(first));
            (x, y) = places.last().map_or((x, y), |place| (place.x, place.y));
            straight = false;
        }
        for &point in &course.points {
            let Band { top, bottom } = self.band(point);
            if top < bottom {
                let (top, bottom) = (self.corner.y + top, self.corner.y + bottom);
                let gap = (top - y) * STRAIGHT.0;
                places.push(Place::new(x, y + if straight { gap.min(STRAIGHT.1) } else { 0.0 }));
                x = self.corner.x + self.xs[point];
                places.extend([Place::new(x, top), Place::new(x, bottom)]);
                (y, straight) = (bottom, false);
            }
        }
        let top = self.corner.y + self.band(lower_node).top;
        let gap = ((top - y) * STRAIGHT.0).min(STRAIGHT.1);
        places.push(Place::new(x, y + if straight { gap } else { 0.0 }));
        x = self.origin(lower_node).x + lower.x();
        places.push(Place::new(x, top - gap));
        let entry = lower.places.iter().rev().map(|place| place.from(self.origin(lower_node)));
        places.extend(entry);
        let mut places = without_idle(&places);
        if edge.reversed {
            places.reverse();
        }
        Way { places, label: self.label(course) }
    }

    /// Leads an arrow round the right side of the part to above its next point.
    fn go_round(&mut self, places: &mut Vec<Place>, bottom: f64, next: Place) {
        self.round += 1.0;
        let lane = self.corner.x + (self.part.width + self.round * ROUND_GAP).ceil();
        let x = places.last().map_or(0.0, |place| place.x);
        let level = bottom + STRAIGHT.1 / 2.0;
        let above = next.y - STRAIGHT.1 / 2.0;
        places.extend([Place::new(x, level), Place::new(lane, level)]);
        places.extend([Place::new(lane, above), Place::new(next.x, above)]);
    }

    fn label(&self, course: &Course) -> Option<TextBox> {
        course.points.iter().find_map(|&id| {
            let point = &self.mesh.points[id];
            let What::Label(arrow) = point.what else { return None };
            let lines = self.sketch.labels[arrow].as_ref()?.lines.clone();
            let (width, height) = (point.left + point.right, point.height);
            let rect = Rect { x: -point.left, y: 0.0, width, height }.from(self.origin(id));
            Some(TextBox { rect, lines })
        })
    }
}

/// How much room the arrows that go round a part take at its right.
#[expect(clippy::cast_precision_loss, reason = "a drawing has fewer than 2^52 arrows")]
pub(super) fn round_width(arrows: usize) -> f64 {
    if arrows == 0 { 0.0 } else { (arrows + 1) as f64 * ROUND_GAP }
}

/// The places without those on a straight line between their neighbours.
fn without_idle(places: &[Place]) -> Vec<Place> {
    let mut kept: Vec<Place> = Vec::new();
    for &place in places {
        if kept.last() == Some(&place) {
            continue;
        }
        if let [.., one, two] = kept.as_slice()
            && ((one.x == two.x && two.x == place.x) || (one.y == two.y && two.y == place.y))
        {
            kept.pop();
        }
        kept.push(place);
    }
    kept
}
