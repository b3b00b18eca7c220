//! `#[derive(clink::Args)]`: parse, check, expand; on a mistake, the mistakes and a stub.

mod check;
mod expand;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;

/// The attributes that clap reads.
const CLAP: &[&str] = &["arg", "command", "group", "doc"];

/// Derives clap's traits; the struct itself stays where it is.
pub(crate) fn args(item: TokenStream) -> TokenStream {
    let Ok(input) = syn::parse2(item) else {
        // The compiler says what is wrong with an item that does not parse.
        return TokenStream::new();
    };
    let written = parse::parse(input);
    let stub = expand::stub(&written);
    check::check(written).map_or_else(
        |mistakes| [mistakes, stub].into_iter().collect(),
        |model| expand::expand(&model),
    )
}
