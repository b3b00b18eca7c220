// An operator takes what the stream carries.
use clink::prelude::*;

/// Doubles numbers.
#[clink::operator(uid = "double")]
#[derive(Default)]
struct Double;

impl Operator for Double {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        ctx.emit(n * 2);
        Ok(())
    }
}

fn build(pipeline: &Pipeline) {
    let words = pipeline.elements(vec!["to".to_owned()]);
    words.process(Double).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
