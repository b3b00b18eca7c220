// M0304: each variant of Data or of a key has a name of its own.
use clink::prelude::*;

#[derive(Data, Clone)]
enum Class {
    First,
    #[data(rename = "First")]
    Second,
}

fn is_data<T: Data>() {}

fn main() {
    is_data::<Class>();
}
