//! Reads Parquet files row group by row group.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{Fields, Schema};
use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;

use crate::data::{ColumnView, Data, DataError, VALUE_COLUMN};
use crate::error::{Error, Result};
use crate::operator::{Param, ParamError, Params};
use crate::sys::files::{self, File};

use super::blocks::Limits;
use super::columns::is_tuple;
use super::conform::{Conform, Misfits};
use super::error::{FileSourceError, RecordError};
use super::file::{FileSource, descriptor};
use super::reader::{Format, FormatOptions, Next, RecordReader};
use super::split::FileSplit;

/// Rows decoded at once.
const BATCH_ROWS: usize = 1_024;

/// A source of the rows of Parquet files; made by [`parquet`](super::parquet()).
///
/// Fields are found by the name of their column, in any order, nested ones too; other columns are
/// not read. A tuple whose columns are not called `0`, `1`, … takes the first ones in order, a
/// single value the column `value` or the only one. A file is divided between its row groups.
pub type ParquetSource<T> = FileSource<ParquetRows<T>>;

/// How to read what has more than one meaning.
#[derive(Clone, Debug, Default)]
pub struct ParquetOptions {
    assume_utc: Option<bool>,
}

impl FormatOptions for ParquetOptions {
    const PARAMS: &'static [&'static str] = &["path", "follow", "assume_utc"];

    fn write(&self, params: &mut Params) -> Result<(), ParamError> {
        self.assume_utc.write("assume_utc", params)
    }

    fn read(params: &Params) -> Result<Self, ParamError> {
        Ok(Self { assume_utc: Param::read("assume_utc", params)? })
    }
}

impl<T: Data> ParquetSource<T> {
    /// Takes times without a zone, which name no instant, for those of UTC.
    #[must_use]
    pub fn assume_utc(mut self) -> Self {
        self.options_mut().assume_utc = Some(true);
        self
    }
}

/// The rows of a file as values.
#[derive(Debug)]
pub struct ParquetRows<T>(PhantomData<fn() -> T>);

impl<T: Data> Format for ParquetRows<T> {
    const DESCRIPTOR: OperatorDescriptor = descriptor(
        "parquet_source",
        "parquet-source",
        ParquetOptions::PARAMS,
        SourceLocation::caller(),
    );

    type Out = T;
    type Options = ParquetOptions;
    type Reader = ParquetReader<T>;

    const IN_BYTES: bool = false;

    fn size(file: &str) -> Result<u64> {
        Ok(files::size(Path::new(file))?)
    }

    fn check(file: &str, options: &ParquetOptions) -> Result<()> {
        let builder = open(file)?;
        let columns = Columns::<T>::find(file, builder.schema(), options).map_err(terminal)?;
        columns.check(builder.schema()).map_err(terminal)
    }

    fn divide(file: &str, wanted: u32, _options: &ParquetOptions) -> Result<Vec<FileSplit>> {
        let groups = groups(&open(file)?);
        let rows: u64 = groups.iter().sum();
        let (mut splits, mut start, mut end) = (Vec::new(), 0, 0);
        for group in groups {
            end += group;
            let due = u128::from(rows) * (splits.len() as u128 + 1);
            // As soon as its share is full, and with the last group in any case.
            if end > start && (u128::from(end) * u128::from(wanted) >= due || end == rows) {
                splits.push(FileSplit::new(file, start, end));
                start = end;
            }
        }
        Ok(splits)
    }

