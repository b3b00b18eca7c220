// M0301: Data is derived on a struct with named fields.
use clink::prelude::*;

#[derive(Data, Clone, Copy)]
union Bits {
    a: u8,
}

fn main() {}
