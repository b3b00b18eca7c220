// Text is an error, as is every error.
use clink::prelude::*;

#[clink::job(name = "delays", version = "1.0.0")]
fn delays(pipeline: &Pipeline) -> Result<()> {
    let limit = "7".parse::<u64>()?;
    if limit > 8 {
        return Err("no such limit".into());
    }
    if limit > 9 {
        return Err(format!("no limit {limit}").into());
    }
    if limit > 10 {
        Err("no such limit")?;
    }
    if limit > 11 {
        return Err(Error::new("no such limit").terminal());
    }
    part(pipeline)?;
    boxed()?;
    Ok(())
}

fn part(pipeline: &Pipeline) -> Result<()> {
    pipeline.generate(1, |n| n).sink(print());
    Ok(())
}

fn boxed() -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Ok(())
}

fn main() {}
