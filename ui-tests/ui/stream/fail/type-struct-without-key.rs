// A struct is no key until it derives Key.
use clink::prelude::*;

#[derive(Data, Clone, Debug, PartialEq, Eq, Hash)]
struct Airport {
    code: String,
}

fn build(pipeline: &Pipeline) {
    let airports = pipeline.elements(vec![Airport { code: "JFK".to_owned() }]);
    airports.key_by(|airport| airport.clone()).reduce(|a, _| a).sink(print());
}

fn main() {
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
