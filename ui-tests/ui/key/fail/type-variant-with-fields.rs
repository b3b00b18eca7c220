// A variant with fields is no Data yet, and that is said once.
use clink::prelude::*;

#[derive(Data, Key, Clone, PartialEq, Eq, Hash)]
enum Place {
    Nowhere,
    Gate(u16),
}

fn is_key<K: Key>() {}

fn main() {
    is_key::<Place>();
}
