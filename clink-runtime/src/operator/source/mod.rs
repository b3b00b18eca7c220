//! Reads files and streams as sources: CSV, NDJSON, lines of text and Parquet.
//!
//! | source | record | divided at | `type` in the graph |
//! |---|---|---|---|
//! | [`csv()`] | a row, fields by header name | row ends outside quotes | `csv_source` |
//! | [`ndjson()`] | a line that holds one JSON value | newlines | `ndjson_source` |
//! | [`text()`] | a line as it is | newlines | `file_text_source` |
//! | `parquet()` | a row, fields by column name | row groups | `parquet_source` |
//!
//! | path | names |
//! |---|---|
//! | `data/x.csv` | a file, or a named pipe |
//! | `data` | the files of a folder; not hidden ones, pipes, nor those of the folders in it |
//! | `data/*.csv`, `logs/**/app-?.log` | the files that match, unless a file has just this name |
//! | `-` | standard input |
//! | `tcp://HOST:PORT` | what a peer sends, until it closes the connection |
//!
//! Rules they share:
//! - A plain file is divided by byte range, between records; several files are shared out by size.
//!   What a file gained after it was divided is not read, unless it is followed
//!   ([`FileSource::follow`]).
//! - Compressed files are known by their first bytes, not by their names: gzip (all members), zstd
//!   (all frames). Each is one split, and so is what comes once: a pipe, a peer.
//! - The position of a split is the offset of its next unread record, in the unpacked stream;
//!   reading ahead does not move it, and it is never inside a record.
//! - A restore goes on with the files it left, under the paths as they were spelled then; a source
//!   of another path, or of a file that no longer fits the checkpoint, is refused. A pipe or
//!   standard input must give the same bytes again, of which those that were read are passed over;
//!   what a peer sent and no checkpoint covers is lost.
//! - A byte order mark at the start of a file is dropped. Blank lines are skipped, except by
//!   [`text()`], to which they are records. A last line without a newline is a record.
//! - A record that does not fit the type, or is too long, is a bad record: the position moves past
//!   it, and [`BadRecordPolicy`](super::bad_records::BadRecordPolicy) says what becomes of it.
//! - What comes once is read on a thread of its own, so a silent peer holds nobody up.
//!
//! Memory: one block per reader and the longest record, whatever the size of the file; of Parquet
//! the columns of a batch of 1,024 rows, and the pages they are in.

mod blocks;
mod columns;
#[cfg(feature = "parquet")]
mod conform;
mod csv;
mod error;
mod feed;
mod file;
mod follow;
mod gzip;
mod input;
mod location;
mod ndjson;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod records;
mod split;
#[cfg(test)]
mod tests;
mod text;
mod text_reader;

pub use csv::CsvSource;
pub use error::{FileSourceError, RecordError};
pub use file::FileSource;
pub(crate) use location::reads;
pub use ndjson::NdjsonSource;
#[cfg(feature = "parquet")]
pub use parquet::ParquetSource;
pub use split::FileSplit;
pub use text::TextSource;

use crate::config::RECORD_BYTES_MAX;
use crate::data::Data;

/// Bytes a reader asks for at once: large enough that the call does not show, small enough to stay
/// in the second-level cache with what is made from it.
pub const BLOCK_BYTES: usize = 256 * 1024;

/// Reads CSV files with a header line; [`CsvSource`] says what else they may be like.
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

/// Reads files of JSON values, one a line.
///
/// # Example
/// ```
/// let source = clink_runtime::operator::source::ndjson::<i64>("numbers.ndjson");
/// # let _ = source;
/// ```
pub fn ndjson<T: Data>(path: impl Into<String>) -> NdjsonSource<T> {
    NdjsonSource::new(path.into())
}

/// Reads the lines of text files.
///
/// # Example
/// ```
/// let source = clink_runtime::operator::source::text("words.txt");
/// # let _ = source;
/// ```
pub fn text(path: impl Into<String>) -> TextSource {
    TextSource::new(path.into())
}

/// Reads Parquet files: the columns that the fields of the type name, row group by row group.
///
/// A column may be wider or narrower than its field, where the values fit: one that does not is a
/// bad record. See [`ParquetSource`] for what is read as what.
///
/// # Example
/// ```
/// let source = clink_runtime::operator::source::parquet::<(String, i64)>("flights.parquet");
/// # let _ = source;
/// ```
#[cfg(feature = "parquet")]
pub fn parquet<T: Data>(path: impl Into<String>) -> ParquetSource<T> {
    ParquetSource::new(path.into())
}
