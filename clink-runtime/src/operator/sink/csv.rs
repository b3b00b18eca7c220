//! Writes records to a CSV file under a header line, each exactly once also after a restore.

use std::marker::PhantomData;

use arrow_schema::DataType;
use clink_plan::descriptor::{OperatorDescriptor, SlotDescriptor, SourceLocation};

use crate::data::{AsSerialize, Data};
use crate::error::{Error, Result};
use crate::operator::{OperatorFields, Param, ParamError, Params};
use crate::state::{Redistribution, StateError, StateSlot, StateVisitor, Union};

use super::super::context::RuntimeContext;
use super::super::contract::Sink;
use super::BUFFER_BYTES;
use super::output::{FileRow, FileRows, FileSinkError, OutputFile};

/// A sink of CSV rows; made by [`csv_sink`](super::csv_sink).
///
/// `None` is an empty cell; so is an empty string, which reads back as `None` into an `Option`.
/// Nested structs and byte strings have no cell and are refused when the sink opens.
#[derive(Debug)]
pub struct CsvSink<T> {
    path: String,
    files: FileRows,
    /// Rows of files that have no writer any more.
    kept: Vec<FileRow>,
    output: Option<csv::Writer<OutputFile>>,
    types: PhantomData<fn(T)>,
}

impl<T: Data> CsvSink<T> {
    pub(super) fn new(path: String) -> Self {
        let (files, kept) = (FileRows::default(), Vec::new());
        Self { path, files, kept, output: None, types: PhantomData }
    }

    fn check_fields(&self) -> Result<(), FileSinkError> {
        for field in T::fields() {
            let kind = match field.data_type() {
                DataType::Struct(_) => "a struct",
                DataType::Binary => "a byte string",
                _ => continue,
            };
            let (path, column) = (self.path.clone(), field.name().clone());
            return Err(FileSinkError::NoCell { path, column, kind });
        }
        Ok(())
    }
}

impl<T: Data> Sink for CsvSink<T> {
    type In = T;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        self.check_fields().map_err(|error| Error::from(error).terminal())?;
        let (output, kept) = OutputFile::open(&self.path, ctx, self.files.rows())?;
        let is_empty = output.bytes() == 0;
        let mut writer = csv::WriterBuilder::new()
            .has_headers(false)
            .buffer_capacity(BUFFER_BYTES)
            .from_writer(output);
        if is_empty {
            writer.write_record(T::field_names())?;
        }
        (self.output, self.kept) = (Some(writer), kept);
        Ok(())
    }

    fn on_data(&mut self, value: T) -> Result<()> {
        if let Some(output) = &mut self.output {
            output.serialize(AsSerialize(&value))?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if let Some(output) = &mut self.output {
            output.flush()?;
        }
        Ok(())
    }

    fn on_barrier(&mut self) -> Result<()> {
        self.flush()?;
        let own = self.output.as_ref().map(|output| output.get_ref().sync()).transpose()?;
        self.files.set(own.into_iter().chain(self.kept.iter().cloned()).collect());
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if let Some(output) = self.output.take() {
            output.get_ref().sync()?;
        }
        Ok(())
    }
}

impl<T: Data> OperatorFields for CsvSink<T> {
    const DESCRIPTOR: OperatorDescriptor = OperatorDescriptor {
        type_name: "csv_file_sink",
        uid: "csv-sink",
        slots: &[SlotDescriptor { name: "files", kind: Union::KIND, keyed: false, version: 1 }],
        params: &["path"],
        location: SourceLocation::caller(),
    };

    const UID_IS_DEFAULT: bool = true;

    fn to_params(&self, params: &mut Params) -> Result<(), ParamError> {
        self.path.write("path", params)
    }

    fn from_params(params: &Params) -> Result<Self, ParamError> {
        Ok(Self::new(Param::read("path", params)?))
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        StateSlot::visit(&mut self.files, "files", visitor)
    }
}
