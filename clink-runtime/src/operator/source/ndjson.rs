//! Reads files of JSON values, one a line.

use std::fmt;
use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::Data;
use crate::error::Result;

use super::blocks::{Blocks, Lined};
use super::error::FileSourceError;
use super::file::{FileSource, descriptor};
use super::reader::{FormatOptions, Next, NoOptions};
use super::records::line_borders;
use super::text_reader::TextFormat;

/// A source of the lines of NDJSON files; made by [`ndjson`](super::ndjson()).
///
/// A line holds one JSON value and white space, nothing else; fields the type does not have are
/// ignored. A line of white space alone is skipped.
pub type NdjsonSource<T> = FileSource<NdjsonLines<T>>;

/// The lines of a file as values.
pub struct NdjsonLines<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for NdjsonLines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NdjsonLines")
    }
}

impl<T: Data> TextFormat for NdjsonLines<T> {
    const DESCRIPTOR: OperatorDescriptor =
        descriptor("ndjson_source", "ndjson-source", NoOptions::PARAMS, SourceLocation::caller());

    type Out = T;
    type Options = NoOptions;

    fn begin(_blocks: &mut Blocks, _options: &NoOptions) -> Result<Option<Self>> {
        Ok(Some(Self(PhantomData)))
    }

    #[inline]
    fn next(&mut self, blocks: &mut Blocks) -> Result<Next<T>, FileSourceError> {
        loop {
            let line = match blocks.next_line()? {
                Lined::Line(line) => line,
                Lined::TooLong(record) => return Ok(Next::Bad(record)),
                Lined::Later => return Ok(Next::Later),
                Lined::End => return Ok(Next::End),
            };
            let mut json = serde_json::Deserializer::from_slice(line.bytes);
            match T::deserialize(&mut json).and_then(|value| json.end().map(|()| value)) {
                Ok(value) => return Ok(Next::Record(value)),
                Err(_) if line.bytes.trim_ascii().is_empty() => {}
                Err(error) => {
                    let (start, preview) = (line.start, super::error::preview(line.bytes));
                    // Of what is no JSON the beginning shows more.
                    let field = error.is_data().then(|| field_at_fault::<T>(line.bytes)).flatten();
                    let reason = json_reason(&error);
                    return Ok(Next::Bad(blocks.record_error(start, field, reason, preview)));
                }
            }
        }
    }

    fn borders(
        blocks: &mut Blocks,
        targets: &[u64],
        _options: &NoOptions,
    ) -> Result<Vec<u64>, FileSourceError> {
        line_borders(blocks, targets)
    }
}

/// The field in which reading stops, its path if it is nested; `None` where that is no field's.
#[cold]
fn field_at_fault<T: Data>(line: &[u8]) -> Option<String> {
    let mut json = serde_json::Deserializer::from_slice(line);
    let mut track = serde_path_to_error::Track::new();
    T::deserialize(serde_path_to_error::Deserializer::new(&mut json, &mut track)).err()?;
    let path = track.path();
    path.iter().next().is_some().then(|| path.to_string())
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
