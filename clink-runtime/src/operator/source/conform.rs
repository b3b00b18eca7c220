//! Turns columns as a file has them into columns as a type has them, where no value changes.
//!
//! | the column | the field |
//! |---|---|
//! | an integer; a decimal without a fraction | an integer, in its range; a float, nearest |
//! | a float | a float, nearest |
//! | an instant of any unit | a `Timestamp`; below the millisecond cut towards the past |
//! | a local time, if it is to be taken for UTC | a `Timestamp` |
//! | an instant, a date, a time of day | an integer: the number as it is stored |
//! | a decimal, a date | text: `12.50`, `2013-01-31` |
//! | bytes of one length | bytes |
//! | a struct | a struct, field by field |

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, PrimitiveArray, StringArray, StructArray, new_null_array,
};
use arrow_schema::{DataType, Field, Fields, TimeUnit};

use crate::data::DataError;

/// What is wrong with values of some rows: the column, and what was expected and found there. The
/// first of each row.
pub(super) type Misfits = BTreeMap<usize, (String, String)>;

/// How to read what has more than one meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conform {
    /// Local times are those of UTC.
    pub(super) assume_utc: bool,
}

impl Conform {
    /// The columns of a struct that the wanted fields name, each as its field has it; those that
    /// are not there are left out.
    pub(super) fn fields(
        self,
        array: &StructArray,
        wanted: &Fields,
        path: &str,
        misfits: &mut Misfits,
    ) -> Result<StructArray, DataError> {
        let (mut fields, mut columns) = (Vec::new(), Vec::new());
        for field in wanted {
            let Some(column) = array.column_by_name(field.name()) else { continue };
            let name = field.name();
            let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let column = self.column(column, field.data_type(), &below, misfits);
            let column = column.map_err(|error| error.in_column(name))?;
            // Nulls are found row by row, when values are taken.
            fields.push(Arc::new(Field::new(name, column.data_type().clone(), true)));
            columns.push(column);
        }
        let rows = array.len();
        let made =
            StructArray::try_new_with_length(fields.into(), columns, array.nulls().cloned(), rows);
        Ok(made.expect("each column has the type of its field and as many rows as the struct"))
    }

    fn column(
        self,
        array: &ArrayRef,
        wanted: &DataType,
        path: &str,
        misfits: &mut Misfits,
    ) -> Result<ArrayRef, DataError> {
        if let (DataType::Struct(fields), Some(found)) = (wanted, array.as_struct_opt()) {
            return Ok(Arc::new(self.fields(found, fields, path, misfits)?));
        }
        if array.data_type() == wanted {
            return Ok(Arc::clone(array));
        }
        let mismatch = || DataError::mismatch(wanted, array.data_type());
        let made = self.converted(array, wanted).ok_or_else(mismatch)?;
        // What had a value and has none now did not fit. A column of nulls alone has no mask.
        let nulls = array.logical_nulls();
        let had_value = |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        for row in 0..array.len() {
            if made.is_null(row) && had_value(row) {
                let reason = format!("expected {wanted}, found {}", shown(array, row));
                misfits.entry(row).or_insert_with(|| (path.to_owned(), reason));
            }
        }
        Ok(made)
    }

    /// The column as another type, null where a value does not fit; `None` if they are not alike.
    fn converted(self, array: &ArrayRef, wanted: &DataType) -> Option<ArrayRef> {
        if matches!(array.data_type(), DataType::Null) {
            return Some(new_null_array(wanted, array.len()));
        }
        Some(match wanted {
            DataType::Int8 => integer::<Int8Type>(array)?,
            DataType::Int16 => integer::<Int16Type>(array)?,
            DataType::Int32 => integer::<Int32Type>(array)?,
            DataType::Int64 => integer::<Int64Type>(array)?,
            DataType::UInt8 => integer::<UInt8Type>(array)?,
            DataType::UInt16 => integer::<UInt16Type>(array)?,
            DataType::UInt32 => integer::<UInt32Type>(array)?,
            DataType::UInt64 => integer::<UInt64Type>(array)?,
            DataType::Float32 => {
                let floats = floats(array)?.map(|value| value.map(|value| value as f32));
                Arc::new(floats.collect::<PrimitiveArray<Float32Type>>())
            }
            DataType::Float64 => Arc::new(floats(array)?.collect::<PrimitiveArray<Float64Type>>()),
            DataType::Timestamp(TimeUnit::Millisecond, Some(_)) => {
                let millis = self.instants(array)?.collect::<PrimitiveArray<_>>();
                let millis: PrimitiveArray<TimestampMillisecondType> = millis;
                Arc::new(millis.with_data_type(wanted.clone()))
            }
            DataType::Utf8 => Arc::new(texts(array)?),
            DataType::Binary => {
                let bytes = array.as_fixed_size_binary_opt()?;
                Arc::new(bytes.iter().collect::<BinaryArray>())
            }
            _ => return None,
        })
    }

