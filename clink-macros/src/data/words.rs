//! Writes the impl of `Data` for an enum without fields, which flows as the names of its variants.

use proc_macro2::TokenStream;
use quote::quote;

use super::expand::{type_name, where_clause};
use super::model::{Model, Target, Word};
use crate::emit::allow_deprecated;

/// The impls that the engine uses.
pub(super) fn expand(model: &Model, words: &[Word]) -> TokenStream {
    [word_impl(model, words), data_impl(model)].into_iter().collect()
}

/// The words and back.
fn word_impl(model: &Model, words: &[Word]) -> TokenStream {
    let Target { private: p, ident, generics, .. } = &model.target;
    let (impl_generics, ty_generics, _) = generics.split_for_impl();
    let clause = where_clause(model);
    let (idents, texts) = (words.iter().map(|word| &word.ident), words.iter().map(|w| &w.text));
    let (idents, texts) = (idents.collect::<Vec<_>>(), texts.collect::<Vec<_>>());
    let list: Vec<String> = words.iter().map(|word| format!("`{}`", word.text)).collect();
    let expected = match list.as_slice() {
        [only] => only.clone(),
        several => format!("one of {}", several.join(", ")),
    };
    let deprecated = allow_deprecated(words.iter().any(|word| word.deprecated));
    quote! {
        #[automatically_derived]
        #deprecated
        impl #impl_generics #p::Word for #ident #ty_generics #clause {
            const EXPECTED: &'static str = #expected;

            #[inline]
            fn with_word<__ClinkR>(
                &self,
                take: impl #p::core::ops::FnOnce(&str) -> __ClinkR,
            ) -> __ClinkR {
                take(match self {
                    #(Self::#idents {} => #texts,)*
                })
            }

            fn from_word(word: &str) -> #p::core::option::Option<Self> {
                match word {
                    #(#texts => #p::core::option::Option::Some(Self::#idents {}),)*
                    _ => #p::core::option::Option::None,
                }
            }
        }
    }
}

/// The forms of a word.
fn data_impl(model: &Model) -> TokenStream {
    let Target { private: p, ident, generics, .. } = &model.target;
    let (impl_generics, ty_generics, _) = generics.split_for_impl();
    let clause = where_clause(model);
    let type_name = type_name(model);
    let result = quote!(#p::core::result::Result);
    quote! {
        #[automatically_derived]
        impl #impl_generics #p::Required for #ident #ty_generics #clause {}

        #[automatically_derived]
        impl #impl_generics #p::Data for #ident #ty_generics #clause {
            type Builder = #p::WordColumn<Self>;
            type View = #p::WordView<Self>;

            fn type_name() -> #p::std::string::String {
                #type_name
            }

            fn data_type() -> #p::DataType {
                #p::DataType::Utf8
            }

            #[inline]
            fn serialize<__ClinkS: #p::Serializer>(
                &self,
                serializer: __ClinkS,
            ) -> #result<__ClinkS::Ok, __ClinkS::Error> {
                #p::serialize_word(self, serializer)
            }

            #[inline]
            fn deserialize<'__clink, __ClinkD: #p::Deserializer<'__clink>>(
                deserializer: __ClinkD,
            ) -> #result<Self, __ClinkD::Error> {
                #p::deserialize_word(deserializer)
            }

            fn from_text(cell: &[u8]) -> #result<Self, #p::TextError> {
                #p::word_from_text(cell)
            }
        }
    }
}
