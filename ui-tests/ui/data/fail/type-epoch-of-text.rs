// An epoch is the form of a Timestamp, and another type is one error at the type.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Reading {
    #[data(epoch = "s")]
    at: Option<String>,
}

fn is_data<T: Data>() {}

fn main() {
    is_data::<Reading>();
}
