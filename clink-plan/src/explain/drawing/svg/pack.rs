//! Puts parts that nothing joins side by side, in rows.

use super::layout::Place;

/// Between two parts.
const PART_GAP: f64 = 40.0;
/// How wide rows may be if no part is wider.
const ROW_WIDTH: f64 = 1_100.0;
/// How much wider than high many parts together may be.
const ROW_SHAPE: f64 = 1.6;

/// The upper left corner of each part, given its width and height; and the size of them all.
pub(super) fn pack(sizes: &[(f64, f64)]) -> (Vec<Place>, Place) {
    let widest = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
    let area: f64 = sizes.iter().map(|size| (size.0 + PART_GAP) * (size.1 + PART_GAP)).sum();
    let row_width = widest.max(ROW_WIDTH).max((area * ROW_SHAPE).sqrt());
    let mut corners = Vec::new();
    let mut all = Place::default();
    let mut next = Place::default();
    for &(width, height) in sizes {
        if next.x > 0.0 && next.x + width > row_width {
            next = Place::new(0.0, all.y + PART_GAP);
        }
        corners.push(next);
        all = Place::new(all.x.max(next.x + width), all.y.max(next.y + height));
        next.x += (width + PART_GAP).ceil();
    }
    (corners, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_full_is_followed_by_the_next() {
        let (corners, all) = pack(&[(600.0, 10.0), (400.0, 30.0), (100.0, 20.0)]);
        let expect = [(0.0, 0.0), (640.0, 0.0), (0.0, 70.0)];
        assert_eq!(corners, expect.map(|(x, y)| Place::new(x, y)));
        assert_eq!(all, Place::new(1040.0, 90.0));
    }
}
