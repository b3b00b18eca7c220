// M0303: each field of Data has a column of its own, with a name.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Name {
    first: String,
    #[data(rename = "first")]
    last: String,
}

fn main() {}
