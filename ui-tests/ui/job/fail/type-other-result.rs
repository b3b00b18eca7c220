// A job returns clink's result: another one is one error at its type.
use clink::prelude::*;

#[clink::job(name = "delays", version = "1.0.0")]
fn delays(_pipeline: &Pipeline) -> std::result::Result<(), std::num::ParseIntError> {
    "7".parse::<u64>()?;
    Ok(())
}

fn main() {}
