//! Holds a data type against the rules and collects every breach.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{DataEnum, Fields, Ident, LitStr, Member};

use super::FIELD_OPTIONS;
use super::model::{Field, Form, Model, TextForm, Word};
use super::parse::Written;
use crate::attr::{Options, data_options, is_stable_name};
use crate::catalogue::{
    DATA_BORROWS, DATA_COLUMNS, DATA_EPOCH, DATA_FIELD, DATA_FORM, DATA_SHAPE, UID_MALFORMED,
};
use crate::emit::is_deprecated;
use crate::errors::Errors;
use crate::hygiene::plain_name;
use crate::variants::variants;

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
    let (form, fields) = match &input.data {
        syn::Data::Struct(data) => structure(&input.ident, &data.fields, &mut errors),
        syn::Data::Enum(data) => (Form::Words(words(&input.ident, data, &mut errors)), Vec::new()),
        syn::Data::Union(data) => {
            let help = "use a struct";
            errors.at(data.union_token, DATA_SHAPE, "Data cannot be derived on a union", help);
            (Form::Named, Vec::new())
        }
    };
    errors.check(Some(Model { target, name: name.map(LitStr::value), form, fields }))
}

/// The form of a struct and its fields, each with its column.
fn structure(ident: &Ident, fields: &Fields, errors: &mut Errors) -> (Form, Vec<Field>) {
    let columns = columns(fields, errors);
    if fields.is_empty() {
        let text = "a struct without fields carries no data";
        errors.at(ident, DATA_SHAPE, text, "give it a field");
    }
    let form = match fields {
        Fields::Unnamed(_) if columns.len() == 1 => Form::Newtype,
        Fields::Unnamed(_) => Form::Tuple,
        _ => Form::Named,
    };
    (form, columns)
}

fn columns(fields: &Fields, errors: &mut Errors) -> Vec<Field> {
    let mut taken = BTreeSet::new();
    let mut columns = Vec::new();
    for (field, member) in fields.iter().zip(fields.members()) {
        let options = data_options(&field.attrs, FIELD_OPTIONS, errors);
        check_place(fields, &options, errors);
        let rename = options.get("rename");
        let written = match &member {
            Member::Named(ident) => plain_name(ident),
            Member::Unnamed(index) => index.index.to_string(),
        };
        let column = rename.map_or(written, LitStr::value);
        let at = match rename {
            Some(rename) => rename.to_token_stream(),
            None => field.ident.as_ref().map_or_else(|| field.ty.to_token_stream(), tokens),
        };
        if column.is_empty() {
            let help = "leave `rename` out to name the column after the field";
            errors.at(&at, DATA_COLUMNS, "a column has a name", help);
        } else if !taken.insert(column.clone()) {
            let text = format!("there is a column `{column}` already");
            errors.at(&at, DATA_COLUMNS, text, "give each field a column of its own");
        }
        let (ty, deprecated) = (field.ty.clone(), is_deprecated(&field.attrs));
        let (text, has_default) = (text_form(&options, errors), options.flag("default").is_some());
        columns.push(Field { member, column, ty, text, has_default, deprecated });
    }
    columns
}

/// Refuses options that mean nothing on a field of this struct.
fn check_place(fields: &Fields, options: &Options, errors: &mut Errors) {
    let Fields::Unnamed(unnamed) = fields else { return };
    if let Some(default) = options.flag("default") {
        let text = "a field without a name cannot be missing";
        let help = "arrays and rows have their values in order: give the field a name";
        errors.at(default, DATA_FIELD, text, help);
    }
    if unnamed.unnamed.len() > 1 {
        return;
    }
    for (name, at) in options.given().filter(|(name, _)| name != "default") {
        let text = format!("a struct around one value is what that value is: no `{name}`");
        errors.at(at, DATA_FIELD, text, "give the field a name, and it has a column of its own");
    }
}

/// The form that the options give to a field.
fn text_form(options: &Options, errors: &mut Errors) -> Option<TextForm> {
    let (epoch, decimal) = (options.get("epoch"), options.flag("decimal"));
    if let (Some(_), Some(decimal)) = (epoch, decimal) {
        let help = "an instant is an `epoch`, the digits of a number are a `decimal`";
        errors.at(decimal, DATA_FORM, "`epoch` and `decimal` are two forms", help);
    }
    let Some(unit) = epoch else { return decimal.map(|_| TextForm::Decimal) };
    match unit.value().as_str() {
        "s" => Some(TextForm::EpochSeconds),
        "ms" => Some(TextForm::EpochMillis),
        "us" => Some(TextForm::EpochMicros),
        other => {
            let text = format!("`{other}` is not a unit that an epoch is counted in");
            let help = "write `s` for seconds, `ms` for milliseconds, `us` for microseconds";
            errors.at(unit, DATA_EPOCH, text, help);
            None
        }
    }
}

fn tokens(ident: &Ident) -> TokenStream {
    ident.to_token_stream()
}

/// The words of an enum, one for each variant.
fn words(ident: &Ident, data: &DataEnum, errors: &mut Errors) -> Vec<Word> {
    let variants = variants(data, errors);
    if variants.is_empty() {
        let text = "an enum without variants carries no data";
        errors.at(ident, DATA_SHAPE, text, "give it a variant");
    }
    let words = variants.into_iter().map(|variant| {
        if !variant.fields.is_empty() {
            let help = "use a struct: one field, an enum without fields, says which case it is, \
                        and `Option`s hold what only some cases have";
            let text = "a variant of Data cannot have fields yet";
            errors.at(variant.fields, DATA_SHAPE, text, help);
        }
        let (ident, deprecated) = (variant.ident.clone(), variant.deprecated);
        Word { ident, text: variant.name, deprecated }
    });
    words.collect()
}
