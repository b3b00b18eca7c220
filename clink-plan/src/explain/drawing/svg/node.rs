//! Is a frame with its boxes one below the other, or a box without a frame.

use super::layout::{Place, Rect};
use super::measure::Block;
use super::table::{ArrowId, Table};

/// Between the text of a box and its sides.
pub(super) const BOX_PADDING: Place = Place { x: 14.0, y: 9.0 };
/// Between the text of a label and its sides.
pub(super) const LABEL_PADDING: Place = Place { x: 7.0, y: 4.0 };
/// Between a frame and its boxes.
pub(super) const FRAME_PADDING: f64 = 14.0;
/// Above and below the title of a frame.
pub(super) const TITLE_PADDING: f64 = 8.0;
/// Between two boxes of a frame that no arrow joins.
const BOX_GAP: f64 = 12.0;
/// The shortest arrow between two boxes of a frame.
const CHAIN_GAP: f64 = 34.0;
/// Between an arrow with its label and the sides of its boxes, at least.
const CHAIN_MARGIN: f64 = 22.0;
/// Between a label and the boxes above and below it, and between it and its arrow.
const CHAIN_LABEL_GAP: f64 = 8.0;

/// A box of a node.
pub(super) struct BoxOf {
    /// Its number in the drawing.
    pub(super) number: usize,
    pub(super) text: Block,
    pub(super) rect: Rect,
    /// The arrow to the next box.
    pub(super) next: Option<Inner>,
}

/// An arrow between a box of a frame and the next.
pub(super) struct Inner {
    pub(super) arrow: ArrowId,
    pub(super) places: [Place; 2],
    pub(super) label: Rect,
}

/// An arrow that leaves a box and comes back to the same node, other than to the next box.
pub(super) struct Loop {
    pub(super) arrow: ArrowId,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// A frame and its boxes, or a box; its places count from the middle of its upper side.
pub(super) struct Node {
    /// The number of the frame and its title.
    pub(super) frame: Option<(usize, Block)>,
    pub(super) boxes: Vec<BoxOf>,
    pub(super) loops: Vec<Loop>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl BoxOf {
    /// A box that has no place yet.
    pub(super) fn new(number: usize, text: Block) -> BoxOf {
        BoxOf { number, text, rect: Rect::default(), next: None }
    }
}

impl Node {
    /// A node without boxes.
    pub(super) fn new(frame: Option<(usize, Block)>) -> Node {
        Node { frame, boxes: Vec::new(), loops: Vec::new(), width: 0.0, height: 0.0 }
    }

    /// Adds an arrow between two of its boxes.
    pub(super) fn add(&mut self, arrow: ArrowId, from: usize, to: usize) {
        match self.boxes.get_mut(from) {
            Some(one) if from + 1 == to && one.next.is_none() => {
                let inner =
                    Inner { arrow, places: <[Place; 2]>::default(), label: Rect::default() };
                one.next = Some(inner);
            }
            _ => self.loops.push(Loop { arrow, from, to }),
        }
    }

    /// The node with a place for each of its boxes, all of one width, and for each inner arrow.
    pub(super) fn measured(mut self, labels: &Table<ArrowId, Option<Block>>) -> Node {
        let label = |inner: &Inner| labels[inner.arrow].as_ref().map_or((0.0, 0.0), label_size);
        let texts = self.boxes.iter().map(|one| one.text.width);
        let inside = texts.fold(0.0, f64::max) + 2.0 * BOX_PADDING.x;
        // Arrows stand in one column with their labels at their right, and both in the middle.
        let inner = self.boxes.iter().filter_map(|one| one.next.as_ref());
        let widest = inner.map(|inner| label(inner).0).fold(0.0, f64::max);
        let beside = if widest > 0.0 { widest + CHAIN_LABEL_GAP } else { 0.0 };
        let inside = inside.max(beside + 2.0 * CHAIN_MARGIN);
        let arrow_x = -beside / 2.0;
        let padding = if self.frame.is_some() { FRAME_PADDING } else { 0.0 };
        let title = self.frame.as_ref().map(|(_, title)| title);
        let title_width = title.map_or(0.0, |title| title.width);
        self.width = (inside + 2.0 * padding).max(title_width + 2.0 * FRAME_PADDING);
        let inside = self.width - 2.0 * padding;
        let mut y = title.map_or(0.0, |title| title.height + 2.0 * TITLE_PADDING);
        let last = self.boxes.len().saturating_sub(1);
        for (place, one) in self.boxes.iter_mut().enumerate() {
            let height = one.text.height + 2.0 * BOX_PADDING.y;
            one.rect = Rect { x: -inside / 2.0, y, width: inside, height };
            y += height;
            if let Some(inner) = &mut one.next {
                let (width, height) = label(inner);
                let gap = CHAIN_GAP.max(height + 2.0 * CHAIN_LABEL_GAP);
                inner.places = [Place::new(arrow_x, y), Place::new(arrow_x, y + gap)];
                let (x, y) = (arrow_x + CHAIN_LABEL_GAP, y + (gap - height) / 2.0);
                inner.label = Rect { x, y, width, height };
            }
            y += match &one.next {
                Some(inner) => CHAIN_GAP.max(inner.label.height + 2.0 * CHAIN_LABEL_GAP),
                None if place < last => BOX_GAP,
                None => 0.0,
            };
        }
        self.height = y + padding;
        self
    }
}

/// The width and height of a label, with some room around its text.
pub(super) fn label_size(text: &Block) -> (f64, f64) {
    (text.width + 2.0 * LABEL_PADDING.x, text.height + 2.0 * LABEL_PADDING.y)
}
