//! Takes records out of the job: to standard output, to files, to nowhere.
//!
//! | sink | writes | after a restore | `type` in the graph |
//! |---|---|---|---|
//! | [`print()`] | a JSON value a line, on standard output | may repeat | `print` |
//! | [`ndjson_sink`] | a JSON value a line, in a file | exact | `ndjson_file_sink` |
//! | [`csv_sink`] | a row a line under a header, in a file | exact | `csv_file_sink` |
//! | [`text_sink`] of `i64` | a number a line, in a file | exact | `file_int64_sink` |
//! | [`text_sink`] of `String` | a text a line, in a file | exact | `file_text_sink` |
//! | [`ndjson_sink`] with `rotate` | the same in a folder of parts | exact | `ndjson_parts_sink` |
//! | [`csv_sink`] with `rotate` | the same in a folder of parts | exact | `csv_parts_sink` |
//! | [`text_sink`] of `i64` with `rotate` | the same in parts | exact | `file_int64_parts_sink` |
//! | [`text_sink`] of `String` with `rotate` | the same in parts | exact | `file_text_parts_sink` |
//! | [`parquet_sink`] | rows in columns, in a folder of parts | exact | `parquet_sink` |
//! | [`Collect`] | to memory, for a test | may repeat | |
//! | [`blackhole()`] | nothing | | `blackhole` |
//!
//! A file whose name ends in `.gz` or `.zst` is compressed; parts are if
//! [`compress`](PartsSink::compress) says so.
//!
//! | file | holds |
//! |---|---|
//! | `file`, `output` | one file per instance, which a restore cuts |
//! | `parts`, `folder` | a folder of parts, which a restore removes |
//! | `format`, `lines`, `csv`, `ndjson`, `text`, `parquet` | how a record is written |
//! | `writer`, `compress` | how bytes come into a file |

mod blackhole;
mod collect;
mod compress;
mod csv;
mod error;
mod file;
mod folder;
mod format;
mod lines;
mod ndjson;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod print;
#[cfg(test)]
mod tests;
mod text;
mod writer;

pub use blackhole::Blackhole;
pub use collect::{Collect, Collected};
pub use compress::Compression;
pub use csv::CsvSink;
pub use error::FileSinkError;
pub use file::FileSink;
pub use ndjson::NdjsonSink;
pub(crate) use output::base_of;
#[cfg(feature = "parquet")]
pub use parquet::ParquetSink;
pub use parts::{PartsSink, Rotation};
pub use print::{Print, PrintError};
pub use text::{Line, TextSink};

use crate::data::Data;

/// Bytes a sink collects before it writes them without being asked to.
const BUFFER_BYTES: usize = 64 * 1024;

/// Writes each record as a line of JSON to standard output.
pub fn print<T: Data>() -> Print<T> {
    Print::default()
}

/// Writes each record as a line of JSON to a file.
///
/// The folder must exist. With several parallel instances each writes a file of its own, the path
/// with `.part-<subtask>` appended. With [`rotate`](FileSink::rotate) the path is that of a
/// folder of parts instead.
///
/// `PATH` and `PATH.part-<n>` belong to the sink: whatever an earlier run left there is replaced or
/// removed at a start without a checkpoint, so no other sink may write to such a path.
pub fn ndjson_sink<T: Data>(path: impl Into<String>) -> NdjsonSink<T> {
    NdjsonSink::new(path.into())
}

/// Writes each record as a row to a CSV file that begins with a header line.
///
/// Files are named as for [`ndjson_sink`].
pub fn csv_sink<T: Data>(path: impl Into<String>) -> CsvSink<T> {
    CsvSink::new(path.into())
}

/// Writes each record as it is to a file, one a line.
///
/// Files are named as for [`ndjson_sink`].
pub fn text_sink<T: Line>(path: impl Into<String>) -> TextSink<T> {
    TextSink::new(path.into())
}

/// Writes each record as a row of Parquet files, in a folder of parts.
///
/// The folder is created. A part is finished at 128 MiB, at every checkpoint and at the end.
#[cfg(feature = "parquet")]
pub fn parquet_sink<T: Data>(folder: impl Into<String>) -> ParquetSink<T> {
    ParquetSink::new(folder.into(), Rotation::bytes(parquet::PART_BYTES))
}

/// Drops every record.
pub fn blackhole<T: Data>() -> Blackhole<T> {
    Blackhole::default()
}
