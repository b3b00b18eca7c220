//! Turns batches into a segment of an Arrow IPC stream and back.
//!
//! | column | type | holds |
//! |---|---|---|
//! | `value` | that of the records; a struct where they are one | the values |
//! | `time` | Int64, nullable | event times; left out where no batch of the segment has any |
//! | `first` | Boolean | whether a batch starts with this record |

use std::borrow::Borrow;
use std::mem;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int64Builder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::error::SpillError;
use super::measure::owned_bytes;
use crate::channel::Batch;
use crate::data::{ColumnBuilder, ColumnView, Data, VALUE_COLUMN};
use crate::time::EventTime;

/// What a column of text or bytes holds at most: Arrow counts with 32 bits and a sign.
pub(super) const COLUMN_BYTES_MAX: usize = i32::MAX as usize;

const TIME_COLUMN: &str = "time";
const FIRST_COLUMN: &str = "first";

/// The batches as bytes; rows are divided so that no column exceeds `column_bytes_max`.
pub(super) fn encode<T: Data, B: Borrow<Batch<T>>>(
    batches: impl Iterator<Item = B> + Clone,
    column_bytes_max: usize,
) -> Result<Vec<u8>, SpillError> {
    let timed = batches.clone().any(|batch| batch.borrow().has_times());
    let schema = schema::<T>(timed);
    let failed = |error: ArrowError| columns::<T>("encode", error);
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).map_err(failed)?;
    let mut rows = Rows::<T>::default();
    for batch in batches {
        let mut first = true;
        for (value, time) in batch.borrow().iter() {
            let bytes = owned_bytes(value);
            if bytes > column_bytes_max {
                let (type_name, bytes_max) = (T::type_name(), column_bytes_max);
                return Err(SpillError::TooLong { type_name, bytes, bytes_max });
            }
            if rows.bytes.saturating_add(bytes) > column_bytes_max {
                writer.write(&rows.finish(&schema, timed).map_err(failed)?).map_err(failed)?;
            }
            rows.append(value, time, mem::take(&mut first), bytes);
        }
    }
    writer.write(&rows.finish(&schema, timed).map_err(failed)?).map_err(failed)?;
    writer.into_inner().map_err(failed)
}

fn schema<T: Data>(timed: bool) -> SchemaRef {
    let mut fields = vec![Field::new(VALUE_COLUMN, T::data_type(), T::nullable())];
    if timed {
        fields.push(Field::new(TIME_COLUMN, DataType::Int64, true));
    }
    fields.push(Field::new(FIRST_COLUMN, DataType::Boolean, false));
    Arc::new(Schema::new(fields))
}

fn columns<T: Data>(action: &'static str, reason: impl ToString) -> SpillError {
    SpillError::Columns { action, type_name: T::type_name(), reason: reason.to_string() }
}

/// Rows on their way into one Arrow batch.
struct Rows<T: Data> {
    values: T::Builder,
    times: Int64Builder,
    first: BooleanBuilder,
    /// What the values own.
    bytes: usize,
}

impl<T: Data> Default for Rows<T> {
    fn default() -> Self {
        let (times, first) = (Int64Builder::new(), BooleanBuilder::new());
        Self { values: T::Builder::default(), times, first, bytes: 0 }
    }
}

impl<T: Data> Rows<T> {
    fn append(&mut self, value: &T, time: Option<EventTime>, first: bool, bytes: usize) {
        self.values.append(value);
        self.times.append_option(time.map(EventTime::as_millis));
        self.first.append_value(first);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn finish(&mut self, schema: &SchemaRef, timed: bool) -> Result<RecordBatch, ArrowError> {
        self.bytes = 0;
        let times: ArrayRef = Arc::new(self.times.finish());
        let first: ArrayRef = Arc::new(self.first.finish());
        let columns = match timed {
            true => vec![self.values.finish(), times, first],
            false => vec![self.values.finish(), first],
        };
        RecordBatch::try_new(schema.clone(), columns)
    }
}

/// The batches in the bytes.
pub(super) fn decode<T: Data>(bytes: Vec<u8>) -> Result<Vec<Batch<T>>, SpillError> {
    let failed = |error: ArrowError| columns::<T>("decode", error);
    let mut batches = Vec::new();
    let mut decoder = StreamDecoder::new();
    // The arrays share the bytes.
    let mut bytes = Buffer::from_vec(bytes);
    while let Some(rows) = decoder.decode(&mut bytes).map_err(failed)? {
        append(&rows, &mut batches).map_err(|reason| columns::<T>("decode", reason))?;
    }
    decoder.finish().map_err(failed)?;
    Ok(batches)
}

/// Adds the rows, the first ones to the last batch if none starts with them.
fn append<T: Data>(rows: &RecordBatch, batches: &mut Vec<Batch<T>>) -> Result<(), String> {
    let missing = |column: &str| format!("column `{column}` is missing");
    let values = rows.column_by_name(VALUE_COLUMN).ok_or_else(|| missing(VALUE_COLUMN))?;
    let values = T::View::of(values).map_err(|error| error.to_string())?;
    let first = rows.column_by_name(FIRST_COLUMN).and_then(|column| column.as_boolean_opt());
    let first = first.ok_or_else(|| missing(FIRST_COLUMN))?;
    let times = rows.column_by_name(TIME_COLUMN);
    let times = times.and_then(|column| column.as_primitive_opt::<Int64Type>());
    for row in 0..rows.num_rows() {
        if first.value(row) {
            let more = (row + 1..rows.num_rows()).take_while(|next| !first.value(*next)).count();
            batches.push(Batch::with_capacity(more + 1));
        }
        let batch = batches.last_mut().ok_or("the first record starts no batch")?;
        let value = values.get(row).map_err(|error| error.to_string())?;
        let time = times.filter(|times| times.is_valid(row));
        batch.push(value, time.map(|times| EventTime::from_millis(times.value(row))));
    }
    Ok(())
}
