//! Writes records to a file as plain text, one a line.

use std::io::Write;
use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};
use memchr::memchr;

use crate::data::{Data, shown};
use crate::error::{Error, Result};

use super::error::FileSinkError;
use super::file::{FileSink, descriptor};
use super::lines::{LineForm, Lines};
use super::parts::parts_descriptor;

/// A sink of plain lines; made by [`text_sink`](super::text_sink).
pub type TextSink<T> = FileSink<Lines<Text<T>>>;

/// A value that is a line by itself.
pub trait Line: Data {
    /// The name of its sink in the graph.
    const SINK: &'static str;

    /// The name of its sink that writes a folder of parts.
    const PARTS_SINK: &'static str;

    /// The uid of its sink where a job has one only.
    const SINK_UID: &'static str;

    /// Writes the value, without an end of line.
    ///
    /// # Errors
    /// [`FileSinkError::SeveralLines`]: read back, it would be several values.
    fn write(&self, lines: &mut Vec<u8>) -> Result<()>;
}

impl Line for i64 {
    const SINK: &'static str = "file_int64_sink";
    const PARTS_SINK: &'static str = "file_int64_parts_sink";
    const SINK_UID: &'static str = "file-int64-sink";

    fn write(&self, lines: &mut Vec<u8>) -> Result<()> {
        Ok(write!(lines, "{self}")?)
    }
}

impl Line for String {
    const SINK: &'static str = "file_text_sink";
    const PARTS_SINK: &'static str = "file_text_parts_sink";
    const SINK_UID: &'static str = "file-text-sink";

    fn write(&self, lines: &mut Vec<u8>) -> Result<()> {
        if let Some(byte) = memchr(b'\n', self.as_bytes()) {
            let found = shown(self.as_bytes());
            return Err(Error::from(FileSinkError::SeveralLines { byte, found }).terminal());
        }
        lines.extend_from_slice(self.as_bytes());
        Ok(())
    }
}

/// A value as it is.
#[derive(Debug)]
pub struct Text<T>(PhantomData<fn(T)>);

impl<T: Line> LineForm for Text<T> {
    const FILE: OperatorDescriptor = descriptor(T::SINK, T::SINK_UID, SourceLocation::caller());

    const PARTS: OperatorDescriptor =
        parts_descriptor(T::PARTS_SINK, T::SINK_UID, SourceLocation::caller());

    const EXTENSION: &'static str = "txt";

    type In = T;

    #[inline]
    fn append(value: &T, lines: &mut Vec<u8>) -> Result<()> {
        value.write(lines)
    }
}