    fn enter(
        split: &FileSplit,
        _limits: Limits,
        _grows: bool,
        options: &ParquetOptions,
    ) -> Result<ParquetReader<T>> {
        let builder = open(&split.path)?;
        let columns = Columns::find(&split.path, builder.schema(), options).map_err(terminal)?;
        columns.check(builder.schema()).map_err(terminal)?;
        let groups = groups(&builder);
        let rows: u64 = groups.iter().sum();
        // A followed file has no split of its own: all of it is to be read.
        let end = if split.file == 0 { split.end } else { rows };
        if rows < end {
            let (path, expected) = (split.path.clone(), end);
            let error = FileSourceError::Shorter { path, unit: "row", expected, found: rows };
            return Err(error.into());
        }
        let (mut wanted, mut first, mut skipped) = (Vec::new(), 0, 0);
        for (index, group) in groups.into_iter().enumerate() {
            let last = first + group;
            if last > split.position && first < end {
                if wanted.is_empty() {
                    skipped = split.position.saturating_sub(first);
                }
                wanted.push(index);
            }
            first = last;
        }
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.places.iter().copied());
        let limit = end.saturating_sub(split.position);
        let reader = builder
            .with_projection(mask)
            .with_row_groups(wanted)
            .with_offset(usize::try_from(skipped).unwrap_or(usize::MAX))
            .with_limit(usize::try_from(limit).unwrap_or(usize::MAX))
            .with_batch_size(BATCH_ROWS)
            .build();
        let reader = reader.map_err(|error| damaged(&split.path, error))?;
        let path = split.path.clone();
        Ok(ParquetReader {
            path,
            reader,
            columns,
            rows: Vec::new().into_iter(),
            position: split.position,
        })
    }
}

/// Opens a file and reads what it says of itself.
///
/// What Arrow writers add to it is not looked at: then a text is a text, whatever it was in memory.
fn open(path: &str) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let place = Path::new(path);
    if files::is_folder(place) {
        return Err(FileSourceError::Folder { path: path.to_owned() }.into());
    }
    let file = files::open(place).map_err(super::input::unopened)?;
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options);
    builder.map_err(|error| terminal(damaged(path, error)))
}

/// How many rows each group has.
fn groups(builder: &ParquetRecordBatchReaderBuilder<File>) -> Vec<u64> {
    let groups = builder.metadata().row_groups().iter();
    groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).collect()
}

/// Which columns of a file the fields of a type are.
struct Columns<T> {
    path: String,
    /// Of the file, in its order.
    places: Vec<usize>,
    /// Their names in the type, by the same order.
    names: Vec<String>,
    conform: Conform,
    types: PhantomData<fn() -> T>,
}

impl<T: Data> Columns<T> {
    fn find(
        path: &str,
        schema: &Schema,
        options: &ParquetOptions,
    ) -> Result<Self, FileSourceError> {
        let index = |name: &str| schema.fields().iter().position(|field| field.name() == name);
        let by_name = T::field_names().iter().any(|name| index(name).is_some());
        let takes_all = T::SPREAD && is_tuple(T::field_names());
        let takes_one = !T::SPREAD && schema.fields().len() == 1;
        let mut found: Vec<(usize, String)> = Vec::new();
        for (at, name) in T::field_names().iter().enumerate() {
            let by_place = !by_name && (takes_all || takes_one) && at < schema.fields().len();
            let place = if by_place { Some(at) } else { index(name) };
            found.extend(place.map(|place| (place, (*name).to_owned())));
        }
        found.sort();
        let (places, names) = found.into_iter().unzip();
        let conform = Conform { assume_utc: options.assume_utc == Some(true) };
        let columns = Self { path: path.to_owned(), places, names, conform, types: PhantomData };
        columns.check_missing(schema)?;
        Ok(columns)
    }

    /// An optional field has a column too, as in CSV: else a misspelt name would read as a file in
    /// which every value is missing.
    fn check_missing(&self, schema: &Schema) -> Result<(), FileSourceError> {
        let missing = |(index, name): &(usize, &&str)| {
            !T::has_default(*index) && !self.names.iter().any(|found| found == *name)
        };
        let mut names = T::field_names().iter().enumerate();
        let Some((_, missing)) = names.find(missing) else { return Ok(()) };
        let listed: Vec<String> =
            schema.fields().iter().map(|field| format!("`{}`", field.name())).collect();
        let error = DataError::MissingColumn { column: String::new(), found: listed.join(", ") };
        Err(self.refused(error.in_column(missing)))
    }

    /// Looks whether the columns are of the types that the fields have.
    fn check(&self, schema: &Schema) -> Result<(), FileSourceError> {
        let fields: Fields =
            self.places.iter().filter_map(|at| schema.fields().get(*at)).cloned().collect();
        let batch = RecordBatch::new_empty(Arc::new(Schema::new(fields)));
        self.view(&batch, &mut Misfits::new()).map(drop).map_err(|error| self.refused(error))
    }

