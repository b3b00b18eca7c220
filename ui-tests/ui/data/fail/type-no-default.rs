// What may be missing has a default.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Reading {
    value: f64,
    #[data(default)]
    unit: Unit,
}

#[derive(Data, Clone)]
enum Unit {
    Celsius,
    Kelvin,
}

fn main() {}
