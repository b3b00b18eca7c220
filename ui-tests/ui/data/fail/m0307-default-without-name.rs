// M0307: a form belongs to a column, a default to a field that has a name.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Point(f64, #[data(default)] f64);

fn main() {}
