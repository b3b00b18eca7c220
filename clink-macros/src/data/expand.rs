//! Writes the impl of `Data` and the builder, view and parts of a struct.
//!
//! A field whose type will not do must give one error, but its type is needed in many places. So
//! the types of all fields are bound once, by the associated types of a local trait, spanned at
//! the author's tokens; everything else is generic over that trait, where the bounds are
//! assumptions.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::WhereClause;

use super::columns::{builder, view};
use super::model::{Field, Form, Model, Target, TextForm};
use super::serial::{functions, parts};
use super::{newtype, words};
use crate::emit::{allow_deprecated, bounded, module_name, scope};
use crate::hygiene::{Private, generated, mentions_parameter, plain_name};

/// Everything that stands behind the type.
pub(super) fn expand(model: &Model) -> TokenStream {
    let body = match &model.form {
        Form::Named | Form::Tuple => structure(model),
        Form::Newtype => newtype::expand(model),
        Form::Words(words) => words::expand(model, words),
    };
    scope(&model.target.private, &[], body)
}

/// A struct whose fields are columns.
fn structure(model: &Model) -> TokenStream {
    let parts = [
        field_types(model),
        builder(model),
        view(model),
        parts(model),
        functions(model),
        data_impl(model),
    ];
    parts.into_iter().collect()
}

/// What stands behind an item with mistakes, so that they are not followed by "not Data".
pub(super) fn stub(target: &Target) -> TokenStream {
    let Target { private: p, ident, generics, .. } = target;
    let (impl_generics, _, clause) = generics.split_for_impl();
    // A type that borrows is Data for no lifetime but `'static`, or there would be a second error.
    let mut owned = generics.clone();
    let lifetimes: Vec<syn::Lifetime> = generics.lifetimes().map(|l| l.lifetime.clone()).collect();
    for lifetime in &lifetimes {
        let predicate = syn::parse_quote!(#lifetime: 'static);
        owned.make_where_clause().predicates.push(predicate);
    }
    let clause = if lifetimes.is_empty() { clause } else { owned.where_clause.as_ref() };
    let (_, ty_generics, _) = generics.split_for_impl();
    let result = quote!(#p::core::result::Result);
    let stub = quote! {
        #[automatically_derived]
        impl #impl_generics #p::Required for #ident #ty_generics #clause {}

        #[automatically_derived]
        impl #impl_generics #p::Data for #ident #ty_generics #clause {
            type Builder = #p::StubColumn;
            type View = #p::StubColumn;

            fn type_name() -> #p::std::string::String {
                #p::core::unreachable!()
            }

            fn data_type() -> #p::DataType {
                #p::core::unreachable!()
            }

            fn serialize<__ClinkS: #p::Serializer>(
                &self,
                _: __ClinkS,
            ) -> #result<__ClinkS::Ok, __ClinkS::Error> {
                #p::core::unreachable!()
            }

            fn deserialize<'__clink, __ClinkD: #p::Deserializer<'__clink>>(
                _: __ClinkD,
            ) -> #result<Self, __ClinkD::Error> {
                #p::core::unreachable!()
            }

            fn from_text(_: &[u8]) -> #result<Self, #p::TextError> {
                #p::core::unreachable!()
            }
        }
    };
    scope(p, &[], stub)
}

/// `F0`, `F1`, …: the type of each field in generic code.
pub(super) fn types(model: &Model) -> Vec<Ident> {
    (0..model.fields.len()).map(|index| generated(&format!("F{index}"))).collect()
}

/// `f0`, `f1`, …: the value, builder or view of each field in generic code.
pub(super) fn slots(model: &Model) -> Vec<Ident> {
    (0..model.fields.len()).map(|index| generated(&format!("f{index}"))).collect()
}

/// The name of each field's column.
pub(super) fn columns(model: &Model) -> Vec<&String> {
    model.fields.iter().map(|field| &field.column).collect()
}

