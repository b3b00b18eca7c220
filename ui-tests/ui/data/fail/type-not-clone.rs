// Data can be cloned.
use clink::prelude::*;

#[derive(Data)]
struct Flight {
    carrier: String,
}

fn main() {}
