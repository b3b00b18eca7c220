//! Reads CSV files, with a header line or without.

use std::fmt;
use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::{Data, RowError};
use crate::error::{Error, Result};
use crate::operator::{Param, ParamError, Params};

use super::blocks::Blocks;
use super::columns::{Columns, FileRow};
use super::error::{FileSourceError, RecordError, preview};
use super::file::{FileSource, descriptor};
use super::reader::{FormatOptions, Next};
use super::records::{Read, Records, record_borders};
use super::text_reader::TextFormat;

/// What stands between cells where nothing else is said.
const COMMA: char = ',';

/// A source of the rows of CSV files; made by [`csv`](super::csv()).
///
/// Cells are separated by commas and may be quoted as RFC 4180 says; rows end in LF, CRLF or CR,
/// and each has as many cells as the header. An empty line is skipped, also in a file of one
/// column, where an empty cell must be written `""`; a line of spaces is a row. A quote that is
/// opened and not closed before the end of the file is an error.
pub type CsvSource<T> = FileSource<CsvRows<T>>;

/// How a CSV file is written, where it is not as [`csv`](super::csv()) expects.
#[derive(Clone, Debug, Default)]
pub struct CsvOptions {
    null: Option<String>,
    delimiter: Option<char>,
    no_header: Option<bool>,
}

impl CsvOptions {
    fn delimiter(&self) -> Result<u8, FileSourceError> {
        let delimiter = self.delimiter.unwrap_or(COMMA);
        match u8::try_from(delimiter) {
            Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(byte),
            _ => Err(FileSourceError::Delimiter { delimiter }),
        }
    }
}

impl FormatOptions for CsvOptions {
    const PARAMS: &'static [&'static str] = &["path", "follow", "null", "delimiter", "no_header"];

    fn write(&self, params: &mut Params) -> Result<(), ParamError> {
        self.null.write("null", params)?;
        self.delimiter.write("delimiter", params)?;
        self.no_header.write("no_header", params)
    }

    fn read(params: &Params) -> Result<Self, ParamError> {
        Ok(Self {
            null: Param::read("null", params)?,
            delimiter: Param::read("delimiter", params)?,
            no_header: Param::read("no_header", params)?,
        })
    }
}

impl<T: Data> CsvSource<T> {
    /// Reads cells of this text as empty ones, where the field is an `Option`: `NA`, `NULL`, `\N`.
    #[must_use]
    pub fn null(mut self, token: impl Into<String>) -> Self {
        self.options_mut().null = Some(token.into());
        self
    }

    /// Takes another character than the comma for what stands between cells: `;`, a tab.
    ///
    /// It must be one of ASCII, and neither a quote nor a line end; else the job is refused when it
    /// starts.
    #[must_use]
    pub fn delimiter(mut self, delimiter: char) -> Self {
        self.options_mut().delimiter = Some(delimiter);
        self
    }

    /// Takes the first line for a row, and the columns in the order of the fields.
    #[must_use]
    pub fn no_header(mut self) -> Self {
        self.options_mut().no_header = Some(true);
        self
    }
}

/// The rows of a file as values.
pub struct CsvRows<T> {
    records: Records,
    columns: Columns,
    values: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for CsvRows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CsvRows").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl<T: Data> TextFormat for CsvRows<T> {
    const DESCRIPTOR: OperatorDescriptor =
        descriptor("csv_source", "csv-source", CsvOptions::PARAMS, SourceLocation::caller());

    type Out = T;
    type Options = CsvOptions;

    fn begin(blocks: &mut Blocks, options: &CsvOptions) -> Result<Option<Self>> {
        let delimiter = options.delimiter().map_err(|error| Error::from(error).terminal())?;
        let mut records = Records::new(delimiter);
        let null = options.null.as_deref();
        if options.no_header == Some(true) {
            let columns = Columns::in_order::<T>(blocks.path(), null)?;
            return Ok(Some(Self { records, columns, values: PhantomData }));
        }
        match records.read(blocks)? {
            Read::Record => {}
            Read::Later => return Ok(None),
            Read::TooLong(record) => return Err(Error::from(*record).terminal()),
            Read::End if records.has_open_quote() => {
                return Err(Error::from(*open_quote(&records, None, blocks)).terminal());
            }
            Read::End => {
                let path = blocks.path().to_owned();
                return Err(Error::from(FileSourceError::NoHeader { path }).terminal());
            }
        }
        let columns = Columns::find::<T>(blocks.path(), &records, null)?;
        Ok(Some(Self { records, columns, values: PhantomData }))
    }

    #[inline]
    fn next(&mut self, blocks: &mut Blocks) -> Result<Next<T>, FileSourceError> {
        match self.records.read(blocks)? {
            Read::Record => {}
            Read::TooLong(record) => return Ok(Next::Bad(record)),
            Read::Later => return Ok(Next::Later),
            Read::End => return Ok(self.end(blocks)),
        }
        if !self.columns.fits(self.records.count()) {
            return Ok(Next::Bad(self.unequal(blocks)));
        }
        let row = FileRow { record: &self.records, columns: &self.columns };
        match T::from_row(&row) {
            Ok(value) => Ok(Next::Record(value)),
            Err(error) => Ok(Next::Bad(self.misfit(blocks, &error))),
        }
    }

    fn borders(
        blocks: &mut Blocks,
        targets: &[u64],
        options: &CsvOptions,
    ) -> Result<Vec<u64>, FileSourceError> {
        record_borders(blocks, targets, options.delimiter()?)
    }
}

impl<T> CsvRows<T> {
    #[cold]
    fn end(&mut self, blocks: &mut Blocks) -> Next<T> {
        if !self.records.has_open_quote() {
            return Next::End;
        }
        let last = self.records.count().checked_sub(1);
        let column = last.and_then(|last| self.columns.name(last)).filter(|name| !name.is_empty());
        Next::Bad(open_quote(&self.records, column, blocks))
    }

    #[cold]
    fn unequal(&self, blocks: &mut Blocks) -> Box<RecordError> {
        let (expected, found) = (self.columns.width(), self.records.count());
        let reason = match self.columns.has_header() {
            true => format!("expected {expected} cells, as in the header, found {found}"),
            false => {
                format!("expected {expected} cells at least, one for each field, found {found}")
            }
        };
        record_error(&self.records, None, reason, blocks)
    }

    #[cold]
    fn misfit(&self, blocks: &mut Blocks, error: &RowError) -> Box<RecordError> {
        let reason = format!("expected {}, found {}", error.expected, error.found);
        record_error(&self.records, Some(error.name), reason, blocks)
    }
}

#[cold]
fn open_quote(records: &Records, column: Option<&str>, blocks: &mut Blocks) -> Box<RecordError> {
    let reason = "a quote is opened and never closed".to_owned();
    record_error(records, column, reason, blocks)
}

fn record_error(
    records: &Records,
    column: Option<&str>,
    reason: String,
    blocks: &mut Blocks,
) -> Box<RecordError> {
    let begin = preview(records.joined().as_bytes());
    blocks.record_error(records.start(), column.map(str::to_owned), reason, begin)
}
