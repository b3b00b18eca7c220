//! Is a drawing with a place for everything; what is printed is decided here and nowhere else.

/// A place, in pixels, from the top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Place {
    pub(super) fn new(x: f64, y: f64) -> Place {
        Place { x, y }
    }

    /// This place, seen from where `origin` is.
    pub(super) fn from(self, origin: Place) -> Place {
        Place { x: self.x + origin.x, y: self.y + origin.y }
    }
}

/// A rectangle whose sides are upright.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Rect {
    pub(super) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// This rectangle, seen from where `origin` is.
    pub(super) fn from(self, origin: Place) -> Rect {
        Rect { x: self.x + origin.x, y: self.y + origin.y, ..self }
    }
}

/// A rectangle and the lines of text in it.
#[derive(Clone, Debug, Default)]
pub(super) struct TextBox {
    pub(super) rect: Rect,
    pub(super) lines: Vec<String>,
}

/// The way of an arrow, from its start to its head.
///
/// Its parts are upright or level; any other lies in the gap between two layers, where nothing
/// else is, and is drawn as a curve.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    pub(super) places: Vec<Place>,
    pub(super) label: Option<TextBox>,
}

/// Everything of a drawing, in its order, with its place.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Lines of text with where they start.
    pub(super) title: Vec<(Place, String)>,
    pub(super) frames: Vec<TextBox>,
    pub(super) boxes: Vec<TextBox>,
    pub(super) arrows: Vec<Way>,
    pub(super) comments: Vec<(Place, String)>,
}
