//! Gives a field another form in JSON and CSV than its type has: an epoch, a decimal number.
//!
//! A form is a type without values; an attribute on the field names it. Columns know no forms: in
//! channels, state and checkpoints the field is what its type is.

use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, MapAccess};
use serde::ser::{Serialize, SerializeStruct, SerializeTuple, Serializer};

use super::option::OptionVisitor;
use super::serial::take_with;
use super::text::{missing_column, row_error};
use super::{Data, Required, Row, RowError, TextError};

/// A type whose values can be written in the form `F`.
///
/// Contract: that of the methods of [`Data`] with these names; a value comes back equal.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written in the form that its attribute names",
    label = "the attribute is not for this type",
    note = "`#[data(epoch = \"…\")]` is for a `Timestamp`, `#[data(decimal)]` for a `String`, and \
            both for an `Option` of it"
)]
pub trait InForm<F>: Data {
    /// Writes the value through serde.
    ///
    /// # Errors
    /// Only what the serializer reports.
    fn serialize_in<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads a value through serde.
    ///
    /// # Errors
    /// A value of another shape or out of range.
    fn deserialize_in<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

    /// Reads one CSV cell.
    ///
    /// # Errors
    /// [`TextError`] says what was expected and shows what was found.
    fn from_text_in(cell: &[u8]) -> Result<Self, TextError>;
}

/// What may be missing is null or an empty cell in every form.
impl<F, T: InForm<F> + Required> InForm<F> for Option<T> {
    fn serialize_in<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => serializer.serialize_some(&Formed::<F, T>(value, PhantomData)),
            None => serializer.serialize_none(),
        }
    }

    fn deserialize_in<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(OptionVisitor(FromForm::<F, T>(PhantomData)))
    }

    #[inline]
    fn from_text_in(cell: &[u8]) -> Result<Self, TextError> {
        if cell.is_empty() {
            return Ok(None);
        }
        T::from_text_in(cell).map(Some)
    }
}

/// A value that serializes in the form `F`.
struct Formed<'a, F, T>(&'a T, PhantomData<fn() -> F>);

impl<F, T: InForm<F>> Serialize for Formed<'_, F, T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_in(serializer)
    }
}

/// The wish for a `T` in the form `F`.
struct FromForm<F, T>(PhantomData<fn() -> (F, T)>);

impl<'de, F, T: InForm<F>> DeserializeSeed<'de> for FromForm<F, T> {
    type Value = T;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize_in(deserializer)
    }
}

/// Writes one field of a derived struct in the form `F`.
///
/// # Errors
/// Only what the serializer reports.
#[inline]
pub fn serialize_field_in<F, T: InForm<F>, S: SerializeStruct>(
    out: &mut S,
    name: &'static str,
    value: &T,
) -> Result<(), S::Error> {
    out.serialize_field(name, &Formed::<F, T>(value, PhantomData))
}

/// Writes one field of a derived struct without field names in the form `F`.
///
/// # Errors
/// Only what the serializer reports.
#[inline]
pub fn serialize_element_in<F, T: InForm<F>, S: SerializeTuple>(
    out: &mut S,
    value: &T,
) -> Result<(), S::Error> {
    out.serialize_element(&Formed::<F, T>(value, PhantomData))
}

/// Reads the value of the field `name`, in the form `F`, into its slot.
///
/// # Errors
/// A value of another shape, or a slot that is taken.
#[inline]
pub fn take_field_in<'de, F, T: InForm<F>, A: MapAccess<'de>>(
    slot: &mut Option<T>,
    name: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    take_with(FromForm::<F, T>(PhantomData), slot, name, map)
}

/// Reads the field at `field`, called `name`, of a row whose cell has the form `F`.
///
/// # Errors
/// [`RowError`] if the cell does not hold a `T`, or there is no such column.
#[inline]
pub fn field_from_row_in<F, T: InForm<F>, R: Row + ?Sized>(
    row: &R,
    field: usize,
    name: &'static str,
) -> Result<T, RowError> {
    let cell = row.cell(field).ok_or_else(|| missing_column(field, name))?;
    T::from_text_in(cell).map_err(|error| row_error(field, name, error))
}
