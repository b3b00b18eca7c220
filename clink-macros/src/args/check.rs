//! Holds a struct of job arguments against the rules; what its attributes say is clap's business.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Data, Field, Fields};

use super::CLAP;
use super::model::Model;
use super::parse::Written;
use crate::catalogue::{ARGS_GENERIC, ARGS_SHAPE};
use crate::emit::{cfgs, is_deprecated};

/// The model, or all mistakes.
pub(super) fn check(written: Written) -> Result<Model, TokenStream> {
    let Written { input, private, mut errors } = written;
    if !input.generics.params.is_empty() {
        let help = "name the types: the command line is built before anything could choose them";
        let text = "the arguments of a job are not generic";
        errors.at(&input.generics.params, ARGS_GENERIC, text, help);
    }
    let help = "use a struct with named fields: each field is a flag";
    let mut refuse = |at: &dyn Fn() -> TokenStream, what: &str| {
        errors.at(at(), ARGS_SHAPE, format!("Args cannot be derived on {what}"), help);
        Vec::new()
    };
    let deprecated = match &input.data {
        Data::Struct(data) => data.fields.iter().any(|field| is_deprecated(&field.attrs)),
        _ => false,
    };
    let fields = match input.data {
        Data::Struct(data) => match data.fields {
            Fields::Named(fields) => fields.named.into_iter().map(for_clap).collect(),
            Fields::Unit => Vec::new(),
            Fields::Unnamed(fields) => {
                refuse(&|| fields.to_token_stream(), "a struct whose fields have no names")
            }
        },
        Data::Enum(data) => refuse(&|| data.enum_token.to_token_stream(), "an enum"),
        Data::Union(data) => refuse(&|| data.union_token.to_token_stream(), "a union"),
    };
    errors.check(Some(Model {
        private,
        ident: input.ident,
        attributes: input.attrs.into_iter().filter(is_claps).collect(),
        fields,
        deprecated,
    }))
}

/// The field with the attributes that clap reads, and those that decide whether it exists.
fn for_clap(mut field: Field) -> Field {
    let cfgs: Vec<Attribute> = cfgs(&field.attrs).into_iter().cloned().collect();
    field.attrs.retain(is_claps);
    field.attrs.extend(cfgs);
    field.vis = syn::Visibility::Inherited;
    field
}

fn is_claps(attribute: &Attribute) -> bool {
    CLAP.iter().any(|name| attribute.path().is_ident(name))
}
