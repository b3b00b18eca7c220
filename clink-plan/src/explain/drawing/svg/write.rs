//! Prints a layout as SVG.

use std::fmt::Write as _;

use super::layout::{Layout, Place, Rect, TextBox, Way};
use super::measure::{BODY, Face, SMALL};
use super::node::{BOX_PADDING, FRAME_PADDING, LABEL_PADDING, TITLE_PADDING};
use crate::explain::drawing::{Arrow, Drawing};

/// Colours and fonts; those of the root so that several pictures may stand in one page.
const STYLE: &str = include_str!("style.css");
/// The heads of arrows.
const HEADS: &str = concat!(
    "  <defs>\n",
    "    <marker id=\"clink-head\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"8\"",
    " markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">",
    "<path class=\"head\" d=\"M 0 0.5 L 8 4 L 0 7.5 z\"/></marker>\n",
    "    <marker id=\"clink-thick-head\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\"",
    " markerWidth=\"11\" markerHeight=\"11\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">",
    "<path class=\"thick head\" d=\"M 0 0.5 L 8 4 L 0 7.5 z\"/></marker>\n",
    "  </defs>\n",
);
/// How far the rounding of a corner reaches.
const CORNER: f64 = 7.0;
/// From the upper side of a line of text to its baseline, as a part of the font size.
const BASELINE: f64 = 0.98;

/// The picture as text.
pub(super) fn write(drawing: &Drawing, layout: &Layout) -> String {
    let (width, height) = (Number(layout.width), Number(layout.height));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"clink\" role=\"img\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
    );
    text += &format!("  <title>{}</title>\n", Xml(&drawing.title));
    text += &format!("  <style>\n{STYLE}  </style>\n{HEADS}");
    text += &format!("  <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n");
    text += &lines("title", &layout.title);
    for frame in &layout.frames {
        text += &framed(frame);
    }
    for (arrow, way) in drawing.arrows.iter().zip(&layout.arrows) {
        text += &arrow_text(drawing, arrow, way);
    }
    for (number, one) in layout.boxes.iter().enumerate() {
        text += &box_text(drawing, number, one);
    }
    text + &lines("comment", &layout.comments) + "</svg>\n"
}

fn lines(class: &str, lines: &[(Place, String)]) -> String {
    let line = |(at, line): &(Place, String)| {
        let (x, y) = (Number(at.x), Number(at.y));
        format!("  <text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>\n", Xml(line))
    };
    lines.iter().map(line).collect()
}

fn framed(frame: &TextBox) -> String {
    let x = frame.rect.x + FRAME_PADDING;
    let text = rows(frame, SMALL, "frame-title", x, TITLE_PADDING, false);
    format!("  <g>\n    {}\n{text}  </g>\n", rect("frame", &frame.rect, 8))
}

fn box_text(drawing: &Drawing, number: usize, one: &TextBox) -> String {
    let full = drawing.boxes.get(number).map(|(_, lines)| lines.join(", ")).unwrap_or_default();
    let middle = one.rect.x + one.rect.width / 2.0;
    format!(
        "  <g data-box=\"n{number}\">\n    <title>{}</title>\n    {}\n{}  </g>\n",
        Xml(&full),
        rect("box", &one.rect, 5),
        rows(one, BODY, "text", middle, BOX_PADDING.y, true),
    )
}

fn arrow_text(drawing: &Drawing, arrow: &Arrow, way: &Way) -> String {
    let name = |number: usize| {
        let lines = drawing.boxes.get(number).map(|(_, lines)| lines.as_slice());
        lines.and_then(<[String]>::first).map_or("", String::as_str)
    };
    let Arrow { from, to, chained, .. } = arrow;
    let class = if *chained { "thick arrow" } else { "arrow" };
    let mut text = format!(
        "  <g data-from=\"n{from}\" data-to=\"n{to}\">\n    <title>{} → {}</title>\n    \
         <path class=\"{class}\" d=\"{}\"/>\n",
        Xml(name(*from)),
        Xml(name(*to)),
        path(&way.places),
    );
    if let Some(label) = &way.label {
        let _ = writeln!(text, "    {}", rect("label", &label.rect, 4));
        let x = label.rect.x + LABEL_PADDING.x;
        text += &rows(label, SMALL, "label-text", x, LABEL_PADDING.y, false);
    }
    text + "  </g>\n"
}

