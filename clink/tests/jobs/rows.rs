//! Makes random records with every kind of field, and a text of each that loses nothing.
//!
//! The text is a line of JSON: floats are the hexadecimal digits of their bits, instants their
//! milliseconds, bytes hexadecimal digits; all else is as JSON has it. `formats.py` prints that
//! as well.

use clink::prelude::*;
use serde_json::{Value, json};

use super::forms::{Format, Lines};

/// The records as texts that lose nothing, in the order of these.
pub(crate) fn canonical<T: Random>(records: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut lines: Vec<_> =
        records.into_iter().map(|record| record.canonical().to_string()).collect();
    lines.sort();
    lines
}

/// The first record that only one of the two has.
#[track_caller]
pub(crate) fn same(found: &[String], expected: &[String], told: &str) {
    if found != expected {
        let lost = expected.iter().find(|line| found.binary_search(line).is_err());
        let more = found.iter().find(|line| expected.binary_search(line).is_err());
        let (counts, wanted) = (found.len(), expected.len());
        panic!("{told}\n{counts} of {wanted} records\nlost {lost:?}\nnew  {more:?}");
    }
}

/// What random files hold.
pub(crate) trait Random: Lines {
    /// The formats that can hold such records.
    const FORMATS: &'static [Format];

    fn random(random: &mut fastrand::Rng) -> Self;

    /// What comes back out of a format: text has one NaN, and a CSV cell no empty text besides
    /// `None`.
    fn through(self, format: Format) -> Self;

    /// The record in JSON that loses nothing.
    fn canonical(&self) -> Value;
}

/// Every kind of field that has a cell.
#[derive(Data, Clone, Debug)]
pub(crate) struct Flat {
    i8: i8,
    i16: i16,
    i32: i32,
    i64: i64,
    u8: u8,
    u16: u16,
    u32: u32,
    u64: u64,
    f32: f32,
    f64: f64,
    flag: bool,
    letter: char,
    text: String,
    kind: Kind,
    at: Timestamp,
    #[data(epoch = "s")]
    sent: Timestamp,
    some_number: Option<u64>,
    some_float: Option<f64>,
    some_flag: Option<bool>,
    some_text: Option<String>,
    some_kind: Option<Kind>,
    some_at: Option<Timestamp>,
}

#[derive(Data, Clone, Copy, Debug)]
pub(crate) enum Kind {
    Plain,
    #[data(rename = "with, \"comma\"")]
    Odd,
    #[data(rename = "日本")]
    Far,
}

/// And those that have none.
#[derive(Data, Clone, Debug)]
pub(crate) struct Deep {
    flat: Flat,
    bytes: Vec<u8>,
    pair: (i16, String),
    inner: Option<Inner>,
}

#[derive(Data, Clone, Debug)]
pub(crate) struct Inner {
    text: String,
    wide: Option<f64>,
    point: Option<Point>,
}

#[derive(Data, Clone, Debug)]
pub(crate) struct Point {
    x: f32,
    y: Option<i64>,
}

/// An integer at a border of its type as often as not.
macro_rules! integer {
    ($random:expr, $type:ident) => {{
        let any = $random.$type(..);
        let borders = [0, 1, $type::MIN, $type::MAX, $type::MAX - 1, any, any, any];
        *$random.choice(&borders).unwrap()
    }};
}

/// Any bits, and those that are no usual number.
macro_rules! float {
    ($random:expr, $type:ident, $bits:expr) => {{
        let any = $type::from_bits($bits);
        let whole = $random.i32(..) as $type;
        let odd = [
            $type::NAN,
            -$type::NAN,
            $type::INFINITY,
            $type::NEG_INFINITY,
            -0.0,
            0.0,
            $type::from_bits(1),
            $type::MIN_POSITIVE,
            $type::MAX,
            0.1,
            1e15,
            1e16,
            7.038531e-26,
        ];
        [*$random.choice(&odd).unwrap(), any, any, whole][$random.usize(..4)]
    }};
}

/// Everything that could be taken for a border, an escape or the start of a file.
fn text(random: &mut fastrand::Rng) -> String {
    const PARTS: [&str; 22] = [
        "a",
        "\"",
        "\"\"",
        "\n",
        "\r",
        "\r\n",
        ",",
        ";",
        "\t",
        " ",
        "ü",
        "\u{feff}",
        "日本",
        "\u{1f469}\u{200d}\u{1f680}",
        "\\",
        "\\n",
        "NaN",
        "null",
        "\0",
        "\u{7f}",
        "\u{2028}",
        "#",
    ];
    let count = *random.choice(&[0, 0, 1, 1, 2, 3, 5, 60]).unwrap();
    (0..count).map(|_| *random.choice(&PARTS).unwrap()).collect()
}

fn instant(random: &mut fastrand::Rng) -> Timestamp {
    // The years -9999 to 9999, and what lies beyond.
    let civil = random.i64(-377_705_023_201_000..253_402_207_200_000);
    let borders = [0, -1, 1, 999, -1_000, 1_700_000_000_123, i64::MIN, i64::MAX];
    let any = [*random.choice(&borders).unwrap(), random.i64(..), civil, civil, civil];
    Timestamp::from_millis(any[random.usize(..any.len())])
}

fn some<T>(random: &mut fastrand::Rng, make: impl FnOnce(&mut fastrand::Rng) -> T) -> Option<T> {
    (random.u8(..3) > 0).then(|| make(random))
}

