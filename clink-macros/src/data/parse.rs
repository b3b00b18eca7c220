//! Reads the item and the options under `#[derive(Data)]`, right or wrong.

use proc_macro2::TokenStream;
use syn::{Attribute, DeriveInput, Meta};

use super::STRUCT_OPTIONS;
use super::model::Target;
use crate::attr::Options;
use crate::catalogue::OPTION_SYNTAX;
use crate::errors::Errors;
use crate::hygiene::Private;

/// An item as the author wrote it.
pub(super) struct Written<'a> {
    pub(super) input: &'a DeriveInput,
    pub(super) options: Options,
    pub(super) target: Target,
    /// Mistakes in the options of the item.
    pub(super) errors: Errors,
}

/// Reads the options on the item.
pub(super) fn parse(input: &DeriveInput) -> Written<'_> {
    let mut errors = Errors::default();
    let options = options(&input.attrs, STRUCT_OPTIONS, &mut errors);
    let target = Target {
        private: Private::below(options.clink()),
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        visibility: input.vis.clone(),
    };
    Written { input, options, target, errors }
}

/// The options in all `#[data(…)]` attributes of one place.
pub(super) fn options(attributes: &[Attribute], known: &[&str], errors: &mut Errors) -> Options {
    let mut tokens = TokenStream::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("data")) {
        match &attribute.meta {
            Meta::List(list) => {
                tokens.extend(list.tokens.clone());
                if list.tokens.clone().into_iter().last().is_some_and(|t| t.to_string() != ",") {
                    tokens.extend(quote::quote!(,));
                }
            }
            other => {
                let help = "write `#[data(option = \"value\")]`";
                errors.at(other, OPTION_SYNTAX, "`data` takes options in parentheses", help);
            }
        }
    }
    Options::parse(tokens, known, errors)
}