fn rect(class: &str, rect: &Rect, round: u32) -> String {
    format!(
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{round}\"/>",
        Number(rect.x),
        Number(rect.y),
        Number(rect.width),
        Number(rect.height),
    )
}

/// The lines of a box, the first of them its name if it has one.
fn rows(one: &TextBox, face: Face, class: &str, x: f64, padding: f64, named: bool) -> String {
    let mut y = one.rect.y + padding + (face.line - face.size) / 2.0 + face.size * BASELINE - 1.0;
    let mut text = String::new();
    for (at, line) in one.lines.iter().enumerate() {
        let class = if named && at == 0 { "name" } else { class };
        let (x, baseline) = (Number(x), Number(y));
        let _ = writeln!(
            text,
            "    <text class=\"{class}\" x=\"{x}\" y=\"{baseline}\">{}</text>",
            Xml(line)
        );
        y += face.line;
    }
    text
}

/// A way as the data of a path: corners are rounded, what is neither upright nor level is a curve
/// that starts and ends upright.
fn path(places: &[Place]) -> String {
    let mut text = String::new();
    let Some(first) = places.first() else { return text };
    let _ = write!(text, "M {}", At(*first));
    for (at, pair) in places.windows(2).enumerate() {
        let [from, to] = pair else { continue };
        if from.x != to.x && from.y != to.y {
            let middle = (from.y + to.y) / 2.0;
            let (one, two) = (Place::new(from.x, middle), Place::new(to.x, middle));
            let _ = write!(text, " C {} {} {}", At(one), At(two), At(*to));
            continue;
        }
        match places.get(at + 2) {
            // One of the two is upright and the other level.
            Some(next) if (from.x == to.x) != (to.x == next.x) && is_corner(from, to, next) => {
                let round = CORNER.min(length(from, to) / 2.0).min(length(to, next) / 2.0);
                let (start, end) = (towards(to, from, round), towards(to, next, round));
                let _ = write!(text, " L {} Q {} {}", At(start), At(*to), At(end));
            }
            _ => {
                let _ = write!(text, " L {}", At(*to));
            }
        }
    }
    text
}

fn is_corner(from: &Place, to: &Place, next: &Place) -> bool {
    let straight = |one: &Place, two: &Place| one.x == two.x || one.y == two.y;
    straight(from, to) && straight(to, next)
}

/// How long an upright or level line is.
fn length(one: &Place, two: &Place) -> f64 {
    (one.x - two.x).abs() + (one.y - two.y).abs()
}

/// The place this far from `one` on an upright or level line to `two`.
fn towards(one: &Place, two: &Place, far: f64) -> Place {
    let step = |one: f64, two: f64| one + (two - one).clamp(-far, far);
    Place::new(step(one.x, two.x), step(one.y, two.y))
}

/// A place as two numbers.
struct At(Place);

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", Number(self.0.x), Number(self.0.y))
    }
}

/// A number with one decimal at most, which is finer than any screen.
struct Number(f64);

impl std::fmt::Display for Number {
    #[expect(clippy::cast_possible_truncation, reason = "a picture is far smaller than 2^52")]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        match (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10) {
            (whole, 0) => write!(f, "{sign}{whole}"),
            (whole, decimal) => write!(f, "{sign}{whole}.{decimal}"),
        }
    }
}

/// Text with what means something to XML escaped.
struct Xml<'t>(&'t str);

impl std::fmt::Display for Xml<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(text) = self;
        let mut plain = 0;
        for (at, special) in text.match_indices(['&', '<', '>', '"', '\'']) {
            f.write_str(text.get(plain..at).unwrap_or_default())?;
            f.write_str(match special {
                "&" => "&amp;",
                "<" => "&lt;",
                ">" => "&gt;",
                "\"" => "&quot;",
                _ => "&#39;",
            })?;
            plain = at + special.len();
        }
        f.write_str(text.get(plain..).unwrap_or_default())
    }
}
