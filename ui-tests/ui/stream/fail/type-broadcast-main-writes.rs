// The main closure of a broadcast reads the state; only control records change it.
use clink::prelude::*;

fn build(pipeline: &Pipeline) {
    let limits = pipeline.elements(vec![3_u64]);
    pipeline
        .generate(5, |n| n)
        .connect_broadcast(limits)
        .process(
            u64::MAX,
            |limit, n, ctx| {
                *limit = n;
                ctx.emit(n);
                Ok(())
            },
            |limit, new, _| {
                *limit = new;
                Ok(())
            },
        )
        .sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
