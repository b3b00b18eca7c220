//! Holds a key type against the rules and collects every breach.
//!
//! That a key is `Data`, and what of it `Data` refuses, `#[derive(Data)]` and the compiler say.

use proc_macro2::TokenStream;
use syn::Fields;

use super::model::{Field, Form, Model, Variant};
use super::parse::Written;
use crate::catalogue::KEY_SHAPE;
use crate::emit::is_deprecated;
use crate::variants::variants;

/// The model, or all mistakes.
pub(super) fn check(written: Written<'_>) -> Result<Model, TokenStream> {
    let Written { input, target, mut errors } = written;
    let mut deprecated = false;
    let mut forms = Vec::new();
    match &input.data {
        syn::Data::Struct(data) => {
            deprecated = has_deprecated(&data.fields);
            forms.push(Form { variant: None, fields: fields(&data.fields) });
        }
        syn::Data::Enum(data) => {
            for variant in variants(data, &mut errors) {
                deprecated |= variant.deprecated || has_deprecated(variant.fields);
                let fields = fields(variant.fields);
                let variant = Variant { ident: variant.ident.clone(), name: variant.name };
                forms.push(Form { variant: Some(variant), fields });
            }
        }
        syn::Data::Union(data) => {
            let help = "use a struct, or an enum that says which case it is";
            errors.at(data.union_token, KEY_SHAPE, "a union has no canonical bytes", help);
        }
    }
    errors.check(Some(Model { target, forms, deprecated }))
}

fn has_deprecated(fields: &Fields) -> bool {
    fields.iter().any(|field| is_deprecated(&field.attrs))
}

fn fields(fields: &Fields) -> Vec<Field> {
    let fields = fields.iter().zip(fields.members());
    fields.map(|(field, member)| Field { member, ty: field.ty.clone() }).collect()
}
