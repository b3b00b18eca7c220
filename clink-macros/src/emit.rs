//! Puts generated code behind the author's item, which comes first and unchanged.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Generics, Type, WhereClause};

use crate::hygiene::Private;

/// The attributes that decide whether something exists; what is made of it exists likewise.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<&Attribute> {
    let is_cfg = |attribute: &&Attribute| attribute.path().is_ident("cfg");
    attributes.iter().filter(is_cfg).collect()
}

/// Whether the author tells others not to use something.
pub(crate) fn is_deprecated(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("deprecated"))
}

/// What lets generated code use a deprecated field, which the author declared and still needs.
pub(crate) fn allow_deprecated(deprecated: bool) -> Option<TokenStream> {
    deprecated.then(|| quote!(#[allow(deprecated)]))
}

/// All generated code of one item, in a scope of its own.
pub(crate) fn scope(private: &Private, cfgs: &[&Attribute], body: impl ToTokens) -> TokenStream {
    let import = private.import();
    quote! {
        #(#cfgs)*
        const _: () = {
            #import

            #body
        };
    }
}

/// Where the author wrote the item.
pub(crate) fn location(private: &Private) -> TokenStream {
    quote! {
        #private::SourceLocation {
            file: #private::core::file!(),
            line: #private::core::line!(),
            column: #private::core::column!(),
        }
    }
}

/// The name of a type in graphs and channels: its module and itself.
pub(crate) fn module_name(private: &Private, name: &str) -> TokenStream {
    quote! {
        #private::core::concat!(#private::core::module_path!(), "::", #name)
    }
}

/// The `where` clause of `generics` with more bounds.
pub(crate) fn bounded(
    generics: &Generics,
    bounds: impl IntoIterator<Item = (Type, TokenStream)>,
) -> WhereClause {
    let mut clause = generics.where_clause.clone().unwrap_or_else(|| WhereClause {
        where_token: <syn::Token![where]>::default(),
        predicates: syn::punctuated::Punctuated::new(),
    });
    for (ty, bound) in bounds {
        clause.predicates.push(syn::parse_quote!(#ty: #bound));
    }
    clause
}

/// An item that could not be parsed, without the attributes in its fields that only we know.
///
/// The compiler reports what is wrong with it; unknown attributes would be a second report.
pub(crate) fn without_helpers(item: TokenStream, helpers: &[&str]) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for tree in item {
        let is_helper = match (&tree, kept.last()) {
            (TokenTree::Group(group), Some(TokenTree::Punct(hash))) => {
                hash.as_char() == '#'
                    && group.delimiter() == Delimiter::Bracket
                    && helper_name(group.stream()).is_some_and(|n| helpers.contains(&n.as_str()))
            }
            _ => false,
        };
        if is_helper {
            kept.pop();
            continue;
        }
        kept.push(match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let inner = without_helpers(group.stream(), helpers);
                let mut stripped = proc_macro2::Group::new(Delimiter::Brace, inner);
                stripped.set_span(group.span());
                stripped.into()
            }
            other => other,
        });
    }
    kept.into_iter().collect()
}

/// The first name in an attribute.
fn helper_name(attribute: TokenStream) -> Option<String> {
    attribute.into_iter().next().map(|token| token.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_typed_items_keep_all_but_our_attributes_m15() {
        let item = quote!(struct S { #[state] #[serde(skip)] a: , #[state(ttl = "1d")] b: u8 });
        let kept = without_helpers(item, &["state"]);
        assert_eq!(kept.to_string(), quote!(struct S { #[serde(skip)] a: , b: u8 }).to_string());
    }
}
