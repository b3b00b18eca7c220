//! `#[derive(Data)]`: parse, check, expand; on a mistake, the mistakes and a stub.

mod check;
mod columns;
mod expand;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;

/// The options on the struct, besides `crate`.
const STRUCT_OPTIONS: &[&str] = &["name"];

/// The options on a field.
const FIELD_OPTIONS: &[&str] = &["rename"];

/// Derives `Data`; the struct itself stays where it is.
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
