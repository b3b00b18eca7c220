// A float is no key at any depth, and that is said once, at the field.
use clink::prelude::*;
use std::hash::{Hash, Hasher};

#[derive(Data, Key, Clone, PartialEq)]
struct Place {
    name: String,
    latitude: f64,
}

#[derive(Data, Key, Clone, PartialEq)]
struct Nested(Option<f64>, (u8, (f32, u8)));

#[derive(Data, Key, Clone, PartialEq)]
struct Newtype(f64);

/// What its author might write to have the compiler accept a float.
macro_rules! lie {
    ($($name:ty),*) => {$(
        impl Eq for $name {}

        impl Hash for $name {
            fn hash<H: Hasher>(&self, _: &mut H) {}
        }
    )*};
}

lie!(Place, Nested, Newtype);

fn is_key<K: Key>() {}

fn main() {
    is_key::<Place>();
}
