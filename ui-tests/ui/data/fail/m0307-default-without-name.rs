// M0307: an option of a field fits the struct: forms need columns, a default needs a name.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Point(f64, #[data(default)] f64);

fn main() {}
