//! Makes `String` and `Vec<u8>` flow: Arrow Utf8 and Binary, JSON text and number arrays.

use std::fmt;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::{ArrayRef, BinaryArray, StringArray};
use arrow_schema::DataType;
use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use super::column::{check_row, downcast};
use super::{ColumnBuilder, ColumnView, Data, DataError, Required, TextError};

/// Collects text.
#[derive(Debug, Default)]
pub struct TextColumn {
    builder: StringBuilder,
}

impl ColumnBuilder<String> for TextColumn {
    #[inline]
    fn append(&mut self, value: &String) {
        self.builder.append_value(value);
    }

    fn append_null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

/// Reads text.
#[derive(Debug)]
pub struct TextView {
    array: StringArray,
}

impl ColumnView<String> for TextView {
    fn of(array: &ArrayRef) -> Result<Self, DataError> {
        Ok(Self { array: downcast(array, &DataType::Utf8)? })
    }

    #[inline]
    fn get(&self, row: usize) -> Result<String, DataError> {
        check_row(&self.array, row)?;
        Ok(self.array.value(row).to_owned())
    }
}

impl Required for String {}

impl Data for String {
    type Builder = TextColumn;
    type View = TextView;

    fn type_name() -> String {
        "string".to_owned()
    }

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            // Whoever asks for a string does not see what stands there instead.
            return deserializer.deserialize_any(TextVisitor);
        }
        deserializer.deserialize_string(TextVisitor)
    }

    /// The cell as it is, spaces included; an empty cell is the empty string.
    fn from_text(cell: &[u8]) -> Result<Self, TextError> {
        match std::str::from_utf8(cell) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(TextError::new("UTF-8 text", cell)),
        }
    }
}

/// Takes text, and tells somebody with a number how to keep its digits.
struct TextVisitor;

/// What is said of a number.
const EXPECTED_NOT_NUMBER: &str = "a string (to keep the digits of a number, write it in quotes, \
     or put `#[data(decimal)]` on the field)";

impl Visitor<'_> for TextVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    #[inline]
    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    #[inline]
    fn visit_string<E: de::Error>(self, text: String) -> Result<String, E> {
        Ok(text)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<String, E> {
        Err(E::invalid_type(Unexpected::Signed(number), &EXPECTED_NOT_NUMBER))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<String, E> {
        Err(E::invalid_type(Unexpected::Unsigned(number), &EXPECTED_NOT_NUMBER))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<String, E> {
        Err(E::invalid_type(Unexpected::Float(number), &EXPECTED_NOT_NUMBER))
    }
}

/// Collects byte strings.
#[derive(Debug, Default)]
pub struct BytesColumn {
    builder: BinaryBuilder,
}

impl ColumnBuilder<Vec<u8>> for BytesColumn {
    #[inline]
    fn append(&mut self, value: &Vec<u8>) {
        self.builder.append_value(value);
    }

    fn append_null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

/// Reads byte strings.
#[derive(Debug)]
pub struct BytesView {
    array: BinaryArray,
}

impl ColumnView<Vec<u8>> for BytesView {
    fn of(array: &ArrayRef) -> Result<Self, DataError> {
        Ok(Self { array: downcast(array, &DataType::Binary)? })
    }

    #[inline]
    fn get(&self, row: usize) -> Result<Vec<u8>, DataError> {
        check_row(&self.array, row)?;
        Ok(self.array.value(row).to_owned())
    }
}

impl Required for Vec<u8> {}

/// In JSON a byte string is an array of numbers from 0 to 255: longer than base64, but it needs
/// no second alphabet to go wrong and any program can read it.
impl Data for Vec<u8> {
    type Builder = BytesColumn;
    type View = BytesView;

    fn type_name() -> String {
        "bytes".to_owned()
    }

    fn data_type() -> DataType {
        DataType::Binary
    }

    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Serialize::serialize(self, serializer)
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <Self as Deserialize>::deserialize(deserializer)
    }

    /// The bytes of the cell as they are.
    fn from_text(cell: &[u8]) -> Result<Self, TextError> {
        Ok(cell.to_owned())
    }
}
