// A job returns nothing but an error.
use clink::prelude::*;

#[clink::job(name = "delays", version = "1.0.0")]
fn delays(_pipeline: &Pipeline) -> Result<u64> {
    Ok(7)
}

fn main() {}
