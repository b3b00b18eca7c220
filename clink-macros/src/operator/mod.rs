//! `#[clink::operator]`: parse, check, expand; on a mistake, the item, the mistakes and a stub.

mod check;
mod expand;
mod model;
mod parse;

use proc_macro2::TokenStream;

use crate::emit::without_helpers;
use parse::Parsed;

/// The field attributes that only this macro knows, all of which it strips.
const HELPERS: &[&str] = &["state", "transient", "side_output", "metric"];

/// The options of the macro, besides `crate`.
const OPTIONS: &[&str] = &["uid", "name"];

/// Annotates an operator struct.
pub(crate) fn operator(options: TokenStream, item: TokenStream) -> TokenStream {
    let parsed = parse::parse(options, item.clone());
    let mut output = match &parsed {
        Parsed::Struct(written) => written.item.clone(),
        _ => without_helpers(item, HELPERS),
    };
    output.extend(match parsed {
        Parsed::Struct(written) => {
            let stub = expand::stub(&written.target);
            check::check(*written).map_or_else(
                |mistakes| [mistakes, stub].into_iter().collect(),
                |model| expand::expand(&model),
            )
        }
        Parsed::Other { mistakes, target } => {
            let stub = target.as_ref().map(expand::stub);
            [Some(mistakes), stub].into_iter().flatten().collect()
        }
        Parsed::NotRust => TokenStream::new(),
    });
    output
}

#[cfg(test)]
mod tests;
