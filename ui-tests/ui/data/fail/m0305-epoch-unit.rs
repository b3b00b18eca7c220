// M0305: an epoch is counted in `s`, `ms` or `us`.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Reading {
    #[data(epoch = "ns")]
    at: Timestamp,
}

fn main() {}
