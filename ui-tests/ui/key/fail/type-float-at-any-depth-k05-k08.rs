// A float is no key within an option, a tuple, a list or a struct around it.
use clink::prelude::*;

#[derive(Data, Clone, PartialEq)]
struct Degrees(f64);

fn build(pipeline: &Pipeline) {
    let numbers = pipeline.generate(10, |n| n as f64);
    numbers.clone().key_by(|n| Some(*n)).reduce(|a, _| a).sink(print());
    numbers.clone().key_by(|n| (1u8, (*n, 2u8))).reduce(|a, _| a).sink(print());
    numbers.clone().key_by(|n| vec![*n]).reduce(|a, _| a).sink(print());
    numbers.key_by(|n| Degrees(*n)).reduce(|a, _| a).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
