// Every type that is Data, nested, beside the author's own derives.
use clink::prelude::*;

#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Inner {
    pub(crate) r#type: String,
    /// Documented.
    #[data(rename = "Number")]
    number: i64,
}

#[derive(Clone, Debug, Data)]
struct Outer {
    a: (i8, i16, i32, i64),
    b: (u8, u16),
    c: (u32, u64, Option<f32>),
    d: f64,
    e: bool,
    f: Vec<u8>,
    g: Option<Timestamp>,
    h: Option<Inner>,
    i: Inner,
    j: Option<Vec<u8>>,
    k: char,
    l: Option<Kind>,
    m: Code,
    n: Option<Point>,
}

/// An enum without fields is text.
#[derive(Data, Clone, Copy, Debug)]
enum Kind {
    Plain,
    #[data(rename = "in braces")]
    Braced {},
}

#[derive(Data, Clone, Debug)]
struct Code(String);

#[derive(Data, Clone, Debug)]
struct Point(f64, #[data(rename = "north")] f64);

fn is_data<T: Data>() {}

fn main() {
    is_data::<Outer>();
    is_data::<Kind>();
    assert_eq!(
        <Inner as Data>::field_names(),
        ["type", "Number"],
    );
}
