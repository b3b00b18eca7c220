#[clink::job(name = "delays", version = "1.0.0", description = "Delays")]
pub fn r#try(pipeline: &Pipeline, Input { input }: Input) -> clink::Result<()> {
    pipeline.source(files::csv::<Flight>(&input)).sink(print());
    Ok(())
}
