//! Puts title, drawing and comments one below the other, and moves what was placed into them.

use super::dock::Docks;
use super::layout::{Layout, Place, Rect, TextBox, Way};
use super::measure::{Face, SMALL, TITLE, wrap};
use super::sketch::Sketch;
use super::table::{Key, NodeId};
use crate::explain::drawing::Drawing;

/// Around the picture, and between its title, the drawing and the comments.
const MARGIN: f64 = 24.0;
/// The widest line of the title, in columns.
const TITLE_COLUMNS_MAX: usize = 80;
/// The widest line of a comment, in columns, where the drawing is not wider.
const COMMENT_COLUMNS: usize = 90;
/// The widest line of a comment in the widest drawing.
const COMMENT_COLUMNS_MAX: usize = 140;
/// How far the second line of a comment is moved in, in columns.
const COMMENT_INDENT: usize = 2;

/// A picture in which nothing but its title and comments has a place, and the corner of the
/// drawing in it.
pub(super) fn page(drawing: &Drawing, size: Place) -> (Layout, Place) {
    let mut layout = Layout {
        frames: drawing.frames.iter().map(|_| TextBox::default()).collect(),
        boxes: drawing.boxes.iter().map(|_| TextBox::default()).collect(),
        arrows: drawing.arrows.iter().map(|_| Way::default()).collect(),
        width: size.x,
        ..Layout::default()
    };
    let mut y = MARGIN;
    if !drawing.title.is_empty() {
        let lines = wrap(&drawing.title, TITLE_COLUMNS_MAX);
        layout.title = column(TITLE, &mut y, lines.into_iter().map(|line| (0, line)));
        y += MARGIN / 2.0;
    }
    let corner = Place::new(MARGIN, y.round());
    y = corner.y + size.y;
    if !drawing.comments.is_empty() {
        y += if size.y > 0.0 { MARGIN } else { 0.0 };
        let columns = SMALL.columns_in(size.x).clamp(COMMENT_COLUMNS, COMMENT_COLUMNS_MAX);
        let lines = drawing.comments.iter().flat_map(|text| comment(text, columns));
        layout.comments = column(SMALL, &mut y, lines);
    }
    let right = |face: Face, lines: &[(Place, String)]| {
        let ends = lines.iter().map(|(place, line)| place.x - MARGIN + face.width(line));
        ends.fold(0.0, f64::max)
    };
    let widest = right(TITLE, &layout.title).max(right(SMALL, &layout.comments)).max(size.x);
    layout.width = (widest + 2.0 * MARGIN).ceil();
    layout.height = (y + MARGIN).ceil();
    (layout, corner)
}

/// Places lines of text one below the other, each moved in by so many columns.
fn column(
    face: Face,
    y: &mut f64,
    lines: impl Iterator<Item = (usize, String)>,
) -> Vec<(Place, String)> {
    let place = |(indent, line)| {
        *y += face.line;
        (Place::new(MARGIN + face.columns_width(indent), *y - (face.line - face.size)), line)
    };
    lines.map(place).collect()
}

/// The lines of a comment with how far they are moved in.
fn comment(text: &str, columns: usize) -> Vec<(usize, String)> {
    let indent = (text.len() - text.trim_start().len()).min(columns / 2);
    let lines = wrap(text, columns - indent - COMMENT_INDENT).into_iter().enumerate();
    lines.map(|(at, line)| (if at == 0 { indent } else { indent + COMMENT_INDENT }, line)).collect()
}

impl Layout {
    /// Places an arrow.
    pub(super) fn set_arrow(&mut self, arrow: impl Key, way: Way) {
        self.arrows.get_mut(arrow.at()).into_iter().for_each(|place| *place = way.clone());
    }

    /// Places a node with its frame, its boxes and its own arrows.
    pub(super) fn set_node(&mut self, sketch: &Sketch, id: NodeId, docks: &Docks, origin: Place) {
        let node = &sketch.nodes[id];
        if let Some((frame, title)) = &node.frame
            && let Some(place) = self.frames.get_mut(*frame)
        {
            let rect =
                Rect { x: -node.width / 2.0, y: 0.0, width: node.width, height: node.height };
            *place = TextBox { rect: rect.from(origin), lines: title.lines.clone() };
        }
        let text = |rect: Rect, arrow| {
            let lines = sketch.labels[arrow].as_ref()?.lines.clone();
            Some(TextBox { rect: rect.from(origin), lines })
        };
        let moved = |places: &[Place]| places.iter().map(|place| place.from(origin)).collect();
        for one in &node.boxes {
            if let Some(place) = self.boxes.get_mut(one.number) {
                *place = TextBox { rect: one.rect.from(origin), lines: one.text.lines.clone() };
            }
            if let Some(inner) = &one.next {
                let label = text(inner.label, inner.arrow);
                self.set_arrow(inner.arrow, Way { places: moved(&inner.places), label });
            }
        }
        for one in &docks.loops[id] {
            let label = one.label.and_then(|rect| text(rect, one.arrow));
            self.set_arrow(one.arrow, Way { places: moved(&one.places), label });
        }
    }
}
