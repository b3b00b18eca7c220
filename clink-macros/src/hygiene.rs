//! Keeps generated code apart from the author's: paths, names and spans.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::visit::{Visit, visit_path};
use syn::{Generics, Ident, Path, Type};

/// The one module that generated code may name: `::clink::__private`, or the same elsewhere.
///
/// As tokens it is the short name `__clink`, under which every scope of generated code knows it.
#[derive(Clone)]
pub(crate) struct Private(TokenStream);

impl Private {
    /// The module below the path that the option `crate` gave, if it gave one.
    pub(crate) fn below(clink: Option<&Path>) -> Self {
        match clink {
            Some(path) => Self(quote!(#path::__private)),
            None => Self(quote!(::clink::__private)),
        }
    }

    /// What makes the short name known.
    pub(crate) fn import(&self) -> TokenStream {
        let path = &self.0;
        quote!(use #path as __clink;)
    }
}

impl ToTokens for Private {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(quote!(__clink));
    }
}

/// The name without the `r#` that Rust wants in front of some.
pub(crate) fn plain_name(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// A name for something generated, which means the same inside a `macro_rules` and outside.
pub(crate) fn generated(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// The same tokens without the author's spans.
///
/// Lints look at spans: what is generated but spanned at the author's tokens is held to the
/// author's lints, and a `forbid` cannot be lifted.
pub(crate) fn respan(tokens: impl ToTokens) -> TokenStream {
    at(Span::call_site(), tokens)
}

/// The same tokens at another place, where the compiler then shows what is wrong with them.
pub(crate) fn at(span: Span, tokens: impl ToTokens) -> TokenStream {
    let moved = |mut tree: TokenTree| {
        if let TokenTree::Group(group) = &tree {
            tree = Group::new(group.delimiter(), at(span, group.stream())).into();
        }
        tree.set_span(span);
        tree
    };
    tokens.into_token_stream().into_iter().map(moved).collect()
}

/// `MeanDelay` as `mean-delay`, to suggest a uid.
pub(crate) fn kebab_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut kebab = String::new();
    for (index, &letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|i| letters.get(i));
        let after = letters.get(index + 1);
        let starts_word = letter.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            });
        if starts_word && !kebab.ends_with('-') {
            kebab.push('-');
        }
        match letter {
            '_' => kebab.push('-'),
            other if other.is_ascii() => kebab.extend(other.to_lowercase()),
            _ => {}
        }
    }
    kebab.trim_matches('-').to_owned()
}

/// Whether a type names one of the type parameters or consts of `generics`.
pub(crate) fn mentions_parameter(ty: &Type, generics: &Generics) -> bool {
    struct Search<'a> {
        generics: &'a Generics,
        found: bool,
    }

    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_path(&mut self, path: &'ast Path) {
            let first = path.segments.first().map(|segment| &segment.ident);
            let mut parameters = self.generics.type_params().map(|parameter| &parameter.ident);
            self.found |= path.leading_colon.is_none()
                && first.is_some_and(|first| parameters.any(|parameter| parameter == first));
            visit_path(self, path);
        }
    }

    let mut search = Search { generics, found: false };
    search.visit_type(ty);
    search.found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_uids_read_like_names() {
        let names = [
            ("MeanDelay", "mean-delay"),
            ("HTTPServer", "http-server"),
            ("snake_case", "snake-case"),
            ("A", "a"),
            ("Top10", "top10"),
            ("ÄWort", "wort"),
        ];
        for (name, kebab) in names {
            assert_eq!(kebab_case(name), kebab);
        }
    }

    #[test]
    fn parameters_are_found_at_any_depth() {
        let item: syn::ItemStruct = syn::parse_quote!(
            struct S<T, const N: usize>(T);
        );
        let mentions = |ty: Type| mentions_parameter(&ty, &item.generics);
        assert!(mentions(syn::parse_quote!(Option<T>)));
        assert!(mentions(syn::parse_quote!((u8, <T as Trait>::Out))));
        assert!(!mentions(syn::parse_quote!(Vec<u8>)));
        assert!(!mentions(syn::parse_quote!(module::T)));
    }
}
