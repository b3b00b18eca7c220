// M0304: each variant of Data or of a key has a name of its own.
use clink::prelude::*;

#[derive(Data, Key, Clone, PartialEq, Eq, Hash)]
enum Class {
    First,
    #[data(rename = "First")]
    Second,
}

fn is_key<K: Key>() {}

fn main() {
    is_key::<Class>();
}
