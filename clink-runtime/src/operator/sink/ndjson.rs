//! Writes records to a file, one JSON value a line, each exactly once also after a restore.

use std::io::Write;
use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SlotDescriptor, SourceLocation};

use crate::data::{AsSerialize, Data};
use crate::error::Result;
use crate::operator::{OperatorFields, Param, ParamError, Params};
use crate::state::{Redistribution, StateError, StateSlot, StateVisitor, Union};

use super::super::context::RuntimeContext;
use super::super::contract::Sink;
use super::BUFFER_BYTES;
use super::output::{FileRow, FileRows, OutputFile};

/// A sink of NDJSON lines; made by [`ndjson_sink`](super::ndjson_sink).
///
/// What was written since the last checkpoint stays readable in the file; a restore cuts it off
/// before it is written again.
#[derive(Debug)]
pub struct NdjsonSink<T> {
    path: String,
    files: FileRows,
    /// Rows of files that have no writer any more.
    kept: Vec<FileRow>,
    output: Option<OutputFile>,
    lines: Vec<u8>,
    types: PhantomData<fn(T)>,
}

impl<T> NdjsonSink<T> {
    pub(super) fn new(path: String) -> Self {
        Self {
            path,
            files: FileRows::default(),
            kept: Vec::new(),
            output: None,
            lines: Vec::new(),
            types: PhantomData,
        }
    }

    fn write_lines(&mut self) -> Result<()> {
        if let Some(output) = &mut self.output {
            output.write_all(&self.lines)?;
        }
        self.lines.clear();
        Ok(())
    }
}

impl<T: Data> Sink for NdjsonSink<T> {
    type In = T;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        let (output, kept) = OutputFile::open(&self.path, ctx, self.files.rows())?;
        (self.output, self.kept) = (Some(output), kept);
        Ok(())
    }

    fn on_data(&mut self, value: T) -> Result<()> {
        serde_json::to_writer(&mut self.lines, &AsSerialize(&value))?;
        self.lines.push(b'\n');
        if self.lines.len() > BUFFER_BYTES {
            self.write_lines()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.write_lines()
    }

    fn on_barrier(&mut self) -> Result<()> {
        self.write_lines()?;
        let own = self.output.as_ref().map(OutputFile::sync).transpose()?;
        self.files.set(own.into_iter().chain(self.kept.iter().cloned()).collect());
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        // A clean end has flushed before. Lines that still wait are those of a job that failed.
        let output = self.output.take().filter(|_| self.lines.is_empty());
        self.lines.clear();
        output.as_ref().map(OutputFile::sync).transpose()?;
        Ok(())
    }
}

impl<T: Data> OperatorFields for NdjsonSink<T> {
    const DESCRIPTOR: OperatorDescriptor = OperatorDescriptor {
        type_name: "ndjson_file_sink",
        uid: "ndjson-sink",
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
