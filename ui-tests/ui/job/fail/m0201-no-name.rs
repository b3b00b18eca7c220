// M0201: a job has a name.
use clink::prelude::*;

#[clink::job(version = "1.0.0")]
fn my_delays(_pipeline: &Pipeline) -> Result<()> {
    Ok(())
}

fn main() {}
