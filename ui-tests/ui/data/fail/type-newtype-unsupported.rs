// A newtype of something that is no Data is reported once, at the field.
use clink::prelude::*;

#[derive(Data, Clone)]
struct Words(Vec<String>);

fn is_data<T: Data>() {}

fn main() {
    is_data::<Words>();
}
