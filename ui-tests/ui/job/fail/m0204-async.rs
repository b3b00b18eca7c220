// M0204: a job is a plain function.
use clink::prelude::*;

#[clink::job(name = "delays", version = "1.0.0")]
async fn delays(_pipeline: &Pipeline) -> Result<()> {
    Ok(())
}

fn main() {}
