//! Is a file at its end: collects what a sink writes, compresses it, and counts its bytes.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use crate::error::Result;
use crate::operator::RuntimeContext;
use crate::sys::clock::Clock;
use crate::sys::files::{self, File, FileError};

use super::BUFFER_BYTES;
use super::compress::{Compression, Compressor};
use super::output::FileRow;

/// Milliseconds between two times at which compressed output is made readable because the input
/// ran dry: each time costs bytes, and a little of what the compressor has learnt.
const SHOW_INTERVAL_MS: i64 = 1_000;

/// An output file open for writing at its end.
///
/// What is written waits in a buffer. Nothing of it reaches the file when the value is dropped.
#[derive(Debug)]
pub struct OutputFile {
    file: Counted,
    buffer: Vec<u8>,
    compressor: Option<Compressor>,
    clock: Clock,
    /// When compressed output was last made readable, in milliseconds.
    shown_ms: i64,
}

impl OutputFile {
    /// Over an open file of so many bytes.
    pub(super) fn new(
        path: String,
        mut file: File,
        bytes: u64,
        compression: Option<Compression>,
        ctx: &RuntimeContext,
    ) -> Result<Self> {
        let seek = file.seek(SeekFrom::Start(bytes));
        seek.map_err(|error| FileError::new("write", Path::new(&path), error))?;
        Ok(Self {
            file: Counted { path, file, bytes },
            buffer: Vec::new(),
            compressor: compression.map(Compressor::new),
            clock: ctx.clock.clone(),
            shown_ms: ctx.clock.now_ms(),
        })
    }

    /// True if nothing has been written.
    pub(super) fn is_empty(&self) -> bool {
        let is_idle = self.compressor.as_ref().is_none_or(Compressor::is_idle);
        self.file.bytes == 0 && self.buffer.is_empty() && is_idle
    }

    /// Bytes of the file, those that wait included; of a compressed one those that have left the
    /// compressor.
    pub(super) fn bytes(&self) -> u64 {
        let waiting = if self.compressor.is_some() { 0 } else { self.buffer.len() as u64 };
        self.file.bytes + waiting
    }

    /// Where whoever writes whole records puts them; [`spill`](Self::spill) looks after its size.
    #[inline]
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Empties the buffer if it is full.
    #[inline]
    pub(super) fn spill(&mut self) -> io::Result<()> {
        if self.buffer.len() > BUFFER_BYTES { self.empty() } else { Ok(()) }
    }

    /// Makes readable what was written: at once in a plain file, within limits in a compressed one.
    pub(super) fn show(&mut self) -> Result<()> {
        self.empty()?;
        let now_ms = self.clock.now_ms();
        if let Some(compressor) = &mut self.compressor
            && now_ms.saturating_sub(self.shown_ms) >= SHOW_INTERVAL_MS
        {
            self.shown_ms = now_ms;
            compressor.flush(&mut self.file)?;
        }
        Ok(())
    }

    /// Writes everything, and ends the compressed member: the file may be cut here.
    pub(super) fn complete(&mut self) -> Result<()> {
        self.empty()?;
        if let Some(compressor) = &mut self.compressor {
            compressor.end(&mut self.file)?;
        }
        Ok(())
    }

    /// The same, for a file that gets nothing more: even an empty one is then of its format.
    pub(super) fn complete_last(&mut self) -> Result<()> {
        self.empty()?;
        if let Some(compressor) = self.compressor.as_mut().filter(|_| self.file.bytes == 0) {
            compressor.begin()?;
        }
        self.complete()
    }

    /// Waits until what is in the file is on the disk, and returns its row.
    pub(super) fn sync(&self) -> Result<FileRow> {
        files::sync(&self.file.file, Path::new(&self.file.path))?;
        Ok((self.file.path.clone(), self.file.bytes))
    }

    fn empty(&mut self) -> io::Result<()> {
        match &mut self.compressor {
            Some(compressor) => compressor.write(&self.buffer, &mut self.file)?,
            None => self.file.write_all(&self.buffer)?,
        }
        self.buffer.clear();
        Ok(())
    }
}

/// For encoders that know nothing of records; a flush of theirs goes no further than the buffer.
impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        self.spill()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that counts its bytes and puts its path into errors.
#[derive(Debug)]
struct Counted {
    path: String,
    file: File,
    bytes: u64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes).map_err(|error| {
            io::Error::new(error.kind(), FileError::new("write", Path::new(&self.path), error))
        })?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
