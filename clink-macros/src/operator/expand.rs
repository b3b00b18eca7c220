//! Writes the impl that makes a struct an operator, and its entry in the inventory.
//!
//! A field whose type will not do must give one error, but its type is needed in several places.
//! All of them are paths of the form `<Type as Trait>::item` with the author's tokens as the type:
//! the compiler then has the same thing to say each time, and says it once.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::WhereClause;

use super::model::{Field, Model, Role, Target};
use crate::emit::{allow_deprecated, bounded, location, module_name, scope};
use crate::hygiene::{Private, at, generated, mentions_parameter, plain_name};

/// Everything that stands behind the struct.
pub(super) fn expand(model: &Model) -> TokenStream {
    let operator_fields = operator_fields(model);
    let submit = submit(model);
    let cfgs: Vec<_> = model.target.cfgs.iter().collect();
    scope(&model.target.private, &cfgs, quote! { #operator_fields #submit })
}

/// What stands behind an item with mistakes, so that they are not followed by "not an operator".
pub(super) fn stub(target: &Target) -> TokenStream {
    let p = &target.private;
    let ident = &target.ident;
    let (impl_generics, ty_generics, clause) = target.generics.split_for_impl();
    let location = location(p);
    let cfgs: Vec<_> = target.cfgs.iter().collect();
    let stub = quote! {
        #[automatically_derived]
        impl #impl_generics #p::OperatorFields for #ident #ty_generics #clause {
            const DESCRIPTOR: #p::OperatorDescriptor = #p::OperatorDescriptor {
                type_name: "",
                uid: "",
                slots: &[],
                params: &[],
                location: #location,
            };

            fn to_params(
                &self,
                _: &mut #p::Params,
            ) -> #p::core::result::Result<(), #p::ParamError> {
                #p::core::unreachable!()
            }

            fn from_params(_: &#p::Params) -> #p::core::result::Result<Self, #p::ParamError> {
                #p::core::unreachable!()
            }

            fn visit_state(
                &mut self,
                _: &mut dyn #p::StateVisitor,
            ) -> #p::core::result::Result<(), #p::StateError> {
                #p::core::unreachable!()
            }
        }
    };
    scope(p, &cfgs, stub)
}

/// The author's `where` clause, and what the fields of a generic struct need.
fn where_clause(model: &Model) -> WhereClause {
    let p = &model.target.private;
    let generics = &model.target.generics;
    let generic = model.fields.iter().filter(|field| mentions_parameter(&field.ty, generics));
    let bounds = generic.map(|field| {
        let bound = match field.role {
            Role::Param => quote!(#p::Param),
            Role::State => quote!(#p::StateSlot),
            Role::Transient => quote!(#p::core::default::Default),
        };
        (field.ty.clone(), bound)
    });
    bounded(generics, bounds)
}

/// The fields of one role.
fn with_role(model: &Model, role: Role) -> impl Iterator<Item = &Field> {
    model.fields.iter().filter(move |field| field.role == role)
}

/// The impl that the engine uses.
fn operator_fields(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let ident = &model.target.ident;
    let (impl_generics, ty_generics, _) = model.target.generics.split_for_impl();
    let clause = where_clause(model);
    let descriptor = descriptor(model);
    let type_name = (is_generic(model) && model.name.is_none()).then(|| {
        quote! {
            fn type_name() -> #p::std::string::String {
                #p::core::convert::From::from(#p::core::any::type_name::<Self>())
            }
        }
    });
    let set = with_role(model, Role::Param).map(|Field { ident, name, ty, cfgs, .. }| {
        quote! {
            #(#cfgs)*
            <#ty as #p::Param>::write(&self.#ident, #name, __clink_params)?;
        }
    });
    let make = model.fields.iter().map(|field| make(p, field));
    let visit = with_role(model, Role::State).map(|Field { ident, name, ty, cfgs, .. }| {
        quote! {
            #(#cfgs)*
            <#ty as #p::StateSlot>::visit(&mut self.#ident, #name, __clink_visitor)?;
        }
    });
    let deprecated = allow_deprecated(model.fields.iter().any(|field| field.deprecated));
    quote! {
        #[automatically_derived]
        #deprecated
        impl #impl_generics #p::OperatorFields for #ident #ty_generics #clause {
            #descriptor
            #type_name

            fn to_params(
                &self,
                __clink_params: &mut #p::Params,
            ) -> #p::core::result::Result<(), #p::ParamError> {
                #(#set)*
                #p::core::result::Result::Ok(())
            }

            fn from_params(
                __clink_params: &#p::Params,
            ) -> #p::core::result::Result<Self, #p::ParamError> {
                #p::core::result::Result::Ok(Self { #(#make),* })
            }

            fn visit_state(
                &mut self,
                __clink_visitor: &mut dyn #p::StateVisitor,
            ) -> #p::core::result::Result<(), #p::StateError> {
                #(#visit)*
                #p::core::result::Result::Ok(())
            }
        }
    }
}

