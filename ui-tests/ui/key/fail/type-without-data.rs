// A key is Data, and that is demanded where `Key` is derived.
use clink::prelude::*;

#[derive(Key, Clone, PartialEq, Eq, Hash)]
enum Class {
    First,
    Second,
}

fn main() {}
