//! Collects every mistake of an item, so that the author sees all of them at once.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

use crate::catalogue::Rule;

/// The mistakes found so far.
///
/// They can only be got rid of by [`Errors::check`], which makes forgetting them a type error: a
/// step that collects mistakes returns what `check` returns.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    found: Vec<syn::Error>,
}

impl Errors {
    /// A mistake in the tokens of `at`.
    pub(crate) fn at(&mut self, at: impl ToTokens, rule: Rule, text: impl AsRef<str>, help: &str) {
        self.found.push(syn::Error::new_spanned(at, message(rule, text.as_ref(), help)));
    }

    /// A mistake at a place that has no tokens of its own.
    pub(crate) fn at_span(&mut self, at: Span, rule: Rule, text: impl AsRef<str>, help: &str) {
        self.found.push(syn::Error::new(at, message(rule, text.as_ref(), help)));
    }

    /// The value, or all mistakes as one error.
    pub(crate) fn check<T>(self, value: Option<T>) -> Result<T, TokenStream> {
        let first = self.found.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        match (value, first) {
            (Some(value), None) => Ok(value),
            (_, Some(errors)) => Err(errors.into_compile_error()),
            // No value and no mistake: what was given is not Rust, and the compiler says so.
            (None, None) => Err(TokenStream::new()),
        }
    }
}

/// The text of a mistake: what is wrong, its code, and on a line of its own what to do.
fn message(rule: Rule, text: &str, help: &str) -> String {
    let code = rule.code;
    if help.is_empty() {
        return format!("{text} [{code}]");
    }
    format!("{text} [{code}]\n  help: {help}")
}
