// A type that is no Data is one error, with a form as without.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Reading {
    #[data(epoch = "ms")]
    at: std::time::SystemTime,
}

fn main() {}
