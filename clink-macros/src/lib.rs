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
/// ```text
/// #[derive(Data, Clone)]
/// struct Payment {
///     #[data(epoch = "s")]
///     at: Timestamp,            // in files a number of seconds: 1700000000.123
///     #[data(decimal)]
///     amount: String,           // the digits of a number as they were written: 12.10
///     #[data(rename = "type")]
///     kind: Kind,               // the column `type`
///     #[data(default)]
///     note: Option<String>,     // files may lack the column
/// }
/// ```
///
/// Every field is a column, and its type is `Data` itself. A struct around one unnamed field is
/// that field's column; other unnamed fields are columns `0`, `1`, …. An enum is a column of text
/// that holds the names of its variants. The type derives `Clone` as well.
///
/// | Rust | CSV cell | JSON | column |
/// |---|---|---|---|
/// | integers | digits | a number; a string is an error | Int8 to UInt64 |
/// | `f32`, `f64` | a number, `NaN`, `inf` | a number, `"NaN"`, `"Infinity"` | Float32, Float64 |
/// | `bool` | `true`, `false` | `true`, `false` | Boolean |
/// | `char`, `String`, an enum | text | a string | Utf8 |
/// | `Vec<u8>` | read only | an array of numbers | Binary |
/// | `Timestamp` | RFC 3339 | that, or milliseconds | Timestamp(ms, UTC) |
/// | `Option<T>` | empty is `None` | null or missing is `None` | that of `T`, nullable |
/// | a struct | a row | an object; without field names an array | Struct |
///
/// Options of a field:
///
/// - `rename = "…"` names its column and its JSON field; on a variant it is the text.
/// - `epoch = "s"`, `"ms"` or `"us"`: a `Timestamp` is a number since 1970 in CSV and JSON; digits
///   below the millisecond are cut, towards the past.
/// - `decimal`: a `String` holds the digits of a number, also of a JSON number; it is written as
///   text.
/// - `default`: a JSON field or a column that is missing is the `Default` of the type. Without it
///   a missing JSON field is an error unless the type is an `Option`, and a missing CSV column is
///   always one.
///
/// Options of the type: `name = "…"`, by default module and type; `crate`, the path of clink.
///
/// What cannot be held exactly, such as an integer out of range, is an error with its place.
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
