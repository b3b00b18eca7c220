//! Writes clap's traits for a struct whose author does not depend on clap.
//!
//! clap's own derive emits relative `clap::` paths. So it runs on a shadow of the struct, of the
//! same name, in a scope in which `clap` means clink's; the author's struct delegates to it.

use proc_macro2::TokenStream;
use quote::quote;

use super::model::Model;
use super::parse::Written;
use crate::emit::{allow_deprecated, scope};

/// Everything that stands behind the struct.
pub(super) fn expand(model: &Model) -> TokenStream {
    let Model { private: p, ident, attributes, fields, deprecated } = model;
    let deprecated = allow_deprecated(*deprecated);
    let names = fields.iter().map(|field| &field.ident).collect::<Vec<_>>();
    let result = quote!(#p::core::result::Result);
    let body = quote! {
        #[allow(unused_imports)]
        use #p::clap;

        type __ClinkArgs = #ident;

        const _: () = {
            // clap's derive counts on the prelude, which may not be there or mean something else.
            #[allow(unused_imports)]
            use #p::core::{
                clone::Clone, convert::From, convert::Into, default::Default,
                iter::IntoIterator, iter::Iterator, option::Option, option::Option::None,
                option::Option::Some, result::Result::Err, result::Result::Ok,
            };

            #[derive(clap::Args)]
            #(#attributes)*
            struct #ident {
                #(#fields,)*
            }

            #[automatically_derived]
            #deprecated
            impl #p::clap::FromArgMatches for __ClinkArgs {
                fn from_arg_matches(
                    matches: &#p::clap::ArgMatches,
                ) -> #result<Self, #p::clap::Error> {
                    let #ident { #(#names),* } =
                        <#ident as #p::clap::FromArgMatches>::from_arg_matches(matches)?;
                    #result::Ok(Self { #(#names),* })
                }

                fn update_from_arg_matches(
                    &mut self,
                    matches: &#p::clap::ArgMatches,
                ) -> #result<(), #p::clap::Error> {
                    *self = <Self as #p::clap::FromArgMatches>::from_arg_matches(matches)?;
                    #result::Ok(())
                }
            }

            #[automatically_derived]
            impl #p::clap::Args for __ClinkArgs {
                fn group_id() -> #p::core::option::Option<#p::clap::Id> {
                    <#ident as #p::clap::Args>::group_id()
                }

                fn augment_args(command: #p::clap::Command) -> #p::clap::Command {
                    <#ident as #p::clap::Args>::augment_args(command)
                }

                fn augment_args_for_update(command: #p::clap::Command) -> #p::clap::Command {
                    <#ident as #p::clap::Args>::augment_args_for_update(command)
                }
            }
        };
    };
    scope(p, &[], body)
}

/// What stands behind an item with mistakes, so that they are not followed by "not Args".
pub(super) fn stub(written: &Written) -> TokenStream {
    let p = &written.private;
    let ident = &written.input.ident;
    let (impl_generics, ty_generics, clause) = written.input.generics.split_for_impl();
    let result = quote!(#p::core::result::Result);
    let body = quote! {
        #[automatically_derived]
        impl #impl_generics #p::clap::FromArgMatches for #ident #ty_generics #clause {
            fn from_arg_matches(_: &#p::clap::ArgMatches) -> #result<Self, #p::clap::Error> {
                #p::core::unreachable!()
            }

            fn update_from_arg_matches(
                &mut self,
                _: &#p::clap::ArgMatches,
            ) -> #result<(), #p::clap::Error> {
                #p::core::unreachable!()
            }
        }

        #[automatically_derived]
        impl #impl_generics #p::clap::Args for #ident #ty_generics #clause {
            fn augment_args(_: #p::clap::Command) -> #p::clap::Command {
                #p::core::unreachable!()
            }

            fn augment_args_for_update(_: #p::clap::Command) -> #p::clap::Command {
                #p::core::unreachable!()
            }
        }
    };
    scope(p, &[], body)
}
