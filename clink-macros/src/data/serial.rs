//! Writes what serde and CSV rows need of a struct: its parts while it is read, and how it is
//! written.

use proc_macro2::TokenStream;
use quote::quote;

use super::expand::{columns, slots, text_form, types};
use super::model::{Form, Model};
use crate::hygiene::plain_name;

/// The struct that holds the fields which serde has read so far.
pub(super) fn parts(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let name = plain_name(&model.target.ident);
    let (types, slots, columns) = (types(model), slots(model), columns(model));
    let indices = (0..model.fields.len()).collect::<Vec<_>>();
    let fields = || model.fields.iter().zip(&slots).zip(&columns);
    let takes = fields().map(|((field, slot), column)| match text_form(p, field) {
        Some(form) => quote!(#p::take_field_in::<#form, _, _>(&mut self.#slot, #column, map)),
        None => quote!(#p::take_field(&mut self.#slot, #column, map)),
    });
    let ends = fields().map(|((field, slot), column)| match field.has_default {
        true => quote!(self.#slot.unwrap_or_default()),
        false => quote!(#p::missing_or_absent(self.#slot, #column)?),
    });
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
                    #(#indices => #takes,)*
                    _ => #p::core::result::Result::Ok(()),
                }
            }

            #[inline]
            fn finish<E: #p::DeserializeError>(self) -> #p::core::result::Result<S, E> {
                #p::core::result::Result::Ok(S::whole((
                    #(#ends,)*
                )))
            }
        }
    }
}

/// The generic halves of the methods of `Data`.
pub(super) fn functions(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let (types, slots, columns) = (types(model), slots(model), columns(model));
    let write = write(model);
    let cells = model.fields.iter().zip(&types).enumerate().map(|(index, (field, ty))| {
        let (column, ty) = (&field.column, quote!(S::#ty));
        let read = match text_form(p, field) {
            Some(form) => quote!(#p::field_from_row_in::<#form, #ty, R>),
            None => quote!(#p::field_from_row::<#ty, R>),
        };
        match field.has_default {
            true => quote!(#p::or_default(row, #index, #column, #read)?),
            false => quote!(#read(row, #index, #column)?),
        }
    });
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
                #(#cells,)*
            )))
        }
    }
}

/// Writes the fields, an object or an array, to `serializer`.
fn write(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let (slots, count) = (slots(model), model.fields.len());
    let fields = || model.fields.iter().zip(&slots);
    if let Form::Tuple = model.form {
        let elements = fields().map(|(field, slot)| match text_form(p, field) {
            Some(form) => quote!(#p::serialize_element_in::<#form, _, _>(&mut out, #slot)?),
            None => quote!(#p::serialize_element(&mut out, #slot)?),
        });
        return quote! {
            let mut out = #p::Serializer::serialize_tuple(serializer, #count)?;
            #(#elements;)*
            #p::SerializeTuple::end(out)
        };
    }
    let name = plain_name(&model.target.ident);
    let written = fields().map(|(field, slot)| {
        let column = &field.column;
        match text_form(p, field) {
            Some(form) => quote!(#p::serialize_field_in::<#form, _, _>(&mut out, #column, #slot)?),
            None => quote!(#p::serialize_field(&mut out, #column, #slot)?),
        }
    });
    quote! {
        let mut out = #p::Serializer::serialize_struct(serializer, #name, #count)?;
        #(#written;)*
        #p::SerializeStruct::end(out)
    }
}
