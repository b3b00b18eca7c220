// A `Duration` is no data.
use clink::prelude::*;

fn build(pipeline: &Pipeline) {
    let words = pipeline.elements(vec!["to".to_owned()]);
    words.map(|_| minutes(1)).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
