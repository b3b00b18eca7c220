//! Makes values that are written as one word flow: enums without fields, and `char`.
//!
//! Their columns hold text, so a checkpoint shows names and not numbers, and a variant that is
//! inserted changes nothing for the others.

use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, StringArray};
use arrow_schema::DataType;
use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;

use super::column::{check_row, downcast};
use super::{ColumnBuilder, ColumnView, Data, DataError, Required, TextError};

/// A type whose values are words; `#[derive(Data)]` implements it for enums without fields.
pub trait Word: Data {
    /// What the words are, for messages.
    const EXPECTED: &'static str;

    /// Passes on the word of this value.
    fn with_word<R>(&self, take: impl FnOnce(&str) -> R) -> R;

    /// The value with that word, if there is one.
    fn from_word(word: &str) -> Option<Self>;
}

/// Collects words.
#[derive(Debug)]
pub struct WordColumn<T> {
    builder: StringBuilder,
    values: PhantomData<fn(&T)>,
}

impl<T> Default for WordColumn<T> {
    fn default() -> Self {
        Self { builder: StringBuilder::new(), values: PhantomData }
    }
}

impl<T: Word> ColumnBuilder<T> for WordColumn<T> {
    #[inline]
    fn append(&mut self, value: &T) {
        value.with_word(|word| self.builder.append_value(word));
    }

    fn append_null(&mut self) {
        self.builder.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

/// Reads words.
#[derive(Debug)]
pub struct WordView<T> {
    array: StringArray,
    values: PhantomData<fn() -> T>,
}

impl<T: Word> ColumnView<T> for WordView<T> {
    fn of(array: &ArrayRef) -> Result<Self, DataError> {
        Ok(Self { array: downcast(array, &DataType::Utf8)?, values: PhantomData })
    }

    #[inline]
    fn get(&self, row: usize) -> Result<T, DataError> {
        check_row(&self.array, row)?;
        let word = self.array.value(row);
        T::from_word(word).ok_or_else(|| DataError::unknown_word(T::EXPECTED, word, row))
    }
}

/// Writes a word as text.
///
/// # Errors
/// Only what the serializer reports.
pub fn serialize_word<T: Word, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.with_word(|word| serializer.serialize_str(word))
}

/// Reads a word from text.
///
/// # Errors
/// What is no text, or no word of the type.
pub fn deserialize_word<'de, T: Word, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(WordVisitor(PhantomData))
}

/// Reads a word from a CSV cell; spaces around it carry no meaning, unless they are the word.
///
/// # Errors
/// A cell that holds no word of the type.
pub fn word_from_text<T: Word>(cell: &[u8]) -> Result<T, TextError> {
    let word = |cell| std::str::from_utf8(cell).ok().and_then(T::from_word);
    let found = word(cell).or_else(|| word(cell.trim_ascii()));
    found.ok_or_else(|| TextError::new(T::EXPECTED, cell))
}

/// Takes text that is a word.
struct WordVisitor<T>(PhantomData<T>);

impl<T: Word> Visitor<'_> for WordVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<T, E> {
        T::from_word(word).ok_or_else(|| E::invalid_value(de::Unexpected::Str(word), &self))
    }
}

impl Required for char {}

impl Word for char {
    const EXPECTED: &'static str = "one character";

    #[inline]
    fn with_word<R>(&self, take: impl FnOnce(&str) -> R) -> R {
        take(self.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn from_word(word: &str) -> Option<Self> {
        let mut characters = word.chars();
        characters.next().filter(|_| characters.next().is_none())
    }
}

impl Data for char {
    type Builder = WordColumn<Self>;
    type View = WordView<Self>;

    fn type_name() -> String {
        "char".to_owned()
    }

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_word(self, serializer)
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_word(deserializer)
    }

    fn from_text(cell: &[u8]) -> Result<Self, TextError> {
        word_from_text(cell)
    }
}
