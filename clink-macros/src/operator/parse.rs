//! Reads what the author wrote under `#[clink::operator]`, right or wrong.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Field, Fields, Generics, Ident, Item, ItemStruct};

use super::model::Target;
use super::{HELPERS, OPTIONS};
use crate::attr::{Known, Options};
use crate::catalogue::OPERATOR_SHAPE;
use crate::emit::cfgs;
use crate::errors::Errors;
use crate::hygiene::Private;

/// What stands under the attribute.
pub(super) enum Parsed {
    /// A struct.
    Struct(Box<Written>),
    /// Another item; the target is there if it is a type.
    Other { mistakes: TokenStream, target: Option<Target> },
    /// Something that the compiler itself refuses, with a better message than ours.
    NotRust,
}

/// A struct as the author wrote it.
pub(super) struct Written {
    /// The struct without our attributes.
    pub(super) item: TokenStream,
    pub(super) options: Options,
    pub(super) target: Target,
    /// The fields with all their attributes.
    pub(super) fields: Fields,
    /// Mistakes in the options.
    pub(super) errors: Errors,
}

/// Reads the options and the item.
pub(super) fn parse(options: TokenStream, item: TokenStream) -> Parsed {
    let mut errors = Errors::default();
    let options = Options::parse(options, Known::values(OPTIONS), &mut errors);
    let target = |ident: &Ident, generics: &Generics, attributes: &[Attribute]| Target {
        private: Private::below(options.clink()),
        ident: ident.clone(),
        generics: generics.clone(),
        cfgs: cfgs(attributes).into_iter().cloned().collect(),
    };
    let (found, target) = match syn::parse2(item) {
        Ok(Item::Struct(item)) => {
            return Parsed::Struct(Box::new(Written {
                target: target(&item.ident, &item.generics, &item.attrs),
                fields: item.fields.clone(),
                item: stripped(item),
                options,
                errors,
            }));
        }
        Ok(Item::Enum(item)) => {
            let target = target(&item.ident, &item.generics, &item.attrs);
            (item.ident.to_token_stream(), Some(target))
        }
        Ok(Item::Union(item)) => {
            let target = target(&item.ident, &item.generics, &item.attrs);
            (item.ident.to_token_stream(), Some(target))
        }
        Ok(Item::Fn(item)) => (item.sig.ident.to_token_stream(), None),
        Ok(Item::Impl(item)) => (item.self_ty.to_token_stream(), None),
        Ok(item) => (item.to_token_stream(), None),
        Err(_) => return Parsed::NotRust,
    };
    let text = "`#[clink::operator]` goes on a struct";
    let help = "put it on the struct whose fields are the operator's parameters and state";
    errors.at(found, OPERATOR_SHAPE, text, help);
    let mistakes = errors.check(None::<()>).err().unwrap_or_default();
    Parsed::Other { mistakes, target }
}

/// The struct without our attributes, all other tokens as they were.
fn stripped(mut item: ItemStruct) -> TokenStream {
    for field in &mut item.fields {
        field.attrs.retain(|attribute| helper(attribute).is_none());
    }
    quote!(#item)
}

/// The name of the helper that an attribute is, if it is one of ours.
pub(super) fn helper(attribute: &Attribute) -> Option<&'static str> {
    HELPERS.iter().copied().find(|name| attribute.path().is_ident(name))
}

/// The helpers on a field, with their attributes.
pub(super) fn helpers(field: &Field) -> Vec<(&'static str, &Attribute)> {
    let named = |attribute| helper(attribute).map(|name| (name, attribute));
    field.attrs.iter().filter_map(named).collect()
}
