// M0202: a job has a version.
use clink::prelude::*;

#[clink::job(name = "delays")]
fn delays(_pipeline: &Pipeline) -> Result<()> {
    Ok(())
}

fn main() {}
