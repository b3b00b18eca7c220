//! Writes the rows of one slot as an Arrow IPC file and reads them back, trusting nothing.
//!
//! Shape:  the Arrow IPC file format, one record batch, no compression; any Arrow tool opens it.
//! Errors: size and checksum are compared before a byte is decoded, so the decoder only sees what
//!         was written; a file made to deceive it is an error as well, never a panic.

use std::io::{self, BufWriter, Read as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::Block;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;

use crate::checkpoint::error::CheckpointError;
use crate::checkpoint::manifest::ManifestFile;
use crate::sys::files::{self, File, FileError};

/// Bytes read at a time to compute a checksum.
const CHUNK_BYTES: usize = 256 * 1024;

/// The end of an Arrow file: the footer's length and the magic number.
const TRAILER_BYTES: usize = 10;

/// The length prefix of an Arrow message.
const PREFIX_BYTES: usize = 8;

/// A slot's file under its temporary name; dropped before it is published, it is removed.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The size of the file.
    pub(crate) bytes: u64,
    /// The checksum of its bytes.
    pub(crate) crc32: u32,
    file: File,
    temporary: PathBuf,
    path: PathBuf,
}

impl Draft {
    /// Encodes `rows` into a temporary file beside `path`.
    pub(crate) fn write(path: &Path, rows: &RecordBatch) -> Result<Self, CheckpointError> {
        let temporary = files::temporary_beside(path);
        let file = files::create(&temporary)?;
        let mut draft = Self { bytes: 0, crc32: 0, file, temporary, path: path.into() };
        let mut crc32 = crc32fast::Hasher::new();
        let counted = Counted { file: &draft.file, crc32: &mut crc32, bytes: &mut draft.bytes };
        encode(BufWriter::new(counted), rows).map_err(|error| match error {
            ArrowError::IoError(_, source) => FileError::new("write", path, source).into(),
            other => CheckpointError::Encode { path: path.into(), reason: other.to_string() },
        })?;
        draft.crc32 = crc32.finalize();
        Ok(draft)
    }

    /// Waits until the bytes are on the disk.
    pub(crate) fn sync(&self) -> Result<(), CheckpointError> {
        Ok(files::sync(&self.file, &self.temporary)?)
    }

    /// Gives the file its name.
    pub(crate) fn publish(mut self) -> Result<(), CheckpointError> {
        files::rename(&self.temporary, &self.path)?;
        self.temporary.clear();
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.temporary.as_os_str().is_empty() {
            // The error that led here is the one to report.
            let _ = files::remove_file(&self.temporary);
        }
    }
}

fn encode(writer: impl Write, rows: &RecordBatch) -> Result<(), ArrowError> {
    let mut writer = FileWriter::try_new(writer, &rows.schema())?;
    writer.write(rows)?;
    // This flushes, too: what is still buffered when the writer is dropped could fail in silence.
    writer.finish()
}

