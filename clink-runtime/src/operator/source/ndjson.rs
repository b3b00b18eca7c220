//! Reads files of JSON values, one a line.

use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::Data;
use crate::error::Result;

use super::blocks::Blocks;
use super::file::{FileSource, descriptor};
use super::reader::Format;
use super::records::line_borders;

/// A source of the lines of an NDJSON file; made by [`ndjson`](super::ndjson()).
///
/// A line holds one JSON value and white space, nothing else; fields the type does not have are
/// ignored. A line of white space alone is skipped.
pub type NdjsonSource<T> = FileSource<NdjsonLines<T>>;

/// The lines of a file as values.
#[derive(Debug)]
pub struct NdjsonLines<T>(PhantomData<fn() -> T>);

impl<T: Data> Format for NdjsonLines<T> {
    const DESCRIPTOR: OperatorDescriptor =
        descriptor("ndjson_source", "ndjson-source", SourceLocation::caller());

    type Out = T;

    fn begin(_blocks: &mut Blocks) -> Result<Self> {
        Ok(Self(PhantomData))
    }

    #[inline]
    fn next(&mut self, blocks: &mut Blocks) -> Result<Option<T>> {
        loop {
            let Some(line) = blocks.next_line()? else { return Ok(None) };
            let mut json = serde_json::Deserializer::from_slice(line.bytes);
            match T::deserialize(&mut json).and_then(|value| json.end().map(|()| value)) {
                Ok(value) => return Ok(Some(value)),
                Err(_) if line.bytes.trim_ascii().is_empty() => {}
                Err(error) => {
                    let (start, preview) = (line.start, super::error::preview(line.bytes));
                    return Err(blocks.record_error(start, None, json_reason(&error), preview));
                }
            }
        }
    }

    fn borders(blocks: &mut Blocks, targets: &[u64]) -> Result<Vec<u64>> {
        line_borders(blocks, targets)
    }
}

/// What serde_json says, with the place in the line: its own line number is always 1.
fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(reason) => format!("{reason}, at byte {} of the line", error.column()),
        None => text,
    }
}
