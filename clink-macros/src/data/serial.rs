//! Writes what serde and CSV rows need of a struct: its parts while it is read, and how it is
//! written.

use proc_macro2::TokenStream;
use quote::quote;

use super::expand::{columns, slots, types};
use super::model::{Form, Model};
use crate::hygiene::plain_name;

/// The struct that holds the fields which serde has read so far.
pub(super) fn parts(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let name = plain_name(&model.target.ident);
    let (types, slots, columns) = (types(model), slots(model), columns(model));
    let indices = (0..model.fields.len()).collect::<Vec<_>>();
    quote! {
        struct __ClinkParts<S: __ClinkFields> {
            #(#slots: #p::core::option::Option<S::#types>,)*
        }

        #[automatically_derived]
        impl<S: __ClinkFields> #p::core::default::Default for __ClinkParts<S> {
            #[inline]
            fn default() -> Self {
                Self { #(#slots: #p::core::option::Option::None,)* }
            }
        }

        #[automatically_derived]
        impl<S: __ClinkFields + #p::Data> #p::StructParts for __ClinkParts<S> {
            type Whole = S;

            const NAME: &'static str = #name;

            #[inline]
            fn index(
                name: &str,
            ) -> #p::core::option::Option<usize> {
                match name {
                    #(#columns => #p::core::option::Option::Some(#indices),)*
                    _ => #p::core::option::Option::None,
                }
            }

            #[inline]
            fn read<'de, A: #p::MapAccess<'de>>(
                &mut self,
                index: usize,
                map: &mut A,
            ) -> #p::core::result::Result<(), A::Error> {
                match index {
                    #(#indices => #p::take_field(&mut self.#slots, #columns, map),)*
                    _ => #p::core::result::Result::Ok(()),
                }
            }

            #[inline]
            fn finish<E: #p::DeserializeError>(self) -> #p::core::result::Result<S, E> {
                #p::core::result::Result::Ok(S::whole((
                    #(#p::missing_or_absent(self.#slots, #columns)?,)*
                )))
            }
        }
    }
}

/// The generic halves of the methods of `Data`.
pub(super) fn functions(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let (types, slots, columns) = (types(model), slots(model), columns(model));
    let indices = 0..model.fields.len();
    let write = write(model);
    quote! {
        fn __clink_fields<S: __ClinkFields>() -> #p::std::vec::Vec<#p::Field> {
            #p::std::vec![#(#p::Field::new(
                #columns,
                <S::#types as #p::Data>::data_type(),
                <S::#types as #p::Data>::nullable(),
            )),*]
        }

        #[inline]
        fn __clink_serialize<S: __ClinkFields, W: #p::Serializer>(
            value: &S,
            serializer: W,
        ) -> #p::core::result::Result<W::Ok, W::Error> {
            let (#(#slots,)*) = value.refs();
            #write
        }

        #[inline]
        fn __clink_from_row<S: __ClinkFields, R: #p::Row + ?#p::core::marker::Sized>(
            row: &R,
        ) -> #p::core::result::Result<S, #p::RowError> {
            #p::core::result::Result::Ok(S::whole((
                #(#p::field_from_row::<S::#types, R>(row, #indices, #columns)?,)*
            )))
        }
    }
}

/// Writes the fields, an object or an array, to `serializer`.
fn write(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let (slots, count) = (slots(model), model.fields.len());
    if let Form::Tuple = model.form {
        return quote! {
            let mut out = #p::Serializer::serialize_tuple(serializer, #count)?;
            #(#p::serialize_element(&mut out, #slots)?;)*
            #p::SerializeTuple::end(out)
        };
    }
    let (name, columns) = (plain_name(&model.target.ident), columns(model));
    quote! {
        let mut out = #p::Serializer::serialize_struct(serializer, #name, #count)?;
        #(#p::serialize_field(&mut out, #columns, #slots)?;)*
        #p::SerializeStruct::end(out)
    }
}
