//! Reads the item and the options under `#[derive(clink::Args)]`, right or wrong.

use syn::{DeriveInput, Meta};

use crate::attr::{Known, Options};
use crate::catalogue::OPTION_SYNTAX;
use crate::errors::Errors;
use crate::hygiene::Private;

/// An item as the author wrote it.
pub(super) struct Written {
    pub(super) input: DeriveInput,
    pub(super) private: Private,
    /// Mistakes in the options.
    pub(super) errors: Errors,
}

/// Reads `#[args(crate = path)]`, the only option that is not clap's.
pub(super) fn parse(input: DeriveInput) -> Written {
    let mut errors = Errors::default();
    let mut private = Private::below(None);
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("args")) {
        match &attribute.meta {
            Meta::List(list) => {
                let options = Options::parse(list.tokens.clone(), Known::values(&[]), &mut errors);
                private = Private::below(options.clink());
            }
            other => {
                let help = "write `#[args(crate = path)]`, or `#[arg(…)]` on a field";
                errors.at(other, OPTION_SYNTAX, "`args` takes options in parentheses", help);
            }
        }
    }
    Written { input, private, errors }
}
