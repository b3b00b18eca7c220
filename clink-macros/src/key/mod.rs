//! `#[derive(Key)]`: parse, check, expand; on a mistake, the mistakes and a stub.

mod check;
mod expand;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;

/// Derives the encoding of a key; the type itself stays where it is.
pub(crate) fn key(item: TokenStream) -> TokenStream {
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
