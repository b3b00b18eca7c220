// An Option in an Option has two kinds of nothing.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Flight {
    delay: Option<Option<i64>>,
}

fn main() {}
