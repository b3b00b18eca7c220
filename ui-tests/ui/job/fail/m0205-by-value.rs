// M0205: a job borrows the pipeline.
use clink::prelude::*;

#[clink::job(name = "delays", version = "1.0.0")]
fn delays(_pipeline: Pipeline) -> Result<()> {
    Ok(())
}

fn main() {}
