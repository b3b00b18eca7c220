#[clink::job(name = "delays")]
async fn delays(pipeline: &Pipeline, args: Input, more: u8) -> Result<()> {
    Ok(())
}
