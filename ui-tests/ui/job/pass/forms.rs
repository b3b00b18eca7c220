// A job with and without arguments, with and without a description.
use clink::prelude::*;

/// Counts.
#[clink::job(name = "plain", version = "0.1.0-rc.1")]
fn plain(_pipeline: &Pipeline) -> Result<()> {
    Ok(())
}

#[derive(clink::Args)]
struct Input {
    #[arg(long, default_value = "a")]
    input: String,
}

#[clink::job(name = "full", version = "1.0.0", description = "Counts what is in the input")]
pub(crate) fn full(_pipeline: &Pipeline, Input { input }: Input) -> Result<()> {
    drop(input);
    Ok(())
}

fn main() {}
