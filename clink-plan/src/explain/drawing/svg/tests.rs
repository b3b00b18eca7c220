//! Lays out drawings that no graph and no plan makes: any arrows between any boxes of any frames.

use super::layout::{Layout, Place, Rect};
use super::*;
use crate::explain::drawing::Arrow;

/// Numbers that look random and are the same each time (Steele et al. 2014, SplitMix).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(end).unwrap()).unwrap()
    }

    fn lines(&mut self, most: usize) -> Vec<String> {
        (0..self.below(most + 1)).map(|_| "some words ".repeat(self.below(9))).collect()
    }
}

fn random(seed: u64) -> Drawing {
    let mut numbers = Numbers(seed);
    let mut drawing = Drawing::new("random".to_owned());
    for _ in 0..numbers.below(4) {
        let lines = numbers.lines(3);
        drawing.add(None, lines);
    }
    for frame in 0..numbers.below(7) {
        drawing.frames.push(format!("frame {frame}"));
        for _ in 0..numbers.below(5) {
            let lines = numbers.lines(3);
            drawing.add(Some(frame), lines);
        }
    }
    let boxes = drawing.boxes.len();
    for _ in 0..if boxes == 0 { 0 } else { numbers.below(2 * boxes) } {
        let (from, to) = (numbers.below(boxes), numbers.below(boxes));
        let chained = numbers.below(2) == 0;
        drawing.arrows.push(Arrow { from, to, label: numbers.lines(2), chained });
    }
    drawing
}

fn meet(one: &Rect, other: &Rect) -> bool {
    let apart =
        |one: &Rect, other: &Rect| one.right() <= other.x + 0.1 || one.bottom() <= other.y + 0.1;
    !apart(one, other) && !apart(other, one)
}

/// A piece of a way as a rectangle; what is neither upright nor level is as a whole in a gap.
fn piece(from: &Place, to: &Place) -> Rect {
    let (width, height) = ((from.x - to.x).abs(), (from.y - to.y).abs());
    // With a body, so that it meets what it crosses; without its ends, which touch boxes.
    let (thick_x, thick_y) = (width.max(0.4), height.max(0.4));
    let rect = Rect { x: from.x.min(to.x), y: from.y.min(to.y), width: thick_x, height: thick_y };
    if width == 0.0 { Rect { x: rect.x - 0.2, ..rect } } else { rect }
}

fn check(name: &str, drawing: &Drawing, layout: &Layout) {
    let boxes: Vec<&Rect> = layout.boxes.iter().map(|one| &one.rect).collect();
    let label = |way: &super::layout::Way| way.label.as_ref().map(|label| label.rect);
    let labels: Vec<Option<Rect>> = layout.arrows.iter().map(label).collect();
    let solid: Vec<&Rect> = boxes.iter().copied().chain(labels.iter().flatten()).collect();
    for (at, one) in solid.iter().enumerate() {
        assert!(solid[at + 1..].iter().all(|other| !meet(one, other)), "{name}: {one:?}");
        assert!(one.x >= 0.0 && one.right() <= layout.width, "{name}: {one:?}");
        assert!(one.y >= 0.0 && one.bottom() <= layout.height, "{name}: {one:?}");
    }
    for (at, frame) in layout.frames.iter().enumerate() {
        let others = layout.frames.iter().skip(at + 1);
        assert!(frame.rect.width > 0.0, "{name}: {frame:?}");
        assert!(others.into_iter().all(|other| !meet(&frame.rect, &other.rect)), "{name}");
        for (rect, (home, _)) in boxes.iter().zip(&drawing.boxes) {
            assert_eq!(meet(rect, &frame.rect), *home == Some(at), "{name}: {rect:?} {frame:?}");
        }
    }
    for (at, (way, arrow)) in layout.arrows.iter().zip(&drawing.arrows).enumerate() {
        assert!(way.places.len() > 1, "{name}: {way:?}");
        assert_eq!(way.label.is_some(), !arrow.label.is_empty(), "{name}");
        let ends = [arrow.from, arrow.to].map(|end| drawing.boxes[end].0);
        for pair in way.places.windows(2) {
            let piece = piece(&pair[0], &pair[1]);
            assert!(boxes.iter().all(|one| !meet(&piece, one)), "{name}: {piece:?} of {at}");
            for (other, label) in labels.iter().enumerate().filter(|(other, _)| *other != at) {
                let free = label.is_none_or(|label| !meet(&piece, &label));
                assert!(free, "{name}: {piece:?} of {at} on label {other}: {label:?}");
            }
            for (frame, text) in layout.frames.iter().enumerate() {
                let free = ends.contains(&Some(frame)) || !meet(&piece, &text.rect);
                assert!(free, "{name}: {piece:?} of {at} in frame {frame}");
            }
        }
    }
}

#[test]
fn nothing_lies_over_anything_else() {
    for seed in 0..300 {
        let drawing = random(seed);
        check(&format!("seed {seed}"), &drawing, &layout(&drawing));
        assert_eq!(write(&drawing), write(&drawing), "seed {seed}");
    }
}

#[test]
fn frames_that_nothing_joins_stand_in_rows() {
    let mut drawing = Drawing::new("placement".to_owned());
    for worker in 0..9 {
        drawing.frames.push(format!("worker {worker}"));
        for slot in 0..worker {
            drawing.add(Some(worker), vec![format!("slot {slot}"), "a subtask".repeat(3)]);
        }
    }
    let layout = layout(&drawing);
    check("placement", &drawing, &layout);
    let rows: std::collections::BTreeSet<String> =
        layout.frames.iter().map(|frame| frame.rect.y.to_string()).collect();
    assert!(rows.len() > 1 && rows.len() < 5, "{rows:?}");
}
