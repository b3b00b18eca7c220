//! Reads an input in large blocks into one buffer and knows the offset of every byte in it.

use std::path::Path;

use memchr::{memchr, memchr_iter};

use crate::error::{Error, Result};
use crate::sys::files::FileError;

use super::error::{FileSourceError, RecordError};
use super::input::Input;
use super::split::UNKNOWN_END;
use super::{BLOCK_BYTES, RECORD_BYTES_MAX};

/// UTF-8's byte order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// How much is read and held at once; other than the defaults in tests only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes asked for at once.
    pub(super) block_bytes: usize,
    /// Longest record, its line end not counted.
    pub(super) record_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { block_bytes: BLOCK_BYTES, record_bytes_max: RECORD_BYTES_MAX }
    }
}

/// A line in the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Offset of its first byte.
    pub(super) start: u64,
    /// The line with its newline, if it has one.
    pub(super) bytes: &'a [u8],
}

/// An open input and the part of it that is in memory.
#[derive(Debug)]
pub struct Blocks {
    path: String,
    input: Input,
    limits: Limits,
    /// What has been read and not been consumed is at `start..filled`.
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
    /// Offset of the byte at `start`.
    position: u64,
    /// No byte from this offset on is read.
    end: u64,
}

impl Blocks {
    /// Opens a file at its first byte behind a byte order mark.
    pub(super) fn open(path: &str, limits: Limits) -> Result<Self> {
        let input = Input::open(path)?;
        let mut blocks = Self {
            path: path.to_owned(),
            input,
            limits,
            buffer: vec![0; limits.block_bytes],
            start: 0,
            filled: 0,
            position: 0,
            end: UNKNOWN_END,
        };
        while blocks.unread().len() < MARK.len() && blocks.fill()? {}
        if blocks.unread().starts_with(MARK) {
            blocks.consume(MARK.len());
        }
        Ok(blocks)
    }

    /// The file.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// What bounds records.
    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// What it reads from.
    pub(super) fn input(&self) -> &Input {
        &self.input
    }

    /// Offset of the next byte.
    #[inline]
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// What has been read and not been consumed.
    #[inline]
    pub(super) fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.filled).expect("the unread part lies in the buffer")
    }

    /// Moves on past bytes of the unread part.
    #[inline]
    pub(super) fn consume(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.filled - self.start);
        self.start += bytes;
        self.position += bytes as u64;
    }

    /// Reads more behind the unread part; false at the end.
    pub(super) fn fill(&mut self) -> Result<bool, FileSourceError> {
        let unread = self.filled - self.start;
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            (self.start, self.filled) = (0, unread);
        }
        if self.buffer.len() - unread < self.limits.block_bytes.div_ceil(2) {
            self.buffer.resize(unread + self.limits.block_bytes, 0);
        }
        let read_to = self.position + unread as u64;
        let wanted = usize::try_from(self.end.saturating_sub(read_to)).unwrap_or(usize::MAX);
        if wanted == 0 {
            return Ok(false);
        }
        let room = self.buffer.get_mut(unread..).unwrap_or_default();
        let wanted = wanted.min(room.len());
        let room = room.get_mut(..wanted).unwrap_or_default();
        let count = self.input.read(room).map_err(|error| {
            let path = self.path.clone();
            FileSourceError::Read { path, byte: read_to, error }
        })?;
        if count == 0 && self.end != UNKNOWN_END {
            return Err(self.shorter(self.end, read_to));
        }
        self.filled += count;
        Ok(count > 0)
    }

    /// Goes to an offset and reads no further than `end`; backwards only in a plain file.
    pub(super) fn go_to(&mut self, position: u64, end: u64) -> Result<()> {
        if let Some(bytes) = self.input.plain_bytes()
            && bytes < position.max(if end == UNKNOWN_END { 0 } else { end })
        {
            let expected = if end == UNKNOWN_END { position } else { end };
            return Err(self.shorter(expected, bytes).into());
        }
        match self.input.seek(position) {
            Some(sought) => {
                sought.map_err(|error| FileError::new("seek in", Path::new(&self.path), error))?;
                (self.start, self.filled, self.position) = (0, 0, position);
            }
            None => self.skip_to(position)?,
        }
        self.end = end;
        Ok(())
    }

    fn skip_to(&mut self, position: u64) -> Result<(), FileSourceError> {
        while self.position < position {
            if self.unread().is_empty() && !self.fill()? {
                return Err(self.shorter(position, self.position));
            }
            let missing = usize::try_from(position - self.position).unwrap_or(usize::MAX);
            self.consume(missing.min(self.unread().len()));
        }
        Ok(())
    }

    /// The next line; it is consumed.
    #[inline]
    pub(super) fn next_line(&mut self) -> Result<Option<Line<'_>>> {
        let length = match memchr(b'\n', self.unread()) {
            Some(newline) if newline <= self.limits.record_bytes_max => newline + 1,
            _ => self.find_line()?,
        };
        if length == 0 {
            return Ok(None);
        }
        let (start, from) = (self.position, self.start);
        self.consume(length);
        let bytes = self.buffer.get(from..from + length).unwrap_or_default();
        Ok(Some(Line { start, bytes }))
    }

    /// Reads on until the buffer holds a line, and returns its length; 0 at the end.
    #[cold]
    fn find_line(&mut self) -> Result<usize> {
        let mut searched = 0;
        loop {
            let unread = self.unread();
            let rest = unread.get(searched..).unwrap_or_default();
            let newline = memchr(b'\n', rest).map(|at| searched + at);
            if newline.unwrap_or(unread.len()) > self.limits.record_bytes_max {
                let preview = super::error::preview(unread);
                let reason = RecordError::too_long(self.limits.record_bytes_max);
                return Err(self.record_error(self.position, None, reason, preview));
            }
            if let Some(newline) = newline {
                return Ok(newline + 1);
            }
            searched = unread.len();
            if !self.fill()? {
                return Ok(searched);
            }
        }
    }

    /// The error of the record at `start`, its line found by counting.
    #[cold]
    pub(super) fn record_error(
        &self,
        start: u64,
        column: Option<String>,
        reason: String,
        preview: String,
    ) -> Error {
        let line = self.line_at(start).ok().flatten();
        let file = self.path.clone();
        let error = RecordError { file, line, byte: start, column, reason, preview };
        // The record will be the same in a new attempt.
        Error::from(error).terminal()
    }

    /// The line an offset is in, from 1; `None` if the input comes only once.
    fn line_at(&self, offset: u64) -> Result<Option<u64>> {
        if matches!(self.input, Input::Pipe(_)) {
            return Ok(None);
        }
        let mut again = Self::open(&self.path, Limits::default())?;
        let mut line = 1;
        while again.position < offset {
            if again.unread().is_empty() && !again.fill()? {
                break;
            }
            let missing = usize::try_from(offset - again.position).unwrap_or(usize::MAX);
            let part = again.unread();
            let part = part.get(..missing).unwrap_or(part);
            line += memchr_iter(b'\n', part).count() as u64;
            again.consume(part.len());
        }
        Ok(Some(line))
    }

    fn shorter(&self, expected: u64, found: u64) -> FileSourceError {
        FileSourceError::Shorter { path: self.path.clone(), expected, found }
    }
}
