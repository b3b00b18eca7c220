// An operator implements exactly one contract: none is one error at its name.
use clink::prelude::*;

#[clink::operator(uid = "count")]
struct Count;

fn main() {}
