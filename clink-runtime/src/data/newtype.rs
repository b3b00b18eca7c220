//! Makes a struct around one value flow as that value: the same column, JSON and text.

use std::fmt;
use std::marker::PhantomData;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use serde::{Deserializer, Serializer};

use super::{ColumnBuilder, ColumnView, Data, DataError, Row, RowError, TextError};

/// A struct around one value; `#[derive(Data)]` implements it.
pub trait Newtype: Data {
    /// The value's type.
    type Inner: Data;

    /// The value.
    fn inner(&self) -> &Self::Inner;

    /// The struct around a value.
    fn wrap(inner: Self::Inner) -> Self;
}

/// Collects the values in newtypes.
pub struct NewtypeColumn<T: Newtype> {
    values: <T::Inner as Data>::Builder,
    // Comes last: the compiler looks into the last field to know a type's size, and would report
    // a value that is not `Data` once more.
    newtypes: PhantomData<fn(&T)>,
}

impl<T: Newtype> fmt::Debug for NewtypeColumn<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewtypeColumn")
    }
}

impl<T: Newtype> Default for NewtypeColumn<T> {
    fn default() -> Self {
        Self { values: Default::default(), newtypes: PhantomData }
    }
}

impl<T: Newtype> ColumnBuilder<T> for NewtypeColumn<T> {
    #[inline]
    fn append(&mut self, value: &T) {
        self.values.append(value.inner());
    }

    fn append_null(&mut self) {
        self.values.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        self.values.finish()
    }
}

/// Reads values into newtypes.
pub struct NewtypeView<T: Newtype> {
    values: <T::Inner as Data>::View,
    newtypes: PhantomData<fn() -> T>,
}

impl<T: Newtype> fmt::Debug for NewtypeView<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewtypeView")
    }
}

impl<T: Newtype> ColumnView<T> for NewtypeView<T> {
    fn of(array: &ArrayRef) -> Result<Self, DataError> {
        let values = <T::Inner as Data>::View::of(array)?;
        Ok(Self { values, newtypes: PhantomData })
    }

    #[inline]
    fn get(&self, row: usize) -> Result<T, DataError> {
        self.values.get(row).map(T::wrap)
    }
}

/// Answers for a newtype as the value inside would.
///
/// Generic code, so that a value that is not `Data` is reported where its type stands and nowhere
/// else.
#[derive(Debug)]
pub struct Through<T>(PhantomData<fn() -> T>);

#[expect(missing_docs, clippy::missing_errors_doc, reason = "each is `Data`'s, one level down")]
impl<T: Newtype> Through<T> {
    pub const SPREAD: bool = <T::Inner as Data>::SPREAD;

    pub fn data_type() -> DataType {
        T::Inner::data_type()
    }

    pub fn nullable() -> bool {
        T::Inner::nullable()
    }

    pub fn field_names() -> &'static [&'static str] {
        T::Inner::field_names()
    }

    pub fn fields() -> Vec<Field> {
        T::Inner::fields()
    }

    #[inline]
    pub fn serialize<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        value.inner().serialize(serializer)
    }

    #[inline]
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        T::Inner::deserialize(deserializer).map(T::wrap)
    }

    pub fn absent() -> Option<T> {
        T::Inner::absent().map(T::wrap)
    }

    pub fn has_default(field: usize) -> bool {
        T::Inner::has_default(field)
    }

    #[inline]
    pub fn from_text(cell: &[u8]) -> Result<T, TextError> {
        T::Inner::from_text(cell).map(T::wrap)
    }

    #[inline]
    pub fn from_row<R: Row + ?Sized>(row: &R) -> Result<T, RowError> {
        T::Inner::from_row(row).map(T::wrap)
    }
}
