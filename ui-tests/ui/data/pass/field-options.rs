// Forms and defaults of fields, in every kind of struct, beside other attributes.
#![deny(warnings, missing_docs, unused_qualifications, missing_debug_implementations)]
//! A crate under strict lints.
use clink::prelude::*;

/// A payment.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct Payment {
    #[data(epoch = "s")]
    at: Timestamp,
    /// Documented.
    #[data(rename = "settledAt")]
    #[data(epoch = "us", default)]
    settled_at: Option<Timestamp>,
    #[data(decimal)]
    amount: String,
    #[data(decimal, default,)]
    pub(crate) r#type: Option<String>,
    #[data(default)]
    inner: Option<Reading<u8>>,
}

/// A reading.
#[derive(Data, Clone, Debug, PartialEq)]
pub struct Reading<T>(#[data(epoch = "ms")] Timestamp, Option<T>, #[data(decimal)] String);

/// A struct with a default of the author's own.
#[derive(Data, Clone, Debug)]
pub struct Limits<T, const N: usize> {
    #[data(default)]
    values: T,
    #[data(default)]
    level: Level,
}

/// An enum with a default.
#[derive(Data, Clone, Copy, Debug, Default)]
pub enum Level {
    /// The first.
    #[default]
    Low,
    /// The second.
    High,
}

/// A field and its form come out of a macro.
macro_rules! reading {
    ($name:ident, $unit:literal, $ty:ty) => {
        /// Made by a macro.
        #[derive(Data, Clone, Debug)]
        pub struct $name {
            #[data(epoch = $unit)]
            at: $ty,
        }
    };
}

reading!(Seconds, "s", Timestamp);

fn is_data<T: Data>() -> Vec<bool> {
    (0..T::field_names().len()).map(T::has_default).collect()
}

fn main() {
    assert_eq!(is_data::<Payment>(), [false, true, false, true, true]);
    assert_eq!(is_data::<Reading<String>>(), [false; 3]);
    assert_eq!(is_data::<Limits<Option<i64>, 3>>(), [true, true]);
    assert_eq!(is_data::<Seconds>(), [false]);
}
