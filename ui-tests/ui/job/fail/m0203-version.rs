// M0203: a job's version has the form 1.2.3.
use clink::prelude::*;

#[clink::job(name = "delays", version = "v1")]
fn delays(_pipeline: &Pipeline) -> Result<()> {
    Ok(())
}

fn main() {}
