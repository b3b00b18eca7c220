// A newtype of an Option is as good as one: no Option goes around it.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Delay(Option<i64>);

#[derive(Data, Clone)]
struct Flight {
    late: Delay,
    later: Option<Delay>,
}

fn main() {}
