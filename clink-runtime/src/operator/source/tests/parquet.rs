//! Parquet: columns of other types than the fields, divided files, values that do not fit.

use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::file::properties::WriterProperties;
use arrow_array::builder::Decimal128Builder;
use arrow_array::types::{
    Float32Type, Int8Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampNanosecondType,
    UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, FixedSizeBinaryArray, ListArray, NullArray,
    PrimitiveArray, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field};
use tempfile::TempDir;

use crate::data::{Data, Timestamp};
use crate::error::Result;
use crate::operator::contract::Source;
use crate::operator::{JobShared, RuntimeContext};
use crate::sys::files;

use super::super::{FileSplit, ParquetSource, parquet};
use super::{FileSource, Limits, context, read_all, read_with_restarts, run};

impl<T: Data + Default + std::fmt::Debug> FileSource for ParquetSource<T> {
    fn at(path: &str, _limits: Limits) -> Self {
        parquet(path)
    }
}

/// A file of these columns, in row groups of so many rows.
struct Written {
    _folder: TempDir,
    path: String,
}

fn write(columns: Vec<(&str, ArrayRef)>, group_rows: usize) -> Written {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let columns = columns.into_iter().map(|(name, array)| {
        let has_nulls = array.logical_null_count() > 0;
        (name, array, has_nulls)
    });
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let properties =
        WriterProperties::builder().set_max_row_group_row_count(Some(group_rows)).build();
    let file = files::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    Written { path: path.to_str().unwrap().to_owned(), _folder: folder }
}

fn int64(values: impl IntoIterator<Item = i64>) -> ArrayRef {
    Arc::new(PrimitiveArray::<Int64Type>::from_iter_values(values))
}

