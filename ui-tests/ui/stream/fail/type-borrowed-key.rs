// A key that is borrowed takes `key_by_ref`.
use clink::prelude::*;

fn build(pipeline: &Pipeline) {
    let numbers = pipeline.elements(vec![(1u32, 2u64)]);
    numbers.key_by(|(key, _)| key).reduce(|a, _| a).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
