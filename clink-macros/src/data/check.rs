//! Holds a data struct against the rules and collects every breach.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Fields, LitStr};

use super::FIELD_OPTIONS;
use super::model::{Field, Model};
use super::parse::{Written, options};
use crate::attr::is_stable_name;
use crate::catalogue::{DATA_BORROWS, DATA_COLUMNS, DATA_SHAPE, UID_MALFORMED};
use crate::emit::is_deprecated;
use crate::errors::Errors;
use crate::hygiene::plain_name;

/// The model, or all mistakes.
pub(super) fn check(written: Written<'_>) -> Result<Model, TokenStream> {
    let Written { input, options, target, mut errors } = written;
    if let Some(lifetime) = input.generics.lifetimes().next() {
        let text = "Data cannot borrow";
        let help = "own the fields: values travel between threads and machines";
        errors.at(lifetime, DATA_BORROWS, text, help);
    }
    let name = options.get("name");
    if let Some(name) = name.filter(|name| !name.value().split("::").all(is_stable_name)) {
        let text = format!("`{}` is not a name for a type", name.value());
        let help = "use A-Z, a-z, 0-9, `.`, `_` and `-`, and `::` between parts";
        errors.at(name, UID_MALFORMED, text, help);
    }
    let fields = match &input.data {
        syn::Data::Struct(data) => columns(&input.ident, &data.fields, &mut errors),
        syn::Data::Enum(data) => {
            let text = "Data cannot be derived on an enum yet";
            let help = "use a struct whose fields say which case it is, with `Option`s for what \
                        only some cases have";
            errors.at(data.enum_token, DATA_SHAPE, text, help);
            Vec::new()
        }
        syn::Data::Union(data) => {
            let help = "use a struct";
            errors.at(data.union_token, DATA_SHAPE, "Data cannot be derived on a union", help);
            Vec::new()
        }
    };
    errors.check(Some(Model { target, name: name.map(LitStr::value), fields }))
}

/// The fields, each with its column.
fn columns(ident: &syn::Ident, fields: &Fields, errors: &mut Errors) -> Vec<Field> {
    let Fields::Named(named) = fields else {
        let help = "the columns of files and state need names: write `{ name: Type }`";
        let (at, text) = match fields {
            Fields::Unit => (ident.to_token_stream(), "a struct without fields carries no data"),
            other => (other.to_token_stream(), "the fields of Data have names"),
        };
        errors.at(at, DATA_SHAPE, text, help);
        return Vec::new();
    };
    if named.named.is_empty() {
        let text = "a struct without fields carries no data";
        errors.at(ident, DATA_SHAPE, text, "give it a field");
    }
    let mut taken = BTreeSet::new();
    let mut columns = Vec::new();
    for field in &named.named {
        let options = options(&field.attrs, FIELD_OPTIONS, errors);
        // Named fields have an ident.
        let Some(ident) = &field.ident else { continue };
        let rename = options.get("rename");
        let column = rename.map_or_else(|| plain_name(ident), LitStr::value);
        let at = rename.map_or_else(|| ident.to_token_stream(), ToTokens::to_token_stream);
        if column.is_empty() {
            let help = "leave `rename` out to name the column after the field";
            errors.at(&at, DATA_COLUMNS, "a column has a name", help);
        } else if !taken.insert(column.clone()) {
            let text = format!("there is a column `{column}` already");
            errors.at(&at, DATA_COLUMNS, text, "give each field a column of its own");
        }
        columns.push(Field {
            ident: ident.clone(),
            column,
            ty: field.ty.clone(),
            deprecated: is_deprecated(&field.attrs),
        });
    }
    columns
}
