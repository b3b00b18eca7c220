//! Turns values into Arrow record batches and back.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{Schema, SchemaRef};

use super::{ColumnBuilder, ColumnView, Data, DataError, VALUE_COLUMN};

/// The schema of a batch of `T`s.
#[must_use]
pub fn schema<T: Data>() -> SchemaRef {
    Arc::new(Schema::new(T::fields()))
}

/// The values as columns.
///
/// # Panics
/// If a hand-written `Data` gives columns that differ from its own schema, or if the text or bytes
/// of one column exceed 2 GiB.
pub fn to_record_batch<'a, T: Data>(values: impl IntoIterator<Item = &'a T>) -> RecordBatch {
    let mut builder = T::Builder::default();
    for value in values {
        builder.append(value);
    }
    let array = builder.finish();
    let rows = array.len();
    let columns = if T::SPREAD { fields_of(&array) } else { vec![array] };
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema::<T>(), columns, &options)
        .expect("a builder's columns are those of the type's schema")
}

/// The columns of a struct array.
fn fields_of(array: &ArrayRef) -> Vec<ArrayRef> {
    array
        .as_any()
        .downcast_ref::<StructArray>()
        .expect("the array of a type that spreads is a struct array")
        .columns()
        .to_vec()
}

/// The values in the columns, which are found by name; other columns are ignored.
///
/// # Errors
/// [`DataError`] names the column that is missing, has another type or holds an unexpected null.
pub fn from_record_batch<T: Data>(batch: &RecordBatch) -> Result<Vec<T>, DataError> {
    if T::SPREAD {
        let array: ArrayRef = Arc::new(StructArray::from(batch.clone()));
        let view = T::View::of(&array)?;
        return (0..batch.num_rows()).map(|row| view.get(row)).collect();
    }
    let read = |error: DataError| error.in_column(VALUE_COLUMN);
    let Some(column) = batch.column_by_name(VALUE_COLUMN) else {
        return Err(read(DataError::MissingColumn { column: String::new(), found: list(batch) }));
    };
    let view = T::View::of(column).map_err(read)?;
    let rows = 0..batch.num_rows();
    rows.map(|row| view.get(row).map_err(read)).collect()
}

/// The names of the columns of a batch, as a message lists them.
fn list(batch: &RecordBatch) -> String {
    let fields = batch.schema_ref().fields().iter();
    let names: Vec<String> = fields.map(|f| format!("`{}`", f.name())).collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(", ")
}
