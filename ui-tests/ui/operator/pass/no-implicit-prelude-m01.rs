// Generated code names nothing that the author may have redefined.
#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![allow(dead_code)]

mod std {}
mod core {}
mod serde {}
mod clink {}
mod clap {}

struct Result;
struct Option;
struct Some;
struct Vec;
struct String;
struct Default;
struct Clone;
struct Send;
struct From;
struct Iterator;

#[::clink::operator(uid = "count")]
struct Count {
    limit: u64,
    #[state]
    seen: ::clink::prelude::ValueState<u64>,
    #[transient]
    scratch: u8,
}

impl ::clink::prelude::KeyedOperator for Count {
    type Key = u64;
    type In = u64;
    type Out = Doubled;

    fn process(
        &mut self,
        value: u64,
        ctx: &mut ::clink::prelude::KeyedContext<'_, Self>,
    ) -> ::clink::prelude::Result<()> {
        ctx.emit(Doubled { value, half: ::std::option::Option::Some(value) });
        ::std::result::Result::Ok(())
    }
}

#[derive(::clink::prelude::Data, ::std::clone::Clone)]
struct Doubled {
    value: u64,
    half: ::std::option::Option<u64>,
}

#[derive(
    ::clink::prelude::Data,
    ::clink::prelude::Key,
    ::std::clone::Clone,
    ::std::cmp::PartialEq,
    ::std::cmp::Eq,
    ::std::hash::Hash,
)]
struct Route(u64, Class, char);

#[derive(
    ::clink::prelude::Data,
    ::clink::prelude::Key,
    ::std::clone::Clone,
    ::std::cmp::PartialEq,
    ::std::cmp::Eq,
    ::std::hash::Hash,
)]
enum Class {
    First,
    Second,
}

#[derive(::clink::prelude::Data, ::std::clone::Clone)]
struct Newtype(::std::option::Option<u64>);

#[derive(::clink::Args)]
struct Input {
    #[arg(long, default_value = "3")]
    input: u64,
}

#[::clink::job(name = "count", version = "1.0.0")]
fn count(pipeline: &::clink::Pipeline, args: Input) -> ::clink::prelude::Result<()> {
    let _ = (pipeline, args.input);
    ::std::result::Result::Ok(())
}

fn main() {}
