// M0302: Data owns its fields.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Name<'a> {
    name: &'a str,
}

fn main() {}