    /// Milliseconds since 1970; `None` for what lies beyond.
    fn instants(self, array: &ArrayRef) -> Option<Box<dyn Iterator<Item = Option<i64>> + '_>> {
        let DataType::Timestamp(unit, zone) = array.data_type() else { return None };
        if zone.is_none() && !self.assume_utc {
            return None;
        }
        Some(match unit {
            TimeUnit::Second => {
                let seconds = array.as_primitive::<TimestampSecondType>().iter();
                Box::new(seconds.map(|second| second?.checked_mul(1_000)))
            }
            TimeUnit::Millisecond => {
                Box::new(array.as_primitive::<TimestampMillisecondType>().iter())
            }
            TimeUnit::Microsecond => {
                let micros = array.as_primitive::<TimestampMicrosecondType>().iter();
                Box::new(micros.map(|micros| Some(micros?.div_euclid(1_000))))
            }
            TimeUnit::Nanosecond => {
                let nanos = array.as_primitive::<TimestampNanosecondType>().iter();
                Box::new(nanos.map(|nanos| Some(nanos?.div_euclid(1_000_000))))
            }
        })
    }
}

/// The values of a column of whole numbers, or of what is stored as such.
fn whole(array: &ArrayRef) -> Option<Box<dyn Iterator<Item = Option<i128>> + '_>> {
    fn wide<A>(array: &ArrayRef) -> Box<dyn Iterator<Item = Option<i128>> + '_>
    where
        A: ArrowPrimitiveType<Native: Into<i128>>,
    {
        Box::new(array.as_primitive::<A>().iter().map(|value| value.map(Into::into)))
    }
    Some(match array.data_type() {
        DataType::Int8 => wide::<Int8Type>(array),
        DataType::Int16 => wide::<Int16Type>(array),
        DataType::Int32 => wide::<Int32Type>(array),
        DataType::Int64 => wide::<Int64Type>(array),
        DataType::UInt8 => wide::<UInt8Type>(array),
        DataType::UInt16 => wide::<UInt16Type>(array),
        DataType::UInt32 => wide::<UInt32Type>(array),
        DataType::UInt64 => wide::<UInt64Type>(array),
        DataType::Date32 => wide::<Date32Type>(array),
        DataType::Date64 => wide::<Date64Type>(array),
        DataType::Time32(TimeUnit::Millisecond) => wide::<Time32MillisecondType>(array),
        DataType::Time64(TimeUnit::Microsecond) => wide::<Time64MicrosecondType>(array),
        DataType::Time64(TimeUnit::Nanosecond) => wide::<Time64NanosecondType>(array),
        DataType::Timestamp(TimeUnit::Second, _) => wide::<TimestampSecondType>(array),
        DataType::Timestamp(TimeUnit::Millisecond, _) => wide::<TimestampMillisecondType>(array),
        DataType::Timestamp(TimeUnit::Microsecond, _) => wide::<TimestampMicrosecondType>(array),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => wide::<TimestampNanosecondType>(array),
        DataType::Decimal128(_, 0) => wide::<Decimal128Type>(array),
        _ => return None,
    })
}

fn integer<A>(array: &ArrayRef) -> Option<ArrayRef>
where
    A: ArrowPrimitiveType<Native: TryFrom<i128>>,
{
    let values = whole(array)?.map(|value| A::Native::try_from(value?).ok());
    Some(Arc::new(values.collect::<PrimitiveArray<A>>()))
}

fn floats(array: &ArrayRef) -> Option<Box<dyn Iterator<Item = Option<f64>> + '_>> {
    Some(match array.data_type() {
        DataType::Float32 => {
            Box::new(array.as_primitive::<Float32Type>().iter().map(|value| value.map(f64::from)))
        }
        DataType::Float64 => Box::new(array.as_primitive::<Float64Type>().iter()),
        // An instant as a float would lose digits.
        DataType::Timestamp(..) | DataType::Date64 | DataType::Time64(_) => return None,
        _ => Box::new(whole(array)?.map(|value| value.map(|value| value as f64))),
    })
}

fn texts(array: &ArrayRef) -> Option<StringArray> {
    let rows = 0..array.len();
    Some(match array.data_type() {
        DataType::Decimal128(..) => {
            let decimals = array.as_primitive::<Decimal128Type>();
            rows.map(|row| decimals.is_valid(row).then(|| decimals.value_as_string(row))).collect()
        }
        DataType::Decimal256(..) => {
            let decimals = array.as_primitive::<arrow_array::types::Decimal256Type>();
            rows.map(|row| decimals.is_valid(row).then(|| decimals.value_as_string(row))).collect()
        }
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().iter();
            days.map(|days| date(days?)).collect()
        }
        _ => return None,
    })
}

/// A date as ISO 8601 writes it; `None` beyond the years that it can.
fn date(days: i32) -> Option<String> {
    let span = jiff::Span::new().try_days(days).ok()?;
    Some(jiff::civil::date(1970, 1, 1).checked_add(span).ok()?.to_string())
}

/// A value that did not fit, for a message.
fn shown(array: &ArrayRef, row: usize) -> String {
    match whole(array).and_then(|mut values| values.nth(row)).flatten() {
        Some(value) => value.to_string(),
        None => format!("a {} beyond its range", array.data_type()),
    }
}
