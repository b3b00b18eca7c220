//! Writes records to a folder of Parquet files, with the columns of their type.

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::data::{Data, schema, to_record_batch};
use crate::error::{Error, Result};

use super::file::FILES;
use super::format::Format;
use super::parts::{PartsSink, Rotation};
use super::writer::OutputFile;

/// Bytes at which a part is finished where the job says nothing else.
pub(super) const PART_BYTES: u64 = 128 * 1024 * 1024;

/// Encoded bytes of a row group at most: until it is full it is kept in memory. Readers skip and
/// share out whole groups, so more would make fewer pieces of a part, and less would make its
/// columns short.
const ROW_GROUP_BYTES: usize = 16 * 1024 * 1024;

/// Records that are turned into columns at once, at most.
const BATCH_ROWS: usize = 8 * 1024;

/// Records of the first batch: how large they are is not known yet.
const FIRST_BATCH_ROWS: usize = 64;

/// Bytes of columns that a batch should have at most, judged by the one before.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// A sink of Parquet files; made by [`parquet_sink`](super::parquet_sink).
///
/// The columns are those of the type, compressed with Zstandard. A file cannot be cut and gone on
/// with, so a part is also finished at every checkpoint: checkpoints that are far apart make larger
/// files.
pub type ParquetSink<T> = PartsSink<ParquetRows<T>>;

impl<T: Data> ParquetSink<T> {
    /// Finishes parts as this says, and no longer at 128 MiB.
    #[must_use]
    pub fn rotate(self, rotation: Rotation) -> Self {
        self.rotated(rotation)
    }
}

/// A file of row groups.
#[derive(Debug)]
pub struct ParquetRows<T> {
    writer: ArrowWriter<OutputFile>,
    waiting: Vec<T>,
    /// How many may wait.
    room: usize,
    /// Bytes of the file that are known, at the end of the last batch.
    bytes: u64,
}

impl<T: Data> ParquetRows<T> {
    /// Turns the waiting records into columns.
    fn encode(&mut self) -> Result<()> {
        let batch = to_record_batch(&self.waiting);
        self.waiting.clear();
        self.writer.write(&batch).map_err(unwrapped)?;
        let row_bytes = batch.get_array_memory_size() / batch.num_rows().max(1);
        self.room = (BATCH_BYTES / row_bytes.max(1)).clamp(1, BATCH_ROWS);
        self.bytes = (self.writer.bytes_written() + self.writer.in_progress_size()) as u64;
        Ok(())
    }
}

impl<T: Data> Format for ParquetRows<T> {
    const PARTS: OperatorDescriptor = OperatorDescriptor {
        type_name: "parquet_sink",
        uid: "parquet-sink",
        slots: &[FILES],
        params: &["path", "rotate_bytes", "rotate_every_ms"],
        location: SourceLocation::caller(),
    };

    const EXTENSION: &'static str = "parquet";

    const APPENDS: bool = false;

    type In = T;

    fn begin(output: OutputFile) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .build();
        let writer = ArrowWriter::try_new(output, schema::<T>(), Some(properties));
        let writer = writer.map_err(unwrapped)?;
        Ok(Self { writer, waiting: Vec::new(), room: FIRST_BATCH_ROWS, bytes: 0 })
    }

    #[inline]
    fn write(&mut self, value: T) -> Result<()> {
        self.waiting.push(value);
        if self.waiting.len() >= self.room { self.encode() } else { Ok(()) }
    }

    fn bytes(&mut self) -> Result<u64> {
        Ok(self.bytes)
    }

    fn into_output(mut self) -> Result<OutputFile> {
        if !self.waiting.is_empty() {
            self.encode()?;
        }
        self.writer.into_inner().map_err(unwrapped)
    }
}

/// What failed in the file itself already says so.
fn unwrapped(error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) => error.into(),
        error => error.into(),
    }
}
