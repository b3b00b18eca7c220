// What flows is Data.
use clink::prelude::*;

struct Flight {
    _carrier: String,
}

fn is_data<T: Data>() {}

fn main() {
    is_data::<Flight>();
}
