//! `#[clink::job]`: parse, check, expand; on a mistake, the function and the mistakes.

mod check;
mod expand;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;

/// The options of the macro, besides `crate`.
const OPTIONS: &[&str] = &["name", "version", "description"];

/// Annotates a build function, which comes back token by token.
pub(crate) fn job(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut output = item.clone();
    output.extend(match parse::parse(options, item).and_then(check::check) {
        Ok(model) => expand::expand(&model),
        Err(mistakes) => mistakes,
    });
    output
}
