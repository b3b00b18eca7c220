//! Writes the canonical bytes of a key type: its fields in order, after the variant's name.
//!
//! A field whose type is no key must give one error, but its type is needed in several places. So
//! the types of all fields are bound once, by the associated types of a local trait, spanned at
//! the author's tokens; what encodes them is generic over that trait.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Type, WhereClause};

use super::model::{Form, Model, Target};
use crate::emit::{allow_deprecated, bounded, scope};
use crate::hygiene::{generated, mentions_parameter};

/// Everything that stands behind the type.
pub(super) fn expand(model: &Model) -> TokenStream {
    let parts = [parts(model), encode(model), needs(model), impls(model)];
    scope(&model.target.private, &[], parts.into_iter().collect::<TokenStream>())
}

/// What stands behind an item with mistakes, so that they are not followed by "no key".
pub(super) fn stub(target: &Target) -> TokenStream {
    let Target { private: p, ident, generics } = target;
    let (impl_generics, ty_generics, clause) = generics.split_for_impl();
    let stub = quote! {
        #[automatically_derived]
        impl #impl_generics #p::KeyEncode for #ident #ty_generics #clause {
            fn encoded_len(&self) -> usize {
                #p::core::unreachable!()
            }

            fn encode<__ClinkW: #p::KeyWrite + ?#p::core::marker::Sized>(&self, _: &mut __ClinkW) {
                #p::core::unreachable!()
            }
        }
    };
    scope(p, &[], stub)
}

/// The author's `where` clause, and what the parameters and fields of a generic type need.
fn where_clause(model: &Model) -> WhereClause {
    let p = &model.target.private;
    let generics = &model.target.generics;
    let parameters = generics.type_params().map(|parameter| {
        let ident = &parameter.ident;
        syn::parse_quote!(#ident)
    });
    let generic: Vec<Type> = parameters
        .chain(tys(model).filter(|ty| mentions_parameter(ty, generics)).cloned())
        .collect();
    bounded(generics, generic.into_iter().map(|ty| (ty, quote!(#p::Key))))
}

/// The types of all fields of all forms.
fn tys(model: &Model) -> impl Iterator<Item = &Type> {
    model.forms.iter().flat_map(|form| &form.fields).map(|field| &field.ty)
}

/// `F0`, `F1`, …: the type of each field in generic code.
fn types(model: &Model) -> Vec<Ident> {
    (0..tys(model).count()).map(|index| generated(&format!("F{index}"))).collect()
}

/// `V0`, `V1`, …: each form with its fields lent.
fn lent(model: &Model) -> Vec<Ident> {
    (0..model.forms.len()).map(|index| generated(&format!("V{index}"))).collect()
}

/// `f0`, `f1`, …: the fields of one form.
fn slots(form: &Form) -> Vec<Ident> {
    (0..form.fields.len()).map(|index| generated(&format!("f{index}"))).collect()
}

/// The local trait that binds the types of the fields, the enum that lends them, and the impl.
fn parts(model: &Model) -> TokenStream {
    let Target { private: p, ident, generics } = &model.target;
    let (impl_generics, ty_generics, _) = generics.split_for_impl();
    let clause = where_clause(model);
    let (types, tys) = (types(model), tys(model));
    let mut left = types.iter();
    let (mut declared, mut arms) = (Vec::new(), Vec::new());
    for (form, lent) in model.forms.iter().zip(lent(model)) {
        let slots = slots(form);
        let own = left.by_ref().take(slots.len()).collect::<Vec<_>>();
        let members = form.fields.iter().map(|field| &field.member);
        let path = form.variant.as_ref().map(|variant| &variant.ident);
        let path = path.map_or_else(|| quote!(Self), |variant| quote!(Self::#variant));
        declared.push(quote!(#lent(#(&'parts S::#own,)*)));
        arms.push(quote!(#path { #(#members: ref #slots),* } => __ClinkParts::#lent(#(#slots,)*)));
    }
    let deprecated = allow_deprecated(model.deprecated);
    quote! {
        trait __ClinkFields: #p::core::marker::Sized {
            #(type #types: #p::KeyEncode;)*

            fn parts(&self) -> __ClinkParts<'_, Self>;
        }

        enum __ClinkParts<'parts, S: __ClinkFields> {
            #(#declared,)*
            // What makes the parameters used where no form has fields; there is no such value.
            __Never(#p::core::convert::Infallible, &'parts S),
        }

        #[automatically_derived]
        #deprecated
        impl #impl_generics __ClinkFields for #ident #ty_generics #clause {
            #(type #types = #tys;)*

            #[inline]
            fn parts(&self) -> __ClinkParts<'_, Self> {
                match *self {
                    #(#arms,)*
                }
            }
        }
    }
}

/// The generic function that writes the bytes.
fn encode(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let arms = model.forms.iter().zip(lent(model)).map(|(form, lent)| {
        let slots = slots(form);
        let mut parts: Vec<TokenStream> = Vec::new();
        if let Some(variant) = &form.variant {
            let name = &variant.name;
            parts.push(quote!(#name));
        }
        parts.extend(slots.iter().map(|slot| quote!(#slot)));
        let last = parts.pop();
        let (first, last) = (parts.iter(), last.iter());
        quote! {
            __ClinkParts::#lent(#(#slots,)*) => {
                #(#p::encode_part(#first, out);)*
                #(#p::KeyEncode::encode(#last, out);)*
            }
        }
    });
    quote! {
        #[inline]
        fn __clink_encode<S: __ClinkFields, W: #p::KeyWrite + ?#p::core::marker::Sized>(
            key: &S,
            out: &mut W,
        ) {
            match __ClinkFields::parts(key) {
                #(#arms)*
                __ClinkParts::__Never(never, _) => match never {},
            }
        }
    }
}

/// What else a key is, demanded where the author derives it and not where it is first used.
fn needs(model: &Model) -> TokenStream {
    let Target { private: p, ident, generics } = &model.target;
    // A type that borrows is Data for no lifetime but `'static`, and Data says so.
    let mut owned = generics.clone();
    owned.where_clause = Some(where_clause(model));
    for lifetime in generics.lifetimes() {
        let lifetime = &lifetime.lifetime;
        owned.make_where_clause().predicates.push(syn::parse_quote!(#lifetime: 'static));
    }
    let (impl_generics, ty_generics, clause) = owned.split_for_impl();
    quote! {
        trait __ClinkKey: #p::Data + #p::core::cmp::Eq + #p::core::hash::Hash {}

        #[automatically_derived]
        impl #impl_generics __ClinkKey for #ident #ty_generics #clause {}
    }
}

/// The impl that the engine uses.
fn impls(model: &Model) -> TokenStream {
    let Target { private: p, ident, generics } = &model.target;
    let (impl_generics, ty_generics, _) = generics.split_for_impl();
    let clause = where_clause(model);
    quote! {
        #[automatically_derived]
        impl #impl_generics #p::KeyEncode for #ident #ty_generics #clause {
            #[inline]
            fn encoded_len(&self) -> usize {
                #p::KeyLen::of(self)
            }

            #[inline]
            fn encode<__ClinkW: #p::KeyWrite + ?#p::core::marker::Sized>(
                &self,
                out: &mut __ClinkW,
            ) {
                __clink_encode(self, out);
            }
        }
    }
}
