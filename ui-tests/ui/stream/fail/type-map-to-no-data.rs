// A closure gives data, and that it does not is said once.
use clink::prelude::*;

fn build(pipeline: &Pipeline) {
    let numbers = pipeline.generate(10, |n| n);
    numbers.map(|n| vec![n.to_string()]).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
