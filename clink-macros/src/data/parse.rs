//! Reads the item and the options under `#[derive(Data)]`, right or wrong.

use syn::DeriveInput;

use super::TYPE_OPTIONS;
use super::model::Target;
use crate::attr::{Known, Options, data_options};
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
    let options = data_options(&input.attrs, Known::values(TYPE_OPTIONS), &mut errors);
    let target = Target {
        private: Private::below(options.clink()),
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        visibility: input.vis.clone(),
    };
    Written { input, options, target, errors }
}