fn kind(random: &mut fastrand::Rng) -> Kind {
    *random.choice(&[Kind::Plain, Kind::Odd, Kind::Far]).unwrap()
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Plain => "Plain",
        Kind::Odd => "with, \"comma\"",
        Kind::Far => "日本",
    }
}

/// A float in JSON: its bits.
macro_rules! bits {
    ($float:expr) => {
        format!("{:0width$x}", $float.to_bits(), width = 2 * size_of_val(&$float))
    };
}

impl Random for Flat {
    const FORMATS: &'static [Format] = &[Format::Csv, Format::Json, Format::Parquet];

    fn random(random: &mut fastrand::Rng) -> Self {
        Self {
            i8: integer!(random, i8),
            i16: integer!(random, i16),
            i32: integer!(random, i32),
            i64: integer!(random, i64),
            u8: integer!(random, u8),
            u16: integer!(random, u16),
            u32: integer!(random, u32),
            u64: integer!(random, u64),
            f32: float!(random, f32, random.u32(..)),
            f64: float!(random, f64, random.u64(..)),
            flag: random.bool(),
            letter: *random.choice(&['a', ' ', '"', ',', '\n', '\u{feff}', '\u{1f680}']).unwrap(),
            text: text(random),
            kind: kind(random),
            at: instant(random),
            sent: instant(random),
            some_number: some(random, |random| integer!(random, u64)),
            some_float: some(random, |random| float!(random, f64, random.u64(..))),
            some_flag: some(random, fastrand::Rng::bool),
            some_text: some(random, text),
            some_kind: some(random, kind),
            some_at: some(random, instant),
        }
    }

    fn through(mut self, format: Format) -> Self {
        if format == Format::Parquet {
            return self;
        }
        if self.f32.is_nan() {
            self.f32 = f32::NAN;
        }
        if self.f64.is_nan() {
            self.f64 = f64::NAN;
        }
        self.some_float = self.some_float.map(|x| if x.is_nan() { f64::NAN } else { x });
        if format == Format::Csv {
            self.some_text = self.some_text.filter(|text| !text.is_empty());
        }
        self
    }

    fn canonical(&self) -> Value {
        json!({
            "i8": self.i8, "i16": self.i16, "i32": self.i32, "i64": self.i64,
            "u8": self.u8, "u16": self.u16, "u32": self.u32, "u64": self.u64,
            "f32": bits!(self.f32), "f64": bits!(self.f64),
            "flag": self.flag, "letter": self.letter, "text": self.text, "kind": word(self.kind),
            "at": self.at.as_millis(), "sent": self.sent.as_millis(),
            "some_number": self.some_number, "some_float": self.some_float.map(|x| bits!(x)),
            "some_flag": self.some_flag, "some_text": self.some_text,
            "some_kind": self.some_kind.map(word),
            "some_at": self.some_at.map(Timestamp::as_millis),
        })
    }
}

impl Random for Deep {
    const FORMATS: &'static [Format] = &[Format::Json, Format::Parquet];

    fn random(random: &mut fastrand::Rng) -> Self {
        let point = |random: &mut fastrand::Rng| Point {
            x: float!(random, f32, random.u32(..)),
            y: some(random, |random| integer!(random, i64)),
        };
        let inner = |random: &mut fastrand::Rng| Inner {
            text: text(random),
            wide: some(random, |random| float!(random, f64, random.u64(..))),
            point: some(random, point),
        };
        Self {
            flat: Flat::random(random),
            bytes: (0..random.usize(..4)).map(|_| random.u8(..)).collect(),
            pair: (integer!(random, i16), text(random)),
            inner: some(random, inner),
        }
    }

    fn through(mut self, format: Format) -> Self {
        self.flat = self.flat.through(format);
        if let (Some(inner), Format::Json) = (&mut self.inner, format) {
            inner.wide = inner.wide.map(|x| if x.is_nan() { f64::NAN } else { x });
            if let Some(point) = &mut inner.point
                && point.x.is_nan()
            {
                point.x = f32::NAN;
            }
        }
        self
    }

    fn canonical(&self) -> Value {
        let point = |point: &Point| json!({ "x": bits!(point.x), "y": point.y });
        let inner = |inner: &Inner| {
            json!({
                "text": inner.text,
                "wide": inner.wide.map(|x| bits!(x)),
                "point": inner.point.as_ref().map(point),
            })
        };
        let digits =
            |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        json!({
            "flat": self.flat.canonical(),
            "bytes": digits(&self.bytes),
            "pair": [json!(self.pair.0), json!(self.pair.1)],
            "inner": self.inner.as_ref().map(inner),
        })
    }
}

/// A line of text holds neither a line feed nor, at its end, a carriage return; and a byte order
/// mark may come to stand at the start of a file.
impl Random for String {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Csv, Format::Json, Format::Parquet];

    fn random(random: &mut fastrand::Rng) -> Self {
        text(random).replace('\n', "").trim_end_matches('\r').trim_start_matches('\u{feff}').into()
    }

    fn through(self, _: Format) -> Self {
        self
    }

    fn canonical(&self) -> Value {
        json!(self)
    }
}

impl Lines for String {
    fn to_line(self) -> String {
        self
    }

    fn of_line(line: String) -> Self {
        line
    }
}

/// Only single values are lines.
macro_rules! no_lines {
    ($($type:ty),*) => {$(
        impl Lines for $type {
            fn to_line(self) -> String {
                unreachable!("its formats have no text")
            }

            fn of_line(_: String) -> Self {
                unreachable!("its formats have no text")
            }
        }
    )*};
}

no_lines!(Flat, Deep);
