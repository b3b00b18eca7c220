// Structs and enums of keys are keys, owned and borrowed, generic ones included.
use clink::prelude::*;

#[derive(Data, Key, Clone, Debug, PartialEq, Eq, Hash)]
struct Route {
    from: String,
    to: Option<String>,
    class: Class,
    gate: Gate,
}

#[derive(Data, Key, Clone, Debug, PartialEq, Eq, Hash)]
struct Gate(char, u16);

#[derive(Data, Key, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Code(String);

impl std::borrow::Borrow<str> for Code {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[derive(Data, Key, Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    First,
    #[data(rename = "2nd")]
    Second,
    #[deprecated]
    Third,
}

#[derive(Data, Key, Clone, Debug, PartialEq, Eq, Hash)]
struct Pair<T, const N: usize>
where
    T: Ord,
{
    left: T,
    right: (Option<T>, bool),
}

#[derive(Data, Clone, Debug)]
struct Flight {
    route: Route,
    pair: Pair<Timestamp, 2>,
}

fn is_key<K: Key>() {}

fn build(pipeline: &Pipeline) {
    let flights = pipeline.elements(Vec::<Flight>::new());
    flights.clone().key_by(|f| f.route.clone()).reduce(|a, _| a).sink(print());
    flights.clone().key_by(|f| Some((f.route.class, f.route.gate.clone()))).reduce(|a, _| a).sink(print());
    flights.clone().key_by_ref(|f| &f.route).reduce(|a, _| a).sink(print());
    flights.key_by_ref(|f| &f.pair).reduce(|a, _| a).sink(print());
}

fn main() {
    is_key::<Code>();
    is_key::<Pair<Code, 7>>();
    let _ = clink::Job::build("job", |pipeline| Ok(build(pipeline)));
}
