//! Writes the impl of `Data` for a struct around one value, which flows as that value.

use proc_macro2::TokenStream;
use quote::quote;

use super::expand::{type_name, where_clause};
use super::model::{Model, Target};
use crate::emit::allow_deprecated;

/// The impls that the engine uses.
///
/// The type of the field stands in one place, so that one that will not do gives one error.
pub(super) fn expand(model: &Model) -> TokenStream {
    let Target { private: p, ident, generics, .. } = &model.target;
    let (impl_generics, ty_generics, _) = generics.split_for_impl();
    let clause = where_clause(model);
    let type_name = type_name(model);
    let ty = model.fields.iter().map(|field| &field.ty);
    let deprecated = allow_deprecated(model.fields.iter().any(|field| field.deprecated));
    let mut required = clause.clone();
    // The lifetime keeps the compiler from deciding this here, where it may not hold.
    let inner = quote!(for<'__clink> <Self as #p::Newtype>::Inner: #p::Required);
    required.predicates.push(syn::parse_quote!(#inner));
    let delegates = delegates(model);
    quote! {
        #[automatically_derived]
        #deprecated
        impl #impl_generics #p::Newtype for #ident #ty_generics #clause {
            #(type Inner = #ty;)*

            #[inline]
            fn inner(&self) -> &Self::Inner {
                &self.0
            }

            #[inline]
            fn wrap(inner: Self::Inner) -> Self {
                Self { 0: inner }
            }
        }

        #[automatically_derived]
        impl #impl_generics #p::Required for #ident #ty_generics #required {}

        #[automatically_derived]
        impl #impl_generics #p::Data for #ident #ty_generics #clause {
            type Builder = #p::BoxedColumn<Self, #p::NewtypeColumn<Self>>;
            type View = #p::NewtypeView<Self>;

            const SPREAD: bool = #p::Through::<Self>::SPREAD;

            fn type_name() -> #p::std::string::String {
                #type_name
            }

            #delegates
        }
    }
}

/// The methods that answer as the value inside does.
fn delegates(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let result = quote!(#p::core::result::Result);
    quote! {
        fn data_type() -> #p::DataType {
            #p::Through::<Self>::data_type()
        }

        fn nullable() -> bool {
            #p::Through::<Self>::nullable()
        }

        fn field_names() -> &'static [&'static str] {
            #p::Through::<Self>::field_names()
        }

        fn fields() -> #p::std::vec::Vec<#p::Field> {
            #p::Through::<Self>::fields()
        }

        #[inline]
        fn serialize<__ClinkS: #p::Serializer>(
            &self,
            serializer: __ClinkS,
        ) -> #result<__ClinkS::Ok, __ClinkS::Error> {
            #p::Through::serialize(self, serializer)
        }

        #[inline]
        fn deserialize<'__clink, __ClinkD: #p::Deserializer<'__clink>>(
            deserializer: __ClinkD,
        ) -> #result<Self, __ClinkD::Error> {
            #p::Through::deserialize(deserializer)
        }

        fn absent() -> #p::core::option::Option<Self> {
            #p::Through::absent()
        }

        fn has_default(field: usize) -> bool {
            #p::Through::<Self>::has_default(field)
        }

        fn from_text(cell: &[u8]) -> #result<Self, #p::TextError> {
            #p::Through::from_text(cell)
        }

        #[inline]
        fn from_row<__ClinkR: #p::Row + ?#p::core::marker::Sized>(
            row: &__ClinkR,
        ) -> #result<Self, #p::RowError> {
            #p::Through::from_row(row)
        }
    }
}
