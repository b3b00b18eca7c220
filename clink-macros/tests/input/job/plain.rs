/// Mean delay
/// per carrier.
///
/// More about it.
#[clink::job(name = "delays", version = "1.0.0")]
fn delays(pipeline: &Pipeline) -> Result<()> {
    pipeline.source(numbers()).sink(print());
    Ok(())
}
