//! The doors of the clink macros: one line per macro, no logic.
//!
//! Every macro is a folder with the same four steps: `parse` turns tokens into what the author
//! wrote, `check` turns that into a `model` or collects every error, `expand` turns the model into
//! tokens and cannot fail. All of them work on `proc_macro2` and are tested without a compiler.
//! The documentation that authors read stands where `clink` re-exports these names.
#![forbid(unsafe_code)]

mod args;
mod attr;
mod catalogue;
mod data;
mod emit;
mod errors;
#[cfg(test)]
mod golden;
mod hygiene;
mod job;
mod operator;

use proc_macro::TokenStream;

/// Makes a struct an operator: its fields become parameters and state, and it gets a stable name.
#[proc_macro_attribute]
pub fn operator(options: TokenStream, item: TokenStream) -> TokenStream {
    operator::operator(options.into(), item.into()).into()
}

/// Makes a build function a job that the binary and its plugin can run.
#[proc_macro_attribute]
pub fn job(options: TokenStream, item: TokenStream) -> TokenStream {
    job::job(options.into(), item.into()).into()
}

/// Makes a struct of named fields a type whose values can flow through a job.
#[proc_macro_derive(Data, attributes(data))]
pub fn data(item: TokenStream) -> TokenStream {
    data::data(item.into()).into()
}

/// Makes a struct of named fields the arguments of a job, one flag per field.
#[proc_macro_derive(Args, attributes(arg, command, group, args))]
pub fn args(item: TokenStream) -> TokenStream {
    args::args(item.into()).into()
}
