// M0301: Data is derived on a struct with fields, or on an enum without any.
use clink::prelude::*;

#[derive(Data, Clone)]
enum Shape {
    Round,
    Polygon { corners: u8 },
}

fn is_data<T: Data>() {}

fn main() {
    is_data::<Shape>();
}
