//! Makes `Option<T>` flow: a nullable column, JSON null, an empty CSV cell.

use std::fmt;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use serde::de::{self, DeserializeSeed, Deserializer, Visitor};
use serde::ser::Serializer;

use super::{AsSerialize, ColumnBuilder, ColumnView, Data, DataError, FromData, TextError};

/// A type with a value in every row, so that `Option` of it has one meaning.
///
/// Columns, JSON and CSV know one kind of nothing; `Option<Option<T>>` would have two.
#[diagnostic::on_unimplemented(
    message = "`Option<{Self}>` has two kinds of nothing, and a column has room for one",
    label = "an `Option` inside an `Option`",
    note = "use a single `Option`, or a struct that says what the two cases mean"
)]
pub trait Required {}

/// Collects values that may be absent.
#[derive(Debug)]
pub struct OptionColumn<T: Data> {
    values: T::Builder,
}

impl<T: Data> Default for OptionColumn<T> {
    fn default() -> Self {
        Self { values: T::Builder::default() }
    }
}

impl<T: Data> ColumnBuilder<Option<T>> for OptionColumn<T> {
    #[inline]
    fn append(&mut self, value: &Option<T>) {
        match value {
            Some(value) => self.values.append(value),
            None => self.values.append_null(),
        }
    }

    fn append_null(&mut self) {
        self.values.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        self.values.finish()
    }
}

/// Reads values that may be absent.
#[derive(Debug)]
pub struct OptionView<T: Data> {
    nulls: Option<NullBuffer>,
    rows: usize,
    values: T::View,
}

impl<T: Data> ColumnView<Option<T>> for OptionView<T> {
    fn of(array: &ArrayRef) -> Result<Self, DataError> {
        Ok(Self { nulls: array.nulls().cloned(), rows: array.len(), values: T::View::of(array)? })
    }

    #[inline]
    fn get(&self, row: usize) -> Result<Option<T>, DataError> {
        if row >= self.rows {
            return Err(DataError::past_end(row, self.rows));
        }
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        self.values.get(row).map(Some)
    }
}

impl<T: Data + Required> Data for Option<T> {
    type Builder = OptionColumn<T>;
    type View = OptionView<T>;

    fn type_name() -> String {
        format!("option<{}>", T::type_name())
    }

    fn data_type() -> DataType {
        T::data_type()
    }

    fn nullable() -> bool {
        true
    }

    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => serializer.serialize_some(&AsSerialize(value)),
            None => serializer.serialize_none(),
        }
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(OptionVisitor(FromData::new()))
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    /// An empty cell is `None`, also for text: CSV cannot tell the empty string from nothing.
    #[inline]
    fn from_text(cell: &[u8]) -> Result<Self, TextError> {
        if cell.is_empty() {
            return Ok(None);
        }
        T::from_text(cell).map(Some)
    }
}

/// Takes null or what the seed takes.
pub(super) struct OptionVisitor<S>(pub(super) S);

impl<'de, S: DeserializeSeed<'de, Value: Data>> Visitor<'de> for OptionVisitor<S> {
    type Value = Option<S::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} or null", S::Value::type_name())
    }

    fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.0.deserialize(deserializer).map(Some)
    }
}
