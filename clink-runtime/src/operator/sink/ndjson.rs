//! Writes records to a file, one JSON value a line.

use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::{AsSerialize, Data};
use crate::error::Result;

use super::file::{FileSink, descriptor};
use super::lines::{LineForm, Lines};
use super::parts::parts_descriptor;

/// A sink of NDJSON lines; made by [`ndjson_sink`](super::ndjson_sink).
pub type NdjsonSink<T> = FileSink<Lines<Json<T>>>;

/// A value as JSON, in which a line feed is always escaped.
#[derive(Debug)]
pub struct Json<T>(PhantomData<fn(T)>);

impl<T: Data> LineForm for Json<T> {
    const FILE: OperatorDescriptor =
        descriptor("ndjson_file_sink", "ndjson-sink", SourceLocation::caller());

    const PARTS: OperatorDescriptor =
        parts_descriptor("ndjson_parts_sink", "ndjson-sink", SourceLocation::caller());

    const EXTENSION: &'static str = "ndjson";

    type In = T;

    #[inline]
    fn append(value: &T, lines: &mut Vec<u8>) -> Result<()> {
        Ok(serde_json::to_writer(lines, &AsSerialize(value))?)
    }
}
