// A closure gives data.
use clink::prelude::*;

fn build(pipeline: &Pipeline) {
    let numbers = pipeline.generate(10, |n| n);
    numbers.map(|n| vec![n.to_string()]).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
