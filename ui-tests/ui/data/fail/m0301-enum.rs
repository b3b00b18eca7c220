// M0301: Data is derived on a struct with named fields.
use clink::prelude::*;

#[derive(Data, Clone)]
enum Shape {
    Round,
}

fn is_data<T: Data>() {}

fn main() {
    is_data::<Shape>();
}
