//! Writes the entry by which the binary and its plugin find a job.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::model::Model;
use crate::emit::{location, scope};
use crate::hygiene::at;

/// Everything that stands behind the function.
pub(super) fn expand(model: &Model) -> TokenStream {
    let p = &model.private;
    let Model { ident, name, version, description, .. } = model;
    let result = quote!(#p::core::result::Result<(), #p::Error>);
    // The initialiser is where other parameters are refused, at the function's name, and another
    // result is where `returned` is called with it, at the result's type.
    let returned = at(model.result.span(), quote!(#p::JobEntry::returned));
    let called = |arguments: TokenStream| {
        quote_spanned! {model.result.span()=> #returned(__clink_job(#arguments)) }
    };
    let (arguments, build) = match &model.arguments {
        None => {
            let called = called(quote!(__clink_pipeline));
            let build = quote! {
                let __clink_job: fn(&#p::Pipeline) -> _ = #ident;
                #called
            };
            (quote!(__clink_command), build)
        }
        Some(ty) => {
            let job_args = at(ty.span(), quote!(#p::JobArgs));
            let augment = quote_spanned! {ty.span()=> <#ty as #job_args>::augment };
            let parse = quote_spanned! {ty.span()=> <#ty as #job_args>::parse };
            let called = called(quote!(__clink_pipeline, #parse(__clink_matches)?));
            let build = quote! {
                let __clink_job: fn(&#p::Pipeline, #ty) -> _ = #ident;
                #called
            };
            (quote!(#augment(__clink_command)), build)
        }
    };
    let location = location(p);
    let cfgs: Vec<_> = model.cfgs.iter().collect();
    let entry = quote! {
        fn __clink_arguments(__clink_command: #p::clap::Command) -> #p::clap::Command {
            #arguments
        }

        fn __clink_build(
            __clink_pipeline: &#p::Pipeline,
            __clink_matches: &#p::clap::ArgMatches,
        ) -> #result {
            let _ = __clink_matches;
            #build
        }

        #p::inventory::submit! {
            #p::JobEntry {
                name: #name,
                version: #version,
                description: #description,
                location: #location,
                arguments: __clink_arguments,
                build: __clink_build,
            }
        }
    };
    scope(p, &cfgs, entry)
}
