// M0306: a field of Data has one form.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Reading {
    #[data(epoch = "s", decimal)]
    at: Timestamp,
}

fn main() {}
