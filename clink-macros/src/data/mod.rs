//! `#[derive(Data)]`: parse, check, expand; on a mistake, the mistakes and a stub.

mod check;
mod columns;
mod expand;
mod model;
mod newtype;
mod parse;
mod serial;
#[cfg(test)]
mod tests;
mod words;

use proc_macro2::TokenStream;

use crate::attr::Known;

/// The options on the type, besides `crate`; `Key` reads the same ones.
pub(crate) const TYPE_OPTIONS: &[&str] = &["name"];

/// The options on a field.
const FIELD_OPTIONS: Known<'_> =
    Known { values: &["rename", "epoch"], flags: &["decimal", "default"] };

/// Derives `Data`; the type itself stays where it is.
pub(crate) fn data(item: TokenStream) -> TokenStream {
    let Ok(input) = syn::parse2(item) else {
        // The compiler says what is wrong with an item that does not parse.
        return TokenStream::new();
    };
    let written = parse::parse(&input);
    let stub = expand::stub(&written.target);
    check::check(written).map_or_else(
        |mistakes| [mistakes, stub].into_iter().collect(),
        |model| expand::expand(&model),
    )
}
