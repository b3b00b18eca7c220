// A field that is not Data is one error at its type.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Flight {
    carrier: String,
    seats: std::collections::HashMap<String, u8>,
}

fn is_data<T: Data>() {}

fn main() {
    is_data::<Flight>();
}
