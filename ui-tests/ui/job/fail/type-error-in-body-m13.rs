// Errors in the author's own code point at the author's line.
use clink::prelude::*;

#[clink::job(name = "delays", version = "1.0.0")]
fn delays(_pipeline: &Pipeline) -> Result<()> {
    let limit: u64 = "ten";
    Ok(())
}

fn main() {}
