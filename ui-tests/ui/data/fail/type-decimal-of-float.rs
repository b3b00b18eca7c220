// A decimal is the form of a String, and another type is one error at the type.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Payment {
    id: u64,
    #[data(decimal)]
    amount: f64,
}

fn is_data<T: Data>() {}

fn main() {
    is_data::<Payment>();
}