/// One field of a rebuilt operator.
fn make(p: &Private, field: &Field) -> TokenStream {
    let Field { ident, name, ty, cfgs, role, .. } = field;
    let value = match role {
        Role::Param => quote!(<#ty as #p::Param>::read(#name, __clink_params)?),
        Role::State | Role::Transient => quote!(<#ty as #p::core::default::Default>::default()),
    };
    quote! { #(#cfgs)* #ident: #value }
}

/// The constant facts.
fn descriptor(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let uid = &model.uid;
    let type_name = match &model.name {
        Some(name) => quote!(#name),
        None => module_name(p, &plain_name(&model.target.ident)),
    };
    let slots = with_role(model, Role::State).map(|Field { name, ty, cfgs, .. }| {
        quote! {
            #(#cfgs)*
            #p::SlotDescriptor {
                name: #name,
                kind: <#ty as #p::StateSlot>::KIND,
                keyed: <#ty as #p::StateSlot>::KEYED,
                version: 1,
            }
        }
    });
    let params = with_role(model, Role::Param).map(|Field { name, cfgs, .. }| {
        quote! { #(#cfgs)* #name }
    });
    let location = location(p);
    quote! {
        const DESCRIPTOR: #p::OperatorDescriptor = #p::OperatorDescriptor {
            type_name: #type_name,
            uid: #uid,
            slots: &[#(#slots),*],
            params: &[#(#params),*],
            location: #location,
        };
    }
}

/// Whether there is more than one type under the struct's name.
fn is_generic(model: &Model) -> bool {
    let generics = &model.target.generics;
    generics.type_params().next().is_some() || generics.const_params().next().is_some()
}

/// The entry in the inventory, which asks for the operator's kind.
///
/// A generic struct has none: a job reaches it by its concrete type.
fn submit(model: &Model) -> TokenStream {
    if is_generic(model) {
        return TokenStream::new();
    }
    let p = &model.target.private;
    let ident = &model.target.ident;
    let name = plain_name(ident);
    // The compiler shows the place of the call, so the paths in it must point there as well; the
    // name of the entry must not, or it would be another variable inside a `macro_rules`.
    let entry = generated("__clink_entry");
    let single_kind = at(ident.span(), quote!(#p::single_kind));
    let single_kind = quote_spanned! {ident.span()=>
        #single_kind(#name, [
            #p::Probe::<#ident>::SOURCE,
            #p::Probe::<#ident>::OPERATOR,
            #p::Probe::<#ident>::KEYED_OPERATOR,
            #p::Probe::<#ident>::CO_OPERATOR,
            #p::Probe::<#ident>::KEYED_CO_OPERATOR,
            #p::Probe::<#ident>::SINK,
        ])
    };
    let keyed = with_role(model, Role::State).map(|Field { ident, name, cfgs, .. }| {
        let keyed_only = at(ident.span(), quote!(#p::keyed_only));
        let keyed_only = quote_spanned! {ident.span()=> #keyed_only(#entry, #name) };
        quote! {
            #(#cfgs)*
            let #entry = #keyed_only;
        }
    });
    quote! {
        #[allow(unused_imports)]
        use #p::ProbeFallback as _;

        #p::inventory::submit! {{
            let #entry = #single_kind;
            #(#keyed)*
            #entry
        }}
    }
}
