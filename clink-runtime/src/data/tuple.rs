//! Makes tuples of two to four flow: struct columns `0`, `1`, …; JSON arrays; CSV rows.

use std::fmt;
use std::marker::PhantomData;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{SerializeTuple, Serializer};

use super::{
    AsSerialize, ColumnBuilder, ColumnView, Data, DataError, FromData, Required, Row, RowError,
    StructRows, StructView, TextError, field_from_row,
};

/// The columns of a tuple, under construction (`F` holds builders) or being read (views).
#[derive(Debug, Default)]
pub struct TupleColumn<R, F> {
    rows: R,
    fields: F,
}

/// Takes a JSON array of exactly the tuple's length.
struct TupleVisitor<T>(PhantomData<T>);

macro_rules! tuple {
    ($length:literal, $(($type:ident, $value:ident, $index:tt, $name:literal)),+) => {
        impl<$($type: Data),+> ColumnBuilder<($($type,)+)>
            for TupleColumn<StructRows, ($($type::Builder,)+)>
        {
            fn append(&mut self, value: &($($type,)+)) {
                $(self.fields.$index.append(&value.$index);)+
                self.rows.append();
            }

            fn append_null(&mut self) {
                $(self.fields.$index.append_null();)+
                self.rows.append_null();
            }

            fn finish(&mut self) -> ArrayRef {
                let columns = vec![$(self.fields.$index.finish()),+];
                self.rows.finish::<($($type,)+)>(columns)
            }
        }

        impl<$($type: Data),+> ColumnView<($($type,)+)>
            for TupleColumn<StructView, ($($type::View,)+)>
        {
            fn of(array: &ArrayRef) -> Result<Self, DataError> {
                let (rows, array) = StructView::of::<($($type,)+)>(array)?;
                let fields = ($(StructView::field::<$type>(array, $name)?,)+);
                Ok(Self { rows, fields })
            }

            fn get(&self, row: usize) -> Result<($($type,)+), DataError> {
                self.rows.check::<($($type,)+)>(row)?;
                Ok(($(StructView::get::<$type>(&self.fields.$index, $name, row)?,)+))
            }
        }

        impl<$($type),+> Required for ($($type,)+) {}

        impl<$($type: Data),+> Data for ($($type,)+) {
            type Builder = TupleColumn<StructRows, ($($type::Builder,)+)>;
            type View = TupleColumn<StructView, ($($type::View,)+)>;

            const SPREAD: bool = true;

            fn type_name() -> String {
                format!("({})", [$($type::type_name()),+].join(","))
            }

            fn data_type() -> DataType {
                DataType::Struct(Self::fields().into())
            }

            fn field_names() -> &'static [&'static str] {
                &[$($name),+]
            }

            fn fields() -> Vec<Field> {
                vec![$(Field::new($name, $type::data_type(), $type::nullable())),+]
            }

            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut out = serializer.serialize_tuple($length)?;
                $(out.serialize_element(&AsSerialize(&self.$index))?;)+
                out.end()
            }

            fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_tuple($length, TupleVisitor::<Self>(PhantomData))
            }

            fn from_text(cell: &[u8]) -> Result<Self, TextError> {
                Err(TextError::nested(cell))
            }

            fn from_row<R: Row + ?Sized>(row: &R) -> Result<Self, RowError> {
                Ok(($(field_from_row::<$type, R>(row, $index, $name)?,)+))
            }
        }

        impl<'de, $($type: Data),+> Visitor<'de> for TupleVisitor<($($type,)+)> {
            type Value = ($($type,)+);

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!("an array of ", $length, " values"))
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
                $(
                    let $value = seq
                        .next_element_seed(FromData::<$type>::new())?
                        .ok_or_else(|| S::Error::invalid_length($index, &self))?;
                )+
                Ok(($($value,)+))
            }
        }
    };
}

tuple!(2, (T0, a, 0, "0"), (T1, b, 1, "1"));
tuple!(3, (T0, a, 0, "0"), (T1, b, 1, "1"), (T2, c, 2, "2"));
tuple!(4, (T0, a, 0, "0"), (T1, b, 1, "1"), (T2, c, 2, "2"), (T3, d, 3, "3"));
