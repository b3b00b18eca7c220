// M0206: a job returns a result.
use clink::prelude::*;

#[clink::job(name = "delays", version = "1.0.0")]
fn delays(_pipeline: &Pipeline) {}

fn main() {}
