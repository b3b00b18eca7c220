// Generated code is clean under the strictest lints an author may set.
#![deny(
    warnings,
    missing_docs,
    unsafe_code,
    unreachable_pub,
    unused_qualifications,
    elided_lifetimes_in_paths,
    single_use_lifetimes,
    trivial_casts,
    unused_lifetimes,
    variant_size_differences,
    non_ascii_idents,
    rust_2018_idioms
)]
#![forbid(unsafe_code, missing_docs)]
//! An author with strict lints.

use clink::prelude::*;

/// Counts.
#[clink::operator(uid = "count")]
#[derive(Default)]
pub struct Count {
    /// The limit.
    pub limit: u64,
    #[state]
    seen: ValueState<u64>,
    #[transient]
    scratch: u8,
}

impl KeyedOperator for Count {
    type Key = u64;
    type In = u64;
    type Out = Doubled;

    fn process(&mut self, value: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.scratch = 0;
        let seen = self.seen.update(ctx, |n| n + 1)?;
        ctx.emit(Doubled { value: value * seen });
        Ok(())
    }
}

/// Twice the value.
#[derive(Data, Clone, Debug)]
pub struct Doubled {
    /// The value.
    pub value: u64,
}

/// A key.
#[derive(Data, Key, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// Where from.
    pub from: Code,
    /// How.
    pub class: Class,
}

/// A newtype.
#[derive(Data, Key, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub String);

/// An enum.
#[derive(Data, Key, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The best.
    First,
    /// The rest.
    Second,
}

/// What to count.
#[derive(clink::Args, Debug)]
pub struct Input {
    /// How far.
    #[arg(long, default_value_t = 3)]
    pub limit: u64,
}

/// Counts.
///
/// # Errors
/// None.
#[clink::job(name = "count", version = "1.0.0")]
pub fn count(pipeline: &Pipeline, args: Input) -> Result<()> {
    let _ = (pipeline, args.limit);
    Ok(())
}

fn main() {
    let _ = Count::default();
}
