//! Reads the variants of an enum and the name that each has as text and as a key.
//!
//! `Data` and `Key` are derived beside each other and must agree on the names, so both read them
//! here, and from the same attribute. What is wrong is found twice, in the same words at the same
//! place, and the compiler shows it once.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::{DataEnum, Fields, Ident, LitStr};

use crate::attr::{Known, data_options};
use crate::catalogue::VARIANT_NAMES;
use crate::emit::is_deprecated;
use crate::errors::Errors;
use crate::hygiene::plain_name;

/// The options on a variant.
const VARIANT_OPTIONS: &[&str] = &["rename"];

/// One variant of an enum.
pub(crate) struct Variant<'a> {
    pub(crate) ident: &'a Ident,
    /// Its name in text, in columns and in keys.
    pub(crate) name: String,
    pub(crate) fields: &'a Fields,
    pub(crate) deprecated: bool,
}

/// The variants, in their order.
pub(crate) fn variants<'a>(item: &'a DataEnum, errors: &mut Errors) -> Vec<Variant<'a>> {
    let mut taken = BTreeSet::new();
    let mut variants = Vec::new();
    for variant in &item.variants {
        let options = data_options(&variant.attrs, Known::values(VARIANT_OPTIONS), errors);
        let rename = options.get("rename");
        let name = rename.map_or_else(|| plain_name(&variant.ident), LitStr::value);
        let at = rename.map_or_else(|| variant.ident.to_token_stream(), ToTokens::to_token_stream);
        if name.is_empty() || name.contains(char::is_control) {
            let help = "leave `rename` out to name the variant as it is written";
            errors.at(&at, VARIANT_NAMES, "the name of a variant is visible text", help);
        } else if !taken.insert(name.clone()) {
            let text = format!("there is a variant named `{name}` already");
            errors.at(&at, VARIANT_NAMES, text, "give each variant a name of its own");
        }
        variants.push(Variant {
            ident: &variant.ident,
            name,
            fields: &variant.fields,
            deprecated: is_deprecated(&variant.attrs),
        });
    }
    variants
}
