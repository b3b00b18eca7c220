//! Reads back what an SVG picture shows, and finds what lies over something else.

use std::collections::BTreeMap;

/// How far one thing may reach into another, for numbers have one decimal.
const TOUCH: f64 = 0.3;
/// How wide a letter of the title of a frame is.
const TITLE_ADVANCE: f64 = 11.0 * 0.61;

/// A rectangle, from the left, the top, to the right and the bottom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rect([f64; 4]);

/// An arrow between two boxes, named by their ids.
#[derive(Debug, Default)]
pub(crate) struct Arrow {
    pub(crate) ends: [String; 2],
    pub(crate) label: Option<Rect>,
    /// Its line as short straight pieces.
    line: Vec<(f64, f64)>,
}

/// What a picture shows.
#[derive(Debug, Default)]
pub(crate) struct Picture {
    /// By their ids.
    pub(crate) boxes: BTreeMap<String, Rect>,
    pub(crate) frames: Vec<Rect>,
    pub(crate) arrows: Vec<Arrow>,
    frame_titles: Vec<Rect>,
    size: Option<Rect>,
    /// All text, unescaped, a line for each element.
    pub(crate) text: String,
}

impl Picture {
    /// Reads a picture; panics if it is not well-formed.
    pub(crate) fn read(svg: &str) -> Picture {
        let mut picture = Picture::default();
        let mut open: Vec<&str> = Vec::new();
        let mut group = BTreeMap::new();
        let mut rest = svg;
        while let Some(start) = rest.find('<') {
            let (text, tag) = rest.split_at(start);
            picture.text += &unescaped(text.trim());
            let (tag, after) = tag[1..].split_once('>').expect("a tag ends");
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "{svg}");
                picture.text.push('\n');
                continue;
            }
            let (name, attributes) = attributes(tag);
            if !tag.ends_with('/') {
                open.push(name);
            }
            match name {
                "svg" => picture.size = Some(picture_size(&attributes)),
                "g" => group = attributes,
                "text" if attributes["class"] == "frame-title" => {
                    let letters = rest.find('<').unwrap();
                    picture.frame_titles.push(title(&attributes, rest[..letters].chars().count()));
                }
                _ => picture.add(name, &attributes, &group),
            }
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
        picture
    }

    fn add(
        &mut self,
        name: &str,
        attributes: &BTreeMap<&str, String>,
        group: &BTreeMap<&str, String>,
    ) {
        match (name, attributes.get("class").map(String::as_str)) {
            ("rect", Some("box")) => {
                let before = self.boxes.insert(group["data-box"].clone(), rect(attributes));
                assert!(before.is_none(), "{group:?} is there twice");
            }
            ("rect", Some("frame")) => self.frames.push(rect(attributes)),
            ("rect", Some("label")) => {
                self.arrows.last_mut().unwrap().label = Some(rect(attributes));
            }
            ("path", Some("arrow" | "thick arrow")) => {
                let ends = ["data-from", "data-to"].map(|end| group[end].clone());
                let line = flattened(&attributes["d"]);
                self.arrows.push(Arrow { ends, label: None, line });
            }
            _ => {}
        }
    }

    /// What lies over something else, or has no place where it belongs.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let boxes: Vec<(&String, Rect)> = self.boxes.iter().map(|(id, at)| (id, *at)).collect();
        let labels: Vec<(usize, Rect)> = (self.arrows.iter().enumerate())
            .filter_map(|(arrow, all)| Some((arrow, all.label?)))
            .collect();
        let mut apart: Vec<(String, Rect)> =
            boxes.iter().map(|(id, at)| (format!("box {id}"), *at)).collect();
        apart.extend(labels.iter().map(|(at, label)| (format!("label of arrow {at}"), *label)));
        apart.extend(self.frame_titles.iter().map(|at| ("the title of a frame".to_owned(), *at)));
        for (at, (one, place)) in apart.iter().enumerate() {
            for (other, other_place) in &apart[at + 1..] {
                if place.meets(other_place) {
                    faults.push(format!("{one} lies over {other}"));
                }
            }
            if !place.is_in(&self.size.unwrap()) {
                faults.push(format!("{one} is outside of the picture"));
            }
            for frame in &self.frames {
                if place.meets(frame) && !place.is_in(frame) {
                    faults.push(format!("{one} lies over the border of a frame"));
                }
            }
        }
        for (at, frame) in self.frames.iter().enumerate() {
            if self.frames[at + 1..].iter().any(|other| frame.meets(other)) {
                faults.push(format!("frame {at} lies over another"));
            }
        }
        for (at, arrow) in self.arrows.iter().enumerate() {
            self.arrow_faults(at, arrow, &apart, &mut faults);
        }
        faults
    }

    fn arrow_faults(
        &self,
        at: usize,
        arrow: &Arrow,
        apart: &[(String, Rect)],
        faults: &mut Vec<String>,
    ) {
        let own = format!("label of arrow {at}");
        for (name, place) in apart.iter().filter(|(name, _)| *name != own) {
            if place.is_crossed_by(&arrow.line) {
                faults.push(format!("arrow {at} {:?} runs through {name}", arrow.ends));
            }
        }
        let ends = [&arrow.ends[0], &arrow.ends[1]].map(|id| self.boxes[id]);
        for frame in &self.frames {
            let home = ends.iter().any(|end| end.is_in(frame));
            if !home && frame.is_crossed_by(&arrow.line) {
                faults.push(format!("arrow {at} runs through a frame"));
            }
        }
        for (end, place) in ends.iter().zip([arrow.line[0], *arrow.line.last().unwrap()]) {
            let touches = |rect: &Rect| rect.grown(TOUCH).holds(place);
            let framed = self.frames.iter().find(|frame| end.is_in(frame));
            if !touches(end) && !framed.is_some_and(touches) {
                faults.push(format!("arrow {at} {:?} does not reach its ends", arrow.ends));
            }
        }
        if let Some(label) = &arrow.label
            && !label.grown(20.0).is_crossed_by(&arrow.line)
        {
            faults.push(format!("the label of arrow {at} is far from it"));
        }
    }
}

