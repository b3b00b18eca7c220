// An operator without a key stands before `key_by`.
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
    let numbers = pipeline.generate(10, |n| n);
    numbers.key_by(|n| n % 3).process(Double).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
