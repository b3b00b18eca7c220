//! Reads CSV files with a header line.

use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::{Data, RowError};
use crate::error::{Error, Result};
use crate::operator::{OperatorFields, Param, ParamError, Params};
use crate::state::{StateError, StateVisitor};

use super::super::context::{RuntimeContext, SourceContext};
use super::super::contract::{Produced, Progress, Source};
use super::blocks::Blocks;
use super::columns::{Columns, FileRow};
use super::error::{FileSourceError, preview};
use super::reader::{FileReader, Format};
use super::records::{Records, record_borders};
use super::split::FileSplit;

/// A source of the rows of a CSV file; made by [`csv`](super::csv()).
///
/// Cells are separated by commas and may be quoted as RFC 4180 says; rows end in LF or CRLF, and
/// each has as many cells as the header. An empty line is skipped, also in a file of one column,
/// where an empty cell must be written `""`; a line of spaces is a row.
#[derive(Debug)]
pub struct CsvSource<T: Data> {
    pub(super) reader: FileReader<CsvRows<T>>,
}

impl<T: Data> CsvSource<T> {
    pub(super) fn new(path: String) -> Self {
        Self { reader: FileReader::new(path) }
    }
}

impl<T: Data> Source for CsvSource<T> {
    type Out = T;
    type Split = FileSplit;

    fn is_bounded(&self) -> bool {
        true
    }

    fn unsplittable(&self) -> Option<String> {
        self.reader.unsplittable()
    }

    fn splits(&self, wanted: u32) -> Result<Vec<FileSplit>> {
        self.reader.splits(wanted)
    }

    fn open(&mut self, splits: Vec<FileSplit>, _ctx: &RuntimeContext) -> Result<()> {
        self.reader.open(splits)
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, T>) -> Result<Produced> {
        self.reader.produce(ctx)
    }

    fn snapshot(&mut self) -> Result<Vec<FileSplit>> {
        Ok(self.reader.snapshot())
    }

    fn progress(&self) -> Option<Progress> {
        self.reader.progress()
    }

    fn close(&mut self) -> Result<()> {
        self.reader.close();
        Ok(())
    }
}

impl<T: Data> OperatorFields for CsvSource<T> {
    const DESCRIPTOR: OperatorDescriptor = OperatorDescriptor {
        type_name: "csv_source",
        uid: "csv-source",
        slots: &[],
        params: &["path"],
        location: SourceLocation::caller(),
    };

    const UID_IS_DEFAULT: bool = true;

    fn to_params(&self, params: &mut Params) -> Result<(), ParamError> {
        self.reader.path.write("path", params)
    }

    fn from_params(params: &Params) -> Result<Self, ParamError> {
        Ok(Self::new(Param::read("path", params)?))
    }

    fn visit_state(&mut self, _visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        Ok(())
    }
}

/// The rows of a file as values.
#[derive(Debug)]
pub(super) struct CsvRows<T> {
    records: Records,
    columns: Columns,
    values: PhantomData<fn() -> T>,
}

impl<T: Data> Format for CsvRows<T> {
    type Out = T;

    fn begin(blocks: &mut Blocks) -> Result<Self> {
        let mut records = Records::new();
        if !records.read(blocks)? {
            let path = blocks.path().to_owned();
            return Err(Error::from(FileSourceError::NoHeader { path }).terminal());
        }
        let columns = Columns::find::<T>(blocks.path(), &records)?;
        Ok(Self { records, columns, values: PhantomData })
    }

    #[inline]
    fn next(&mut self, blocks: &mut Blocks) -> Result<Option<T>> {
        if !self.records.read(blocks)? {
            return Ok(None);
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
    fn unequal(&self, blocks: &Blocks) -> Error {
        let (expected, found) = (self.columns.width(), self.records.count());
        let reason = format!("expected {expected} cells, as in the header, found {found}");
        self.record_error(blocks, None, reason)
    }

    #[cold]
    fn misfit(&self, blocks: &Blocks, error: &RowError) -> Error {
        let reason = format!("expected {}, found {}", error.expected, error.found);
        self.record_error(blocks, Some(error.name.to_owned()), reason)
    }

    fn record_error(&self, blocks: &Blocks, column: Option<String>, reason: String) -> Error {
        let begin = preview(self.records.joined().as_bytes());
        blocks.record_error(self.records.start(), column, reason, begin)
    }
}
