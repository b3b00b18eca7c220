// A generic operator takes what its own type says.
use clink::prelude::*;

/// Passes records on.
#[clink::operator(uid = "pass")]
struct Pass<T: Data> {
    #[transient]
    last: Option<T>,
}

impl<T: Data> Operator for Pass<T> {
    type In = T;
    type Out = T;

    fn process(&mut self, value: T, ctx: &mut Context<'_, T>) -> Result<()> {
        self.last = Some(value.clone());
        ctx.emit(value);
        Ok(())
    }
}

fn build(pipeline: &Pipeline) {
    pipeline.generate(10, |n| n).process(Pass::<String> { last: None }).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
