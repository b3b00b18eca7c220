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
}

fn is_data<T: Data>() {}

fn main() {
    is_data::<Outer>();
    assert_eq!(
        <Inner as Data>::field_names(),
        ["type", "Number"],
    );
}
