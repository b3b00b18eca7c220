//! The doors of the clink macros: one line per macro, no logic.
//!
//! Every macro is a folder with the same four steps: `parse` turns tokens into what the author
//! wrote, `check` turns that into a `model` or collects every error, `expand` turns the model into
//! tokens and cannot fail. All of them work on `proc_macro2` and are tested without a compiler.
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
mod key;
mod operator;
mod variants;

use proc_macro::TokenStream;

/// Makes a struct an operator: its fields become parameters and state, and it gets a stable name.
///
/// ```text
/// #[clink::operator(uid = "mean-delay")]
/// struct MeanDelay {
///     only_above: Option<i64>,              // a parameter: travels in the job graph
///     #[state] flights: ValueState<u64>,    // keyed state: one value for each key
///     #[transient] scratch: String,         // rebuilt with `Default` at each start
/// }
/// ```
///
/// What the struct does is said by the one contract that it implements: `Source`, `Operator`,
/// `KeyedOperator` or `Sink`. None or several of them is an error at the struct's name.
///
/// Options: `uid`, which state is filed under and which every operator has; `name`, its name in
/// the graph, by default module and struct; `crate`, the path of clink where it is not `::clink`.
#[proc_macro_attribute]
pub fn operator(options: TokenStream, item: TokenStream) -> TokenStream {
    operator::operator(options.into(), item.into()).into()
}

/// Makes a build function a job that the binary and its plugin can run.
///
/// ```text
/// #[clink::job(name = "delays", version = "1.0.0")]
/// fn delays(pipeline: &Pipeline, args: Input) -> Result<()> { … }
/// ```
///
/// The second parameter is there if the job has arguments: a struct that derives `clink::Args`.
///
/// Options: `name` and `version`, which every job has; `description`, by default the first
/// paragraph of the doc comment; `crate`, the path of clink where it is not `::clink`.
#[proc_macro_attribute]
pub fn job(options: TokenStream, item: TokenStream) -> TokenStream {
    job::job(options.into(), item.into()).into()
}

/// Makes a struct, or an enum without fields, a type whose values can flow through a job.
///
/// Every field is a column, and its type is `Data` itself. A struct around one unnamed field is
/// that field's column; other unnamed fields are columns `0`, `1`, …. An enum is a column of text
/// that holds the names of its variants. The type derives `Clone` as well.
///
/// `#[data(rename = "…")]` on a field names its column, on a variant its text;
/// `#[data(name = "…")]` on the type names it, by default module and type; `#[data(crate = …)]` is
/// the path of clink.
#[proc_macro_derive(Data, attributes(data))]
pub fn data(item: TokenStream) -> TokenStream {
    data::data(item.into()).into()
}

/// Makes a struct or an enum a key that records can be partitioned by.
///
/// ```text
/// #[derive(Data, Key, Clone, PartialEq, Eq, Hash)]
/// struct Route { from: String, to: String, class: Class }
///
/// #[derive(Data, Key, Clone, PartialEq, Eq, Hash)]
/// enum Class { First, Second }
/// ```
///
/// Every field is a key itself, in the order of the declaration: another order is another key. The
/// names of fields are no part of a key, those of variants are; what `#[data(rename = "…")]` calls
/// a variant, its key is called too, and `#[data(crate = …)]` is the path of clink here as well.
#[proc_macro_derive(Key, attributes(data))]
pub fn key(item: TokenStream) -> TokenStream {
    key::key(item.into()).into()
}

/// Makes a struct of named fields the arguments of a job, one flag for each field.
///
/// The attributes `arg`, `command` and `group` are clap's and mean what they mean there; the
/// author's package needs no dependency on clap. `#[args(crate = …)]` is the path of clink.
#[proc_macro_derive(Args, attributes(arg, command, group, args))]
pub fn args(item: TokenStream) -> TokenStream {
    args::args(item.into()).into()
}
