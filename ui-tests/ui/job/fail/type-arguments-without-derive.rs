// The arguments of a job derive `clink::Args`.
use clink::prelude::*;

struct Input;

#[clink::job(name = "delays", version = "1.0.0")]
fn delays(_pipeline: &Pipeline, _input: Input) -> Result<()> {
    Ok(())
}

fn main() {}
