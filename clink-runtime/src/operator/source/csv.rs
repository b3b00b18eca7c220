//! Reads CSV files with a header line.

use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::{Data, RowError};
use crate::error::{Error, Result};

use super::blocks::Blocks;
use super::columns::{Columns, FileRow};
use super::error::{FileSourceError, preview};
use super::file::{FileSource, descriptor};
use super::reader::Format;
use super::records::{Records, record_borders};

/// A source of the rows of a CSV file; made by [`csv`](super::csv()).
///
/// Cells are separated by commas and may be quoted as RFC 4180 says; rows end in LF or CRLF, and
/// each has as many cells as the header. An empty line is skipped, also in a file of one column,
/// where an empty cell must be written `""`; a line of spaces is a row. A quote that is opened and
/// not closed before the end of the file is an error.
pub type CsvSource<T> = FileSource<CsvRows<T>>;

/// The rows of a file as values.
#[derive(Debug)]
pub struct CsvRows<T> {
    records: Records,
    columns: Columns,
    values: PhantomData<fn() -> T>,
}

impl<T: Data> Format for CsvRows<T> {
    const DESCRIPTOR: OperatorDescriptor =
        descriptor("csv_source", "csv-source", SourceLocation::caller());

    type Out = T;

    fn begin(blocks: &mut Blocks) -> Result<Self> {
        let mut records = Records::new();
        if !records.read(blocks)? {
            if records.has_open_quote() {
                return Err(open_quote(&records, None, blocks));
            }
            let path = blocks.path().to_owned();
            return Err(Error::from(FileSourceError::NoHeader { path }).terminal());
        }
        let columns = Columns::find::<T>(blocks.path(), &records)?;
        Ok(Self { records, columns, values: PhantomData })
    }

    #[inline]
    fn next(&mut self, blocks: &mut Blocks) -> Result<Option<T>> {
        if !self.records.read(blocks)? {
            return self.end(blocks);
        }
        if self.records.count() != self.columns.width() {
            return Err(self.unequal(blocks));
        }
        let row = FileRow { record: &self.records, columns: &self.columns };
        T::from_row(&row).map(Some).map_err(|error| self.misfit(blocks, &error))
    }

    fn borders(blocks: &mut Blocks, targets: &[u64]) -> Result<Vec<u64>> {
        record_borders(blocks, targets)
    }
}

impl<T> CsvRows<T> {
    #[cold]
    fn end(&self, blocks: &Blocks) -> Result<Option<T>> {
        if !self.records.has_open_quote() {
            return Ok(None);
        }
        let last = self.records.count().checked_sub(1);
        let column = last.and_then(|last| self.columns.name(last)).filter(|name| !name.is_empty());
        Err(open_quote(&self.records, column, blocks))
    }

    #[cold]
    fn unequal(&self, blocks: &Blocks) -> Error {
        let (expected, found) = (self.columns.width(), self.records.count());
        let reason = format!("expected {expected} cells, as in the header, found {found}");
        record_error(&self.records, None, reason, blocks)
    }

    #[cold]
    fn misfit(&self, blocks: &Blocks, error: &RowError) -> Error {
        let reason = format!("expected {}, found {}", error.expected, error.found);
        record_error(&self.records, Some(error.name), reason, blocks)
    }
}

#[cold]
fn open_quote(records: &Records, column: Option<&str>, blocks: &Blocks) -> Error {
    let reason = "a quote is opened and never closed".to_owned();
    record_error(records, column, reason, blocks)
}

fn record_error(records: &Records, column: Option<&str>, reason: String, blocks: &Blocks) -> Error {
    let begin = preview(records.joined().as_bytes());
    blocks.record_error(records.start(), column.map(str::to_owned), reason, begin)
}