/// The author's `where` clause, and what the parameters and fields of a generic struct need.
pub(super) fn where_clause(model: &Model) -> WhereClause {
    let p = &model.target.private;
    let generics = &model.target.generics;
    let parameters = generics.type_params().map(|parameter| {
        let ident = &parameter.ident;
        syn::parse_quote!(#ident)
    });
    let parameters = parameters.map(|ty| (ty, quote!(#p::Data)));
    let fields = model.fields.iter().filter(|field| mentions_parameter(&field.ty, generics));
    let fields = fields.map(|field| (field.ty.clone(), field_bound(p, field)));
    bounded(generics, parameters.chain(fields).collect::<Vec<_>>())
}

/// What the type of a field must be.
fn field_bound(p: &Private, field: &Field) -> TokenStream {
    let data = match text_form(p, field) {
        Some(form) => quote!(#p::InForm<#form>),
        None => quote!(#p::Data),
    };
    if field.has_default { quote!(#data + #p::core::default::Default) } else { data }
}

/// The type that stands for the form of a field.
pub(super) fn text_form(p: &Private, field: &Field) -> Option<TokenStream> {
    Some(match field.text? {
        TextForm::EpochSeconds => quote!(#p::EpochSeconds),
        TextForm::EpochMillis => quote!(#p::EpochMillis),
        TextForm::EpochMicros => quote!(#p::EpochMicros),
        TextForm::Decimal => quote!(#p::Decimal),
    })
}

/// The local trait that binds the types of the fields, and its impl.
fn field_types(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let ident = &model.target.ident;
    let (impl_generics, ty_generics, _) = model.target.generics.split_for_impl();
    let clause = where_clause(model);
    let (types, slots) = (types(model), slots(model));
    let names = model.fields.iter().map(|field| &field.member).collect::<Vec<_>>();
    let tys = model.fields.iter().map(|field| &field.ty);
    let bounds = model.fields.iter().map(|field| field_bound(p, field));
    let deprecated = allow_deprecated(model.fields.iter().any(|field| field.deprecated));
    quote! {
        trait __ClinkFields: #p::core::marker::Sized {
            #(type #types: #bounds;)*

            fn refs(&self) -> (#(&Self::#types,)*);

            fn whole(fields: (#(Self::#types,)*)) -> Self;
        }

        #[automatically_derived]
        #deprecated
        impl #impl_generics __ClinkFields for #ident #ty_generics #clause {
            #(type #types = #tys;)*

            #[inline]
            fn refs(&self) -> (#(&Self::#types,)*) {
                (#(&self.#names,)*)
            }

            #[inline]
            fn whole((#(#slots,)*): (#(Self::#types,)*)) -> Self {
                Self { #(#names: #slots),* }
            }
        }
    }
}

/// The name of the type's channels.
pub(super) fn type_name(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let name = match &model.name {
        Some(name) => quote!(#name),
        None => module_name(p, &plain_name(&model.target.ident)),
    };
    let parameters = model.target.generics.type_params().map(|parameter| &parameter.ident);
    let consts = model.target.generics.const_params().map(|parameter| &parameter.ident);
    let arguments = parameters
        .map(|ident| quote!(<#ident as #p::Data>::type_name()))
        .chain(consts.map(|ident| quote!(#p::std::string::ToString::to_string(&#ident))))
        .collect::<Vec<_>>();
    if arguments.is_empty() {
        return quote!(#p::core::convert::From::from(#name));
    }
    quote!(#p::std::format!("{}<{}>", #name, [#(#arguments),*].join(",")))
}

/// Which fields the input may lack, if there are any.
fn has_default(model: &Model) -> Option<TokenStream> {
    let fields = model.fields.iter().enumerate().filter(|(_, field)| field.has_default);
    let places = fields.map(|(index, _)| index).collect::<Vec<_>>();
    let p = &model.target.private;
    (!places.is_empty()).then(|| {
        quote! {
            fn has_default(field: usize) -> bool {
                #p::core::matches!(field, #(#places)|*)
            }
        }
    })
}

/// The impls that the engine uses.
fn data_impl(model: &Model) -> TokenStream {
    let Target { private: p, ident, generics, .. } = &model.target;
    let (impl_generics, ty_generics, _) = generics.split_for_impl();
    let clause = where_clause(model);
    let type_name = type_name(model);
    let columns = columns(model);
    let has_default = has_default(model);
    let read = match model.form {
        Form::Tuple => quote!(deserialize_tuple_struct),
        _ => quote!(deserialize_struct),
    };
    let result = quote!(#p::core::result::Result);
    quote! {
        #[automatically_derived]
        impl #impl_generics #p::Required for #ident #ty_generics #clause {}

        #[automatically_derived]
        impl #impl_generics #p::Data for #ident #ty_generics #clause {
            type Builder = #p::BoxedColumn<Self, __ClinkColumns<Self>>;
            type View = __ClinkView<Self>;

            const SPREAD: bool = true;

            fn type_name() -> #p::std::string::String {
                #type_name
            }

            fn data_type() -> #p::DataType {
                #p::DataType::Struct(#p::core::convert::From::from(__clink_fields::<Self>()))
            }

            fn field_names() -> &'static [&'static str] {
                &[#(#columns),*]
            }

            fn fields() -> #p::std::vec::Vec<#p::Field> {
                __clink_fields::<Self>()
            }

            #[inline]
            fn serialize<__ClinkS: #p::Serializer>(
                &self,
                serializer: __ClinkS,
            ) -> #result<__ClinkS::Ok, __ClinkS::Error> {
                __clink_serialize(self, serializer)
            }

            #[inline]
            fn deserialize<'__clink, __ClinkD: #p::Deserializer<'__clink>>(
                deserializer: __ClinkD,
            ) -> #result<Self, __ClinkD::Error> {
                #p::#read::<__ClinkParts<Self>, __ClinkD>(deserializer)
            }

            #has_default

            fn from_text(cell: &[u8]) -> #result<Self, #p::TextError> {
                #result::Err(#p::TextError::nested(cell))
            }

            #[inline]
            fn from_row<__ClinkR: #p::Row + ?#p::core::marker::Sized>(
                row: &__ClinkR,
            ) -> #result<Self, #p::RowError> {
                __clink_from_row(row)
            }
        }
    }
}