    /// The values in the columns of a batch.
    fn view(&self, batch: &RecordBatch, misfits: &mut Misfits) -> Result<T::View, DataError> {
        let fields = batch.schema_ref().fields().iter().zip(&self.names);
        let fields: Fields = fields
            .map(|(field, name)| Arc::new(field.as_ref().clone().with_name(name.as_str())))
            .collect();
        let named = StructArray::try_new_with_length(
            fields,
            batch.columns().to_vec(),
            None,
            batch.num_rows(),
        );
        let named = named.expect("a batch has columns of the types of its fields");
        let wanted: Fields = T::fields().into();
        let columns = self.conform.fields(&named, &wanted, "", misfits)?;
        if T::SPREAD {
            let array: ArrayRef = Arc::new(columns);
            return T::View::of(&array);
        }
        let value = columns.column_by_name(VALUE_COLUMN).expect("a single value has one column");
        T::View::of(value).map_err(|error| error.in_column(VALUE_COLUMN))
    }

    fn refused(&self, error: DataError) -> FileSourceError {
        let is_local = matches!(&error, DataError::TypeMismatch { expected, found, .. }
            if expected.starts_with("Timestamp") && found.starts_with("Timestamp"));
        let help = match is_local {
            true => "; a time without a zone names no instant: `.assume_utc()` takes it for UTC",
            false => "",
        };
        FileSourceError::Columns { path: self.path.clone(), error, help }
    }
}

/// Reads the rows of one split.
pub struct ParquetReader<T: Data> {
    path: String,
    reader: ParquetRecordBatchReader,
    columns: Columns<T>,
    /// Those of a batch that have been decoded and not been taken.
    rows: std::vec::IntoIter<Decoded<T>>,
    /// The next row of the file.
    position: u64,
}

/// A value, or the column at fault and what is wrong there.
type Decoded<T> = std::result::Result<T, (String, String)>;

impl<T: Data> ParquetReader<T> {
    /// Decodes the next batch; false at the end.
    fn next_batch(&mut self) -> Result<bool> {
        let Some(batch) = self.reader.next() else { return Ok(false) };
        let batch = batch.map_err(|error| damaged(&self.path, error.into()))?;
        let mut misfits = Misfits::new();
        let view = self.columns.view(&batch, &mut misfits);
        let view = view.map_err(|error| self.columns.refused(error))?;
        let decode = |row| match misfits.remove(&row) {
            Some(misfit) => Err(misfit),
            None => view.get(row).map_err(|error| {
                let error = if T::SPREAD { error } else { error.in_column(VALUE_COLUMN) };
                error.into_parts()
            }),
        };
        self.rows = (0..batch.num_rows()).map(decode).collect::<Vec<_>>().into_iter();
        Ok(true)
    }

    #[cold]
    fn bad(&self, row: u64, column: String, reason: String) -> Box<RecordError> {
        let (file, row, preview) = (self.path.clone(), Some(row + 1), String::new());
        let column = Some(column);
        Box::new(RecordError { file, line: None, row, byte: None, column, reason, preview })
    }
}

impl<T: Data> RecordReader for ParquetReader<T> {
    type Out = T;

    #[inline]
    fn next(&mut self) -> Result<Next<T>> {
        loop {
            let row = self.position;
            match self.rows.next() {
                Some(decoded) => {
                    self.position += 1;
                    return Ok(match decoded {
                        Ok(value) => Next::Record(value),
                        Err((column, reason)) => Next::Bad(self.bad(row, column, reason)),
                    });
                }
                None if self.next_batch()? => {}
                None => return Ok(Next::End),
            }
        }
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn read_to(&self) -> u64 {
        self.position
    }

    fn compressed(&self) -> Option<(u64, u64)> {
        None
    }

    fn grows(&self) -> bool {
        false
    }

    fn stop_growing(&mut self) {}
}

impl<T: Data> fmt::Debug for ParquetReader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParquetReader").field("position", &self.position).finish_non_exhaustive()
    }
}

fn damaged(path: &str, error: ParquetError) -> FileSourceError {
    FileSourceError::Damaged { path: path.to_owned(), error: error.into() }
}

/// The same file would be met again in a new attempt.
fn terminal(error: FileSourceError) -> Error {
    Error::from(error).terminal()
}