/// Counts and checks what passes through.
struct Counted<'a> {
    file: &'a File,
    crc32: &'a mut crc32fast::Hasher,
    bytes: &'a mut u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.crc32.update(bytes.get(..written).unwrap_or(bytes));
        *self.bytes = self.bytes.saturating_add(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn corrupt(path: &Path, check: &'static str, expected: String, found: String) -> CheckpointError {
    CheckpointError::Corrupt { path: path.into(), check, expected, found }
}

/// Opens the file if it is there and of the size that was written.
fn open(path: &Path, expected: &ManifestFile) -> Result<File, CheckpointError> {
    let missing = |error: FileError| {
        if error.is_not_found() {
            return corrupt(path, "size", format!("{} bytes", expected.bytes), "no file".into());
        }
        error.into()
    };
    let found = files::size(path).map_err(missing)?;
    if found != expected.bytes {
        let expected = format!("{} bytes", expected.bytes);
        return Err(corrupt(path, "size", expected, format!("{found} bytes")));
    }
    files::open(path).map_err(missing)
}

fn check_crc32(path: &Path, expected: &ManifestFile, found: u32) -> Result<(), CheckpointError> {
    if found != expected.crc32 {
        let expected = format!("{:08x}", expected.crc32);
        return Err(corrupt(path, "crc32", expected, format!("{found:08x}")));
    }
    Ok(())
}

/// Whether the file has the bytes that were written; reads it all, and keeps nothing of it.
pub(crate) fn verify(path: &Path, expected: &ManifestFile) -> Result<(), CheckpointError> {
    let mut file = open(path, expected)?;
    let mut crc32 = crc32fast::Hasher::new();
    let mut chunk = vec![0; CHUNK_BYTES.min(usize::try_from(expected.bytes).unwrap_or(usize::MAX))];
    loop {
        let count = file.read(&mut chunk).map_err(|source| FileError::new("read", path, source))?;
        if count == 0 {
            return check_crc32(path, expected, crc32.finalize());
        }
        crc32.update(chunk.get(..count).unwrap_or(&chunk));
    }
}

/// The rows of the file, once its bytes are those that were written.
pub(crate) fn read(path: &Path, expected: &ManifestFile) -> Result<RecordBatch, CheckpointError> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected.bytes).unwrap_or(0));
    open(path, expected)?
        .take(expected.bytes)
        .read_to_end(&mut bytes)
        .map_err(|source| FileError::new("read", path, source))?;
    check_crc32(path, expected, crc32fast::hash(&bytes))?;
    // The Arrow crates panic on some files that lie about their own layout (arrow-rs#10437).
    let decoded = catch_unwind(AssertUnwindSafe(|| decode(Buffer::from_vec(bytes))))
        .unwrap_or_else(|_| Err(ArrowError::IpcError("the decoder panicked".into())));
    let rows = decoded.map_err(|error| {
        corrupt(path, "content", "an Arrow file of one batch".into(), error.to_string())
    })?;
    if rows.num_rows() as u64 != expected.rows {
        let found = rows.num_rows().to_string();
        return Err(corrupt(path, "row count", expected.rows.to_string(), found));
    }
    Ok(rows)
}

/// Decodes without copying: the arrays share `bytes`.
fn decode(bytes: Buffer) -> Result<RecordBatch, ArrowError> {
    let invalid = |what: &str| ArrowError::IpcError(what.to_owned());
    let (front, trailer) =
        bytes.split_last_chunk::<TRAILER_BYTES>().ok_or_else(|| invalid("too short"))?;
    let footer_at = front
        .len()
        .checked_sub(read_footer_length(*trailer)?)
        .ok_or_else(|| invalid("the footer is longer than the file"))?;
    let footer = arrow_ipc::root_as_footer(front.get(footer_at..).unwrap_or_default())
        .map_err(|error| invalid(&error.to_string()))?;
    let schema = footer.schema().ok_or_else(|| invalid("no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err(invalid("the byte order of another machine"));
    }
    let mut decoder = FileDecoder::new(Arc::new(try_fb_to_schema(schema)?), footer.version());
    for block in footer.dictionaries().iter().flatten() {
        decoder.read_dictionary(block, &slice_of(&bytes, block)?)?;
    }
    let blocks = footer.recordBatches().ok_or_else(|| invalid("no record batch"))?;
    if blocks.len() != 1 {
        return Err(invalid("not one record batch"));
    }
    let block = blocks.get(0);
    decoder
        .read_record_batch(block, &slice_of(&bytes, block)?)?
        .ok_or_else(|| invalid("no record batch"))
}

fn slice_of(bytes: &Buffer, block: &Block) -> Result<Buffer, ArrowError> {
    let place = || {
        let offset = usize::try_from(block.offset()).ok()?;
        let metadata = usize::try_from(block.metaDataLength()).ok()?;
        let length = metadata.checked_add(usize::try_from(block.bodyLength()).ok()?)?;
        let fits = metadata >= PREFIX_BYTES && offset.checked_add(length)? <= bytes.len();
        fits.then_some((offset, length))
    };
    let (offset, length) =
        place().ok_or_else(|| ArrowError::IpcError("a block outside the file".into()))?;
    Ok(bytes.slice_with_length(offset, length))
}
