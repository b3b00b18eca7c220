//! Writes records to a CSV file under a header line.

use std::marker::PhantomData;

use arrow_schema::DataType;
use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::{AsSerialize, Data};
use crate::error::{Error, Result};

use super::BUFFER_BYTES;
use super::file::{FileSink, Format, descriptor};
use super::output::{FileSinkError, OutputFile};

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

impl<T: Data> Format for CsvRows<T> {
    const DESCRIPTOR: OperatorDescriptor =
        descriptor("csv_file_sink", "csv-sink", SourceLocation::caller());

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
        let is_empty = output.bytes() == 0;
        let mut writer = csv::WriterBuilder::new()
            .has_headers(false)
            .buffer_capacity(BUFFER_BYTES)
            .from_writer(output);
        if is_empty {
            writer.write_record(T::field_names())?;
        }
        Ok(Self { writer, values: PhantomData })
    }

    #[inline]
    fn write(&mut self, value: &T) -> Result<()> {
        Ok(self.writer.serialize(AsSerialize(value))?)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(self.writer.flush()?)
    }

    fn output(&self) -> &OutputFile {
        self.writer.get_ref()
    }
}