fn text(values: impl IntoIterator<Item = String>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

/// The one row of a file, as a value.
fn row<T: Data + Default + std::fmt::Debug>(columns: Vec<(&str, ArrayRef)>) -> Result<T> {
    let written = write(columns, 10);
    let mut found = read_all::<ParquetSource<T>>(&written.path, Limits::default(), 1)?;
    assert_eq!(found.len(), 1);
    Ok(found.remove(0))
}

fn value<T: Data + Default + std::fmt::Debug>(column: ArrayRef) -> Result<T> {
    row(vec![("value", column)])
}

fn one<A: arrow_array::ArrowPrimitiveType>(value: A::Native) -> ArrayRef {
    Arc::new(PrimitiveArray::<A>::from_iter_values([value]))
}

#[test]
fn every_row_comes_once_whatever_the_splits_and_restarts() {
    let rows = 400_i64;
    let columns = vec![
        ("text", text((0..rows).map(|n| format!("t{n}")))),
        ("unread", int64(0..rows)),
        ("n", int64(0..rows)),
    ];
    for group_rows in [7, 150, 5_000] {
        let written = write(columns.clone(), group_rows);
        let expected: Vec<i64> = (0..rows).collect();
        for wanted in [1, 2, 3, 8, 500] {
            let source = parquet::<(String, i64)>(written.path.as_str());
            let splits = source.splits(wanted).unwrap();
            assert!(splits.len() <= wanted as usize, "{} for {wanted}", splits.len());
            let mut next = 0;
            for split in &splits {
                assert_eq!(split.start, next);
                next = split.end;
            }
            assert_eq!(next, rows as u64);
            let found =
                read_all::<ParquetSource<(String, i64)>>(&written.path, Limits::default(), wanted);
            let found: Vec<i64> = found.unwrap().into_iter().map(|(_, n)| n).collect();
            assert_eq!(found, expected, "{group_rows}, {wanted}");
        }
        let found = read_with_restarts::<ParquetSource<(String, i64)>>(
            &written.path,
            Limits::default(),
            59,
        );
        assert_eq!(found.into_iter().map(|(_, n)| n).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn numbers_of_other_widths_are_read_where_they_fit_i05() {
    assert_eq!(value::<i64>(one::<Int8Type>(-5)).unwrap(), -5);
    assert_eq!(value::<u64>(one::<Int64Type>(i64::MAX)).unwrap(), i64::MAX as u64);
    assert_eq!(value::<i8>(one::<UInt64Type>(127)).unwrap(), 127);
    assert_eq!(value::<u64>(one::<UInt64Type>(u64::MAX)).unwrap(), u64::MAX);
    assert_eq!(value::<f64>(one::<Float32Type>(0.5)).unwrap(), 0.5);
    assert_eq!(value::<f64>(one::<Int32Type>(7)).unwrap(), 7.0);
    let error = value::<i64>(one::<UInt64Type>(u64::MAX)).unwrap_err().to_string();
    let says = "x.parquet: row 1: column `value`: expected Int64, found 18446744073709551615";
    assert!(error.ends_with(says), "{error}");
    let error = value::<u8>(one::<Int64Type>(-1)).unwrap_err().to_string();
    assert!(error.ends_with("expected UInt8, found -1"), "{error}");
    let error = value::<i64>(one::<Float32Type>(1.0)).unwrap_err().to_string();
    assert!(error.contains("expected Int64, found Float32"), "{error}");
}

#[test]
fn decimals_and_dates_are_texts_and_whole_decimals_numbers() {
    let decimal = |value: i128, scale: i8| -> ArrayRef {
        let mut builder = Decimal128Builder::new().with_precision_and_scale(30, scale).unwrap();
        builder.append_value(value);
        Arc::new(builder.finish())
    };
    assert_eq!(value::<String>(decimal(1_250, 2)).unwrap(), "12.50");
    assert_eq!(value::<String>(decimal(-5, 3)).unwrap(), "-0.005");
    assert_eq!(value::<i64>(decimal(-12, 0)).unwrap(), -12);
    assert!(value::<i64>(decimal(1_200, 2)).is_err(), "a fraction may be lost");
    let day = || -> ArrayRef { Arc::new(Date32Array::from(vec![15_736])) };
    assert_eq!(value::<String>(day()).unwrap(), "2013-01-31");
    assert_eq!(value::<i32>(day()).unwrap(), 15_736);
}

#[test]
fn instants_of_any_unit_are_cut_to_the_millisecond_and_local_times_need_a_word_i16() {
    let micros = |zone: Option<&str>| -> ArrayRef {
        let column = PrimitiveArray::<TimestampMicrosecondType>::from_iter_values([-1]);
        Arc::new(zone.map_or(column.clone(), |zone| column.with_timezone(zone)))
    };
    let utc = value::<Timestamp>(micros(Some("UTC"))).unwrap();
    assert_eq!(utc, Timestamp::from_millis(-1), "towards the past");
    assert_eq!(value::<i64>(micros(None)).unwrap(), -1, "the number as it is stored");
    let nanos: ArrayRef = Arc::new(
        PrimitiveArray::<TimestampNanosecondType>::from_iter_values([1_999_999])
            .with_timezone("UTC"),
    );
    assert_eq!(value::<Timestamp>(nanos).unwrap(), Timestamp::from_millis(1));
    let written = write(vec![("value", micros(None))], 1);
    let error = parquet::<Timestamp>(written.path.as_str()).check().unwrap_err().to_string();
    assert!(error.contains("`.assume_utc()` takes it for UTC"), "{error}");
    let mut source = parquet::<Timestamp>(written.path.as_str()).assume_utc();
    let splits = source.splits(1).unwrap();
    assert_eq!(run(&mut source, splits, None).unwrap().0, [Timestamp::from_millis(-1)]);
}

#[test]
fn texts_bytes_nulls_and_structs_are_what_they_are() {
    let bytes: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter([[1_u8, 2]].into_iter()).unwrap());
    assert_eq!(value::<Vec<u8>>(bytes).unwrap(), [1, 2]);
    let flags: ArrayRef = Arc::new(BooleanArray::from(vec![None]));
    assert_eq!(value::<Option<bool>>(flags.clone()).unwrap(), None);
    let error = value::<bool>(flags).unwrap_err().to_string();
    assert!(error.ends_with("row 1: column `value`: expected Boolean, found null"), "{error}");
    let nothing: ArrayRef = Arc::new(NullArray::new(1));
    assert_eq!(value::<Option<bool>>(nothing.clone()).unwrap(), None, "of no type at all");
    assert!(value::<bool>(nothing).is_err());
    let nested = StructArray::from(vec![
        (Arc::new(Field::new("1", DataType::Utf8, false)), text(["x".to_owned()])),
        (Arc::new(Field::new("other", DataType::Int64, false)), int64([9])),
        (Arc::new(Field::new("0", DataType::Int8, false)), one::<Int8Type>(3)),
    ]);
    let (outer, (n, text)) =
        row::<(i64, (i64, String))>(vec![("0", int64([1])), ("1", Arc::new(nested) as _)]).unwrap();
    assert_eq!((outer, n, text.as_str()), (1, 3, "x"));
}

#[test]
fn wrong_columns_are_found_before_anything_is_read() {
    let written = write(vec![("a", int64([1])), ("b", int64([2]))], 1);
    let error = parquet::<String>(written.path.as_str()).check().unwrap_err().to_string();
    assert!(error.contains("column `value` is missing; there are: `a`, `b`"), "{error}");
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([Some([Some(1)])]);
    let written = write(vec![("value", Arc::new(lists) as _)], 1);
    let error = parquet::<i64>(written.path.as_str()).check().unwrap_err().to_string();
    assert!(error.contains("column `value`: expected Int64, found List"), "{error}");
}

#[test]
fn a_damaged_file_is_an_error_wherever_it_is_damaged_i24() {
    let written = write(vec![("value", int64(0..500))], 100);
    let bytes = files::read(written.path.as_ref()).unwrap();
    let read = |bytes: &[u8]| {
        files::write_durable(written.path.as_ref(), bytes).unwrap();
        let read = || read_all::<ParquetSource<i64>>(&written.path, Limits::default(), 3);
        // A panic in the reader is contained by the subtask, and fails the job.
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(read))
    };
    assert_eq!(read(&bytes).unwrap().unwrap().len(), 500);
    for length in [0, 3, 4, 8, bytes.len() / 2, bytes.len() - 1] {
        let error = read(&bytes[..length]).unwrap().unwrap_err().to_string();
        assert!(error.contains("x.parquet: "), "{length}: {error}");
    }
    for at in (0..bytes.len()).step_by(7) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x41;
        // Whatever comes of it, it comes to an end.
        let _ = read(&changed);
    }
}

#[test]
fn a_file_that_lost_rows_is_refused_at_a_restore() {
    let written = write(vec![("value", int64(0..10))], 5);
    let mut source = parquet::<i64>(written.path.as_str());
    let split = FileSplit { position: 3, ..FileSplit::new(&written.path, 0, 20) };
    let shared = Arc::new(JobShared::default());
    let runtime = RuntimeContext { restored: true, shared, ..context() };
    let error = source.open(vec![split], &runtime).unwrap_err();
    assert!(error.is_refusal());
    let text = error.to_string();
    assert!(text.ends_with("it should go on to row 20 and ends at row 10"), "{text}");
}
