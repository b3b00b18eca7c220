//! Reads the item and the options under `#[derive(Key)]`, right or wrong.

use syn::DeriveInput;

use super::model::Target;
use crate::attr::{Known, data_options};
use crate::data::TYPE_OPTIONS;
use crate::errors::Errors;
use crate::hygiene::Private;

/// An item as the author wrote it.
pub(super) struct Written<'a> {
    pub(super) input: &'a DeriveInput,
    pub(super) target: Target,
    /// Mistakes in the options of the item.
    pub(super) errors: Errors,
}

/// Reads the options on the item, which are those of `Data`.
pub(super) fn parse(input: &DeriveInput) -> Written<'_> {
    let mut errors = Errors::default();
    let options = data_options(&input.attrs, Known::values(TYPE_OPTIONS), &mut errors);
    let target = Target {
        private: Private::below(options.clink()),
        ident: input.ident.clone(),
        generics: input.generics.clone(),
    };
    Written { input, target, errors }
}
