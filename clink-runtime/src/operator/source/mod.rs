//! Reads files as sources: CSV, NDJSON and lines of text, plain or gzip, divided where they can be.
//!
//! | source | record | divided at | `type` in the graph |
//! |---|---|---|---|
//! | [`csv()`] | a row, fields by header name | row ends outside quotes | `csv_source` |
//! | [`ndjson()`] | a line that holds one JSON value | newlines | `ndjson_source` |
//! | [`text()`] | a line as it is | newlines | `file_text_source` |
//!
//! Rules they share:
//! - A plain file is divided by byte range; a gzip file (known by its first two bytes, all members
//!   read) and a pipe are one split. What a file gained after it was divided is not read.
//! - The position of a split is the offset of its next unread record, in the uncompressed stream;
//!   reading ahead does not move it.
//! - A restore goes on with the file it left, under the path as it was spelled then; a source of
//!   another path, or of a file that no longer fits the checkpoint, is refused.
//! - A byte order mark at the start of a file is dropped. Blank lines are skipped, except by
//!   [`text()`], to which they are records. A last line without a newline is a record. A record
//!   longer than [`RECORD_BYTES_MAX`] is an error.
//! - A record that does not fit the type fails the job with a [`RecordError`] that says where.
//!
//! Memory: one block per reader and the longest record, whatever the size of the file.

mod blocks;
mod columns;
mod csv;
mod error;
mod feed;
mod file;
mod follow;
mod gzip;
mod input;
mod location;
mod ndjson;
mod reader;
mod records;
mod split;
#[cfg(test)]
mod tests;
mod text;
mod text_reader;

pub use csv::CsvSource;
pub use error::{FileSourceError, RecordError};
pub(crate) use location::reads;
pub use ndjson::NdjsonSource;
pub use split::FileSplit;
pub use text::TextSource;

use crate::config::RECORD_BYTES_MAX;
use crate::data::Data;

/// Bytes a reader asks for at once: large enough that the call does not show, small enough to stay
/// in the second-level cache with what is made from it.
pub const BLOCK_BYTES: usize = 256 * 1024;

/// Reads a CSV file with a header line.
///
/// Fields are found by the name of their column, in any order; further columns are ignored. Every
/// field has a column, an `Option` too: only its cells may be empty. A tuple takes the first
/// columns in order, a single value the first one.
///
/// | field | text of its cell |
/// |---|---|
/// | `Option<T>` | nothing at all is `None`, quoted or not; else as for `T` |
/// | `String` | any UTF-8, spaces kept |
/// | integer | decimal digits, a sign before them |
/// | float | as in Rust: `-1.5`, `2e9`, `inf`, `NaN` |
/// | `bool` | `true` or `false`, in lower case; not `0`, `1` or `yes` |
/// | `Timestamp` | RFC 3339 with a zone: `2013-01-31T09:30:00Z`, `2013-01-31 04:30:00.5-05:00` |
///
/// Spaces around all but a `String` are ignored; a cell of spaces is not empty. A time without a
/// zone is refused, since it names no instant: read it as a `String`.
///
/// # Example
/// ```
/// let source = clink_runtime::operator::source::csv::<(String, i64)>("flights.csv");
/// # let _ = source;
/// ```
pub fn csv<T: Data>(path: impl Into<String>) -> CsvSource<T> {
    CsvSource::new(path.into())
}

/// Reads a file of JSON values, one a line.
///
/// # Example
/// ```
/// let source = clink_runtime::operator::source::ndjson::<i64>("numbers.ndjson");
/// # let _ = source;
/// ```
pub fn ndjson<T: Data>(path: impl Into<String>) -> NdjsonSource<T> {
    NdjsonSource::new(path.into())
}

/// Reads the lines of a text file.
///
/// # Example
/// ```
/// let source = clink_runtime::operator::source::text("words.txt");
/// # let _ = source;
/// ```
pub fn text(path: impl Into<String>) -> TextSource {
    TextSource::new(path.into())
}
