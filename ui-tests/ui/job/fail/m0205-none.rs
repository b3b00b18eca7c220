// M0205: a job takes the pipeline and, if it has any, its arguments.
use clink::prelude::*;

#[clink::job(name = "delays", version = "1.0.0")]
fn delays() -> Result<()> {
    Ok(())
}

fn main() {}
