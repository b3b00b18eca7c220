// M0003: an option has a string literal as its value, or none if it is a flag.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Reading {
    #[data(default = "0")]
    value: i64,
}

fn main() {}
