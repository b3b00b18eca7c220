//! Reads what the author wrote under `#[clink::job]`, right or wrong.
//!
//! The body is never looked at: it may be half typed, and its tokens go back as they came.

use proc_macro2::{Group, TokenStream};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Signature, Visibility};

use super::OPTIONS;
use crate::attr::{Known, Options};
use crate::catalogue::JOB_SHAPE;
use crate::errors::Errors;

/// A function as the author wrote it.
pub(super) struct Written {
    pub(super) options: Options,
    pub(super) function: Function,
    /// Mistakes in the options.
    pub(super) errors: Errors,
}

/// A function without a look at its body.
pub(super) struct Function {
    pub(super) attributes: Vec<Attribute>,
    pub(super) signature: Signature,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let _visibility: Visibility = input.parse()?;
        let signature = input.parse()?;
        let _body: Group = input.parse()?;
        Ok(Self { attributes, signature })
    }
}

/// Reads the options and the function.
pub(super) fn parse(options: TokenStream, item: TokenStream) -> Result<Written, TokenStream> {
    let mut errors = Errors::default();
    let options = Options::parse(options, Known::values(OPTIONS), &mut errors);
    if let Ok(function) = syn::parse2(item.clone()) {
        return Ok(Written { options, function, errors });
    }
    let found = match syn::parse2(item) {
        Ok(syn::Item::Struct(item)) => item.ident.to_token_stream(),
        Ok(syn::Item::Impl(item)) => item.self_ty.to_token_stream(),
        Ok(item) => item.to_token_stream(),
        // The compiler says what is wrong.
        Err(_) => return Err(TokenStream::new()),
    };
    let text = "`#[clink::job]` goes on a function";
    let help = "put it on the function that builds the job: `fn name(pipeline: &Pipeline) -> \
                Result<()>`";
    errors.at(found, JOB_SHAPE, text, help);
    errors.check(None)
}
