// M0501: Key is derived on a struct or an enum.
use clink::prelude::*;

#[derive(Key, Clone, Copy)]
union Word {
    letter: u8,
    number: u8,
}

fn main() {}
