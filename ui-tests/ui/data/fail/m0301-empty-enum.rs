// M0301: Data is derived on a struct with fields, or on an enum without any.
use clink::prelude::*;

#[derive(Data, Key, Clone, PartialEq, Eq, Hash)]
enum Nothing {}

fn main() {}
