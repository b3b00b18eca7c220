// A job takes the pipeline: another type is one error at its name.
use clink::prelude::*;

#[clink::job(name = "delays", version = "1.0.0")]
fn delays(_pipeline: &String) -> Result<()> {
    Ok(())
}

fn main() {}