impl Rect {
    fn grown(&self, by: f64) -> Rect {
        let [left, top, right, bottom] = self.0;
        Rect([left - by, top - by, right + by, bottom + by])
    }

    fn meets(&self, other: &Rect) -> bool {
        let (a, b) = (self.grown(-TOUCH).0, other.0);
        a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
    }

    fn is_in(&self, other: &Rect) -> bool {
        let (a, b) = (self.0, other.grown(TOUCH).0);
        a[0] >= b[0] && a[1] >= b[1] && a[2] <= b[2] && a[3] <= b[3]
    }

    fn holds(&self, (x, y): (f64, f64)) -> bool {
        let [left, top, right, bottom] = self.0;
        left <= x && x <= right && top <= y && y <= bottom
    }

    /// Whether a line of straight pieces goes through the inside.
    fn is_crossed_by(&self, line: &[(f64, f64)]) -> bool {
        line.windows(2).any(|piece| self.is_crossed(piece[0], piece[1]))
    }

    /// Whether a straight line goes through the inside, by clipping it (Liang and Barsky 1984).
    fn is_crossed(&self, from: (f64, f64), to: (f64, f64)) -> bool {
        let [left, top, right, bottom] = self.grown(-TOUCH).0;
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for (step, room) in
            [(-dx, from.0 - left), (dx, right - from.0), (-dy, from.1 - top), (dy, bottom - from.1)]
        {
            if step == 0.0 {
                if room <= 0.0 {
                    return false;
                }
            } else if step < 0.0 {
                enter = enter.max(room / step);
            } else {
                leave = leave.min(room / step);
            }
        }
        enter < leave
    }
}

/// The name of a tag and its attributes.
fn attributes(tag: &str) -> (&str, BTreeMap<&str, String>) {
    let tag = tag.trim_end_matches('/');
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut found = BTreeMap::new();
    while let Some((key, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').expect("a value ends");
        assert!(found.insert(key.trim(), unescaped(value)).is_none(), "{tag}");
        rest = after;
    }
    assert!(rest.trim().is_empty(), "{tag}");
    (name, found)
}

fn unescaped(text: &str) -> String {
    assert!(!text.contains(['>']) && !text.contains(char::is_control) || text.contains('{'));
    let named = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    let rest = |at: usize| &text[at + 1..];
    let escaped = |at: usize| named.iter().any(|name| rest(at).starts_with(name));
    assert!(text.match_indices('&').all(|(at, _)| escaped(at)), "{text}");
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&#39;", "'").replace("&amp;", "&")
}

fn number(attributes: &BTreeMap<&str, String>, name: &str) -> f64 {
    attributes[name].parse().unwrap()
}

fn rect(attributes: &BTreeMap<&str, String>) -> Rect {
    let [x, y, width, height] = ["x", "y", "width", "height"].map(|key| number(attributes, key));
    Rect([x, y, x + width, y + height])
}

fn picture_size(attributes: &BTreeMap<&str, String>) -> Rect {
    let [width, height] = ["width", "height"].map(|key| &attributes[key]);
    assert_eq!(attributes["viewBox"], format!("0 0 {width} {height}"));
    Rect([0.0, 0.0, width.parse().unwrap(), height.parse().unwrap()])
}

#[expect(clippy::cast_precision_loss, reason = "a title is short")]
fn title(attributes: &BTreeMap<&str, String>, letters: usize) -> Rect {
    let (x, y) = (number(attributes, "x"), number(attributes, "y"));
    Rect([x, y - 9.0, x + letters as f64 * TITLE_ADVANCE, y + 2.0])
}

/// The data of a path as short straight pieces.
fn flattened(data: &str) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    let mut words = data.split(' ');
    while let Some(command) = words.next() {
        let count = match command {
            "M" | "L" => 1,
            "Q" => 2,
            "C" => 3,
            _ => panic!("{command} in {data}"),
        };
        let mut place = || -> (f64, f64) {
            let mut number = || words.next().unwrap().parse::<f64>().unwrap();
            (number(), number())
        };
        let points: Vec<(f64, f64)> = (0..count).map(|_| place()).collect();
        let Some(&start) = line.last() else {
            line.extend(points);
            continue;
        };
        let steps = if count == 1 { 1 } else { 8 };
        let bent: Vec<(f64, f64)> = [start].into_iter().chain(points).collect();
        line.extend((1..=steps).map(|step| on_curve(&bent, f64::from(step) / f64::from(steps))));
    }
    line
}

/// A place on a Bézier curve (de Casteljau).
fn on_curve(points: &[(f64, f64)], part: f64) -> (f64, f64) {
    let mut points = points.to_vec();
    while points.len() > 1 {
        let between = |pair: &[(f64, f64)]| {
            let [one, two] = [pair[0], pair[1]];
            (one.0 + (two.0 - one.0) * part, one.1 + (two.1 - one.1) * part)
        };
        points = points.windows(2).map(between).collect();
    }
    points[0]
}
