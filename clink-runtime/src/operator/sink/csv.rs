//! Writes records to a CSV file under a header line.

use std::marker::PhantomData;

use arrow_schema::DataType;
use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::{AsSerialize, Data};
use crate::error::{Error, Result};

use super::error::FileSinkError;
use super::file::{FileFormat, FileSink, descriptor};
use super::format::Format;
use super::parts::parts_descriptor;
use super::writer::OutputFile;

/// Bytes of rows that wait before they reach the file's own buffer.
const ROWS_BYTES: usize = 8 * 1024;

/// A sink of CSV rows; made by [`csv_sink`](super::csv_sink).
///
/// `None` is an empty cell; so is an empty string, which reads back as `None` into an `Option`.
/// Nested structs and byte strings have no cell and are refused when the sink opens.
pub type CsvSink<T> = FileSink<CsvRows<T>>;

/// A file of rows.
#[derive(Debug)]
pub struct CsvRows<T> {
    writer: csv::Writer<OutputFile>,
    values: PhantomData<fn(T)>,
}

impl<T: Data> FileFormat for CsvRows<T> {
    const FILE: OperatorDescriptor =
        descriptor("csv_file_sink", "csv-sink", SourceLocation::caller());
}

impl<T: Data> Format for CsvRows<T> {
    const PARTS: OperatorDescriptor =
        parts_descriptor("csv_parts_sink", "csv-sink", SourceLocation::caller());

    const EXTENSION: &'static str = "csv";

    type In = T;

    fn check(path: &str) -> Result<()> {
        for field in T::fields() {
            let kind = match field.data_type() {
                DataType::Struct(_) => "a struct",
                DataType::Binary => "a byte string",
                _ => continue,
            };
            let (path, column) = (path.to_owned(), field.name().clone());
            return Err(Error::from(FileSinkError::NoCell { path, column, kind }).terminal());
        }
        Ok(())
    }

    fn begin(output: OutputFile) -> Result<Self> {
        let is_empty = output.is_empty();
        let mut writer = csv::WriterBuilder::new()
            .has_headers(false)
            .buffer_capacity(ROWS_BYTES)
            .from_writer(output);
        if is_empty {
            writer.write_record(T::field_names())?;
        }
        Ok(Self { writer, values: PhantomData })
    }

    #[inline]
    fn write(&mut self, value: T) -> Result<()> {
        Ok(self.writer.serialize(AsSerialize(&value))?)
    }

    fn bytes(&mut self) -> Result<u64> {
        self.writer.flush()?;
        Ok(self.writer.get_ref().bytes())
    }

    fn into_output(self) -> Result<OutputFile> {
        self.writer.into_inner().map_err(|error| error.into_error().into())
    }
}
