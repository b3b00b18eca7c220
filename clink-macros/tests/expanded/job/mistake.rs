async fn delays(pipeline: &Pipeline, args: Input, more: u8) -> Result<()> {
    Ok(())
}
::core::compile_error! {
    "job `delays` has no version [M0202]\n  help: write `#[clink::job(name = \"delays\", version = \"0.1.0\")]`"
}
::core::compile_error! {
    "a job is no `async` function [M0204]\n  help: it only describes what is to run; remove the word"
}
::core::compile_error! {
    "a job takes the pipeline and one struct of arguments [M0205]\n  help: make the arguments fields of one struct that derives `clink::Args`"
}
