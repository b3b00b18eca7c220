//! Is a diagram as a value: boxes, frames around some of them and arrows, in several languages.

mod dot;
mod mermaid;
mod svg;

use crate::plain::blank;

/// A language that diagrams are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramLanguage {
    /// [Mermaid](https://mermaid.js.org/syntax/flowchart.html) flowcharts.
    Mermaid,
    /// [DOT](https://graphviz.org/doc/info/lang.html), for Graphviz.
    Dot,
    /// [SVG](https://www.w3.org/TR/SVG11/), a picture with its layout.
    Svg,
}

/// Boxes, the frames around some of them, and arrows between them.
#[derive(Default)]
pub(super) struct Drawing {
    pub(super) title: String,
    pub(super) frames: Vec<String>,
    /// In the order of their frames; a box without a frame comes first.
    boxes: Vec<(Option<usize>, Vec<String>)>,
    pub(super) arrows: Vec<Arrow>,
    pub(super) comments: Vec<String>,
}

/// An arrow between two boxes, thick where they are chained.
pub(super) struct Arrow {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: Vec<String>,
    pub(super) chained: bool,
}

impl Drawing {
    /// Nothing yet, under this title.
    pub(super) fn new(title: String) -> Drawing {
        Drawing { title, ..Drawing::default() }
    }

    /// Adds a box with its lines of text; its number is how arrows name it.
    pub(super) fn add(&mut self, frame: Option<usize>, lines: Vec<String>) -> usize {
        self.boxes.push((frame, lines));
        self.boxes.len() - 1
    }

    /// The diagram as text, with blanks for what would break or turn a line of it.
    pub(super) fn write(mut self, language: DiagramLanguage) -> String {
        let boxes = self.boxes.iter_mut().flat_map(|(_, lines)| lines);
        let labels = self.arrows.iter_mut().flat_map(|arrow| &mut arrow.label);
        let others = self.frames.iter_mut().chain(&mut self.comments).chain([&mut self.title]);
        boxes.chain(labels).chain(others).for_each(blank);
        let text = match language {
            DiagramLanguage::Mermaid => mermaid::write(&self),
            DiagramLanguage::Dot => dot::write(&self),
            DiagramLanguage::Svg => svg::write(&self),
        };
        text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// Every box, those of a frame between `open` and `close`.
    fn boxes(
        &self,
        open: impl Fn(usize, &str) -> String,
        close: &str,
        one: impl Fn(usize, &[String]) -> String,
    ) -> String {
        let mut text = String::new();
        let mut at = None;
        for (number, (frame, lines)) in self.boxes.iter().enumerate() {
            if at != *frame {
                text += at.map_or("", |_| close);
                let label = frame.and_then(|frame| self.frames.get(frame));
                text += &label.map_or_else(String::new, |label| open(frame.unwrap_or(0), label));
                at = *frame;
            }
            text += if frame.is_some() { "    " } else { "  " };
            text += &one(number, lines);
        }
        text + at.map_or("", |_| close)
    }
}
