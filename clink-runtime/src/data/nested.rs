//! Keeps the rows of a struct column: what the builders and views of derived types share.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray, new_null_array};
use arrow_buffer::{NullBuffer, NullBufferBuilder};
use arrow_schema::{DataType, Fields};

use super::{ColumnBuilder, ColumnView, Data, DataError};

/// How many rows a struct column under construction has, and which of them are null.
#[derive(Debug)]
pub struct StructRows {
    valid: NullBufferBuilder,
}

impl Default for StructRows {
    fn default() -> Self {
        Self {
            // The buffer is only allocated for the first null, which a required struct never has.
            valid: NullBufferBuilder::new(0),
        }
    }
}

impl StructRows {
    /// Counts a row that holds a value.
    #[inline]
    pub fn append(&mut self) {
        self.valid.append_non_null();
    }

    /// Counts a row that holds none.
    pub fn append_null(&mut self) {
        self.valid.append_null();
    }

    /// Joins the columns of the fields of `T` to one struct column and starts over.
    ///
    /// # Panics
    /// If a builder of a field broke its contract: other rows or another type than announced.
    pub fn finish<T: Data>(&mut self, columns: Vec<ArrayRef>) -> ArrayRef {
        let rows = self.valid.len();
        let nulls = self.valid.finish();
        let fields = Fields::from(T::fields());
        let array = StructArray::try_new_with_length(fields, columns, nulls, rows)
            .expect("every field's builder got one value for every row of the struct");
        Arc::new(array)
    }
}

/// A builder behind a box.
///
/// The builder of a derived struct is generic over all its fields. Behind a box, the compiler need
/// not look into it to know that it can be sent, so a field that is not `Data` is reported once.
/// Price: one virtual call for each value, whatever its number of fields.
pub struct BoxedColumn<T, B> {
    column: Box<dyn ErasedColumn<T>>,
    builder: PhantomData<fn() -> B>,
}

/// A [`ColumnBuilder`] that can stand behind a box.
trait ErasedColumn<T>: Send {
    fn append(&mut self, value: &T);
    fn append_null(&mut self);
    fn finish(&mut self) -> ArrayRef;
}

impl<T, B: ColumnBuilder<T>> ErasedColumn<T> for B {
    fn append(&mut self, value: &T) {
        ColumnBuilder::append(self, value);
    }

    fn append_null(&mut self) {
        ColumnBuilder::append_null(self);
    }

    fn finish(&mut self) -> ArrayRef {
        ColumnBuilder::finish(self)
    }
}

impl<T, B> fmt::Debug for BoxedColumn<T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BoxedColumn")
    }
}

impl<T, B: ColumnBuilder<T> + 'static> Default for BoxedColumn<T, B> {
    fn default() -> Self {
        Self { column: Box::new(B::default()), builder: PhantomData }
    }
}

impl<T, B: ColumnBuilder<T> + 'static> ColumnBuilder<T> for BoxedColumn<T, B> {
    fn append(&mut self, value: &T) {
        self.column.append(value);
    }

    fn append_null(&mut self) {
        self.column.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        self.column.finish()
    }
}

/// A struct column being read: its null rows, and its fields by name.
#[derive(Debug)]
pub struct StructView {
    rows: usize,
    nulls: Option<NullBuffer>,
}

impl StructView {
    /// Looks at an array that should hold structs of the type `T`.
    ///
    /// # Errors
    /// [`DataError`] if it is no struct array.
    pub fn of<T: Data>(array: &ArrayRef) -> Result<(Self, &StructArray), DataError> {
        let Some(found) = array.as_any().downcast_ref::<StructArray>() else {
            return Err(DataError::mismatch(&T::data_type(), array.data_type()));
        };
        let rows = Self { rows: found.len(), nulls: found.nulls().cloned() };
        Ok((rows, found))
    }

    /// The view of the field called `name`.
    ///
    /// A column that is missing reads as nulls where the field allows them: that is what makes an
    /// added optional field readable from older data.
    ///
    /// # Errors
    /// [`DataError`] if the field is missing or has another type.
    pub fn field<T: Data>(array: &StructArray, name: &str) -> Result<T::View, DataError> {
        let view = match array.column_by_name(name) {
            Some(column) => T::View::of(column),
            None if T::nullable() => T::View::of(&new_null_array(&T::data_type(), array.len())),
            None => Err(DataError::MissingColumn { column: String::new(), found: list(array) }),
        };
        view.map_err(|error| error.in_column(name))
    }

    /// The view of the field called `name`, or none if there is no such column.
    ///
    /// # Errors
    /// [`DataError`] if the field has another type.
    pub fn field_if_any<T: Data>(
        array: &StructArray,
        name: &str,
    ) -> Result<Option<T::View>, DataError> {
        let view = array.column_by_name(name).map(T::View::of).transpose();
        view.map_err(|error| error.in_column(name))
    }

    /// Fails if `row` holds no struct.
    ///
    /// # Errors
    /// [`DataError`] if the row is null or does not exist.
    #[inline]
    pub fn check<T: Data>(&self, row: usize) -> Result<(), DataError> {
        if row >= self.rows {
            return Err(DataError::past_end(row, self.rows));
        }
        match &self.nulls {
            Some(nulls) if nulls.is_null(row) => Err(DataError::null(&T::data_type(), row)),
            _ => Ok(()),
        }
    }

    /// The value of one field in one row.
    ///
    /// # Errors
    /// [`DataError`] of the field, with its name.
    #[inline]
    pub fn get<T: Data>(view: &T::View, name: &str, row: usize) -> Result<T, DataError> {
        view.get(row).map_err(|error| error.in_column(name))
    }

    /// The value of one field in one row, or the default where the field has no column.
    ///
    /// # Errors
    /// [`DataError`] of the field, with its name.
    #[inline]
    pub fn get_or_default<T: Data + Default>(
        view: Option<&T::View>,
        name: &str,
        row: usize,
    ) -> Result<T, DataError> {
        match view {
            Some(view) => Self::get(view, name, row),
            None => Ok(T::default()),
        }
    }
}

/// The names of the columns of a struct, as a message lists them.
fn list(array: &StructArray) -> String {
    let DataType::Struct(fields) = array.data_type() else {
        return "none".to_owned();
    };
    if fields.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<String> = fields.iter().map(|f| format!("`{}`", f.name())).collect();
    names.join(", ")
}
