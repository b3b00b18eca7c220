//! Writes the builder and the view of a struct: its values as Arrow columns and back.

use proc_macro2::TokenStream;
use quote::quote;

use super::expand::{slots, types};
use super::model::Model;
use crate::hygiene::respan;

/// The struct that collects values into columns.
pub(super) fn builder(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let visibility = respan(&model.target.visibility);
    let (types, slots) = (types(model), slots(model));
    quote! {
        #visibility struct __ClinkColumns<S: __ClinkFields> {
            #(#slots: <S::#types as #p::Data>::Builder,)*
            rows: #p::StructRows,
        }

        #[automatically_derived]
        impl<S: __ClinkFields> #p::core::default::Default for __ClinkColumns<S> {
            fn default() -> Self {
                Self {
                    #(#slots: #p::core::default::Default::default(),)*
                    rows: #p::core::default::Default::default(),
                }
            }
        }

        #[automatically_derived]
        impl<S: __ClinkFields + #p::Data> #p::ColumnBuilder<S> for __ClinkColumns<S> {
            #[inline]
            fn append(&mut self, value: &S) {
                let (#(#slots,)*) = __ClinkFields::refs(value);
                #(#p::ColumnBuilder::append(&mut self.#slots, #slots);)*
                self.rows.append();
            }

            fn append_null(&mut self) {
                #(#p::ColumnBuilder::append_null(&mut self.#slots);)*
                self.rows.append_null();
            }

            fn finish(&mut self) -> #p::ArrayRef {
                let columns = #p::std::vec![#(#p::ColumnBuilder::finish(&mut self.#slots)),*];
                self.rows.finish::<S>(columns)
            }
        }
    }
}

/// The struct that reads values out of columns.
pub(super) fn view(model: &Model) -> TokenStream {
    let p = &model.target.private;
    let visibility = respan(&model.target.visibility);
    let slots = slots(model);
    let fields = model.fields.iter().zip(types(model)).zip(&slots);
    let (mut views, mut looks, mut gets) = (Vec::new(), Vec::new(), Vec::new());
    for ((field, ty), slot) in fields {
        let (column, view) = (&field.column, quote!(<S::#ty as #p::Data>::View));
        if field.has_default {
            views.push(quote!(#p::core::option::Option<#view>));
            looks.push(quote!(#p::StructView::field_if_any::<S::#ty>(array, #column)?));
            gets.push(quote! {
                #p::StructView::get_or_default::<S::#ty>(self.#slot.as_ref(), #column, row)?
            });
        } else {
            views.push(view);
            looks.push(quote!(#p::StructView::field::<S::#ty>(array, #column)?));
            gets.push(quote!(#p::StructView::get::<S::#ty>(&self.#slot, #column, row)?));
        }
    }
    quote! {
        #visibility struct __ClinkView<S: __ClinkFields> {
            #(#slots: #views,)*
            rows: #p::StructView,
        }

        #[automatically_derived]
        impl<S: __ClinkFields + #p::Data> #p::ColumnView<S> for __ClinkView<S> {
            fn of(array: &#p::ArrayRef) -> #p::core::result::Result<Self, #p::DataError> {
                let (rows, array) = #p::StructView::of::<S>(array)?;
                #p::core::result::Result::Ok(Self {
                    #(#slots: #looks,)*
                    rows,
                })
            }

            #[inline]
            fn get(&self, row: usize) -> #p::core::result::Result<S, #p::DataError> {
                self.rows.check::<S>(row)?;
                #p::core::result::Result::Ok(S::whole((
                    #(#gets,)*
                )))
            }
        }
    }
}
