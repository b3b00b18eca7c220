// What a key stands on is demanded where `Key` is derived.
use clink::prelude::*;

#[derive(Data, Key, Clone, PartialEq, Eq)]
struct Code(String);

fn main() {}
