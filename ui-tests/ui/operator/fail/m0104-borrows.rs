// M0104: an operator owns its fields.
use clink::prelude::*;

#[clink::operator(uid = "count")]
struct Count<'a> {
    name: &'a str,
}

fn main() {}
