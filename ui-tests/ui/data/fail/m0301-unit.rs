// M0301: Data is derived on a struct with named fields.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Tick;

fn main() {}
