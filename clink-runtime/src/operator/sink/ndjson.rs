//! Writes records to a file, one JSON value a line.

use std::io::Write;
use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::{AsSerialize, Data};
use crate::error::Result;

use super::BUFFER_BYTES;
use super::file::{FileSink, Format, descriptor};
use super::output::OutputFile;

/// A sink of NDJSON lines; made by [`ndjson_sink`](super::ndjson_sink).
pub type NdjsonSink<T> = FileSink<NdjsonLines<T>>;

/// A file of lines, and those that wait for it.
#[derive(Debug)]
pub struct NdjsonLines<T> {
    output: OutputFile,
    lines: Vec<u8>,
    values: PhantomData<fn(T)>,
}

impl<T: Data> Format for NdjsonLines<T> {
    const DESCRIPTOR: OperatorDescriptor =
        descriptor("ndjson_file_sink", "ndjson-sink", SourceLocation::caller());

    type In = T;

    fn begin(output: OutputFile) -> Result<Self> {
        Ok(Self { output, lines: Vec::new(), values: PhantomData })
    }

    #[inline]
    fn write(&mut self, value: &T) -> Result<()> {
        serde_json::to_writer(&mut self.lines, &AsSerialize(value))?;
        self.lines.push(b'\n');
        if self.lines.len() > BUFFER_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.output.write_all(&self.lines)?;
        self.lines.clear();
        Ok(())
    }

    fn output(&self) -> &OutputFile {
        &self.output
    }
}
