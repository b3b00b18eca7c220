// A float is no key, and that is said once.
use clink::prelude::*;

fn build(pipeline: &Pipeline) {
    let numbers = pipeline.generate(10, |n| n as f64);
    numbers.key_by(|n| *n).reduce(|a, b| a + b).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
