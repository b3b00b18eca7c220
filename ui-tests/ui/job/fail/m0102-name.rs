// M0102: a name has 1 to 128 of A-Z a-z 0-9 . _ - and no dot in front.
use clink::prelude::*;

#[clink::job(name = "../delays", version = "1.0.0")]
fn delays(_pipeline: &Pipeline) -> Result<()> {
    Ok(())
}

fn main() {}
