//! Reads an input in large blocks into one buffer and knows the offset of every byte in it.

use std::path::Path;

use memchr::{memchr, memchr_iter};

use crate::sys::files::FileError;

use super::error::{FileSourceError, RecordError, preview};
use super::feed::Fetched;
use super::input::Input;
use super::location::shown;
use super::split::UNKNOWN_END;
use super::{BLOCK_BYTES, RECORD_BYTES_MAX};

/// UTF-8's byte order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// How much is read and held at once.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes asked for at once; other than the default in tests only.
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

/// What a look for a line came to.
pub(super) enum Lined<'a> {
    /// A line, which has been consumed.
    Line(Line<'a>),
    /// A line beyond the limit, which has been consumed.
    TooLong(Box<RecordError>),
    /// No whole line for now.
    Later,
    /// No more.
    End,
}

/// What asking for more bytes came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// There are more.
    More,
    /// None for now.
    Later,
    /// None any more.
    End,
}

/// An open input and the part of it that is in memory.
#[derive(Debug)]
pub struct Blocks {
    /// For messages.
    path: String,
    input: Input,
    limits: Limits,
    /// What has been read and not been consumed is at `start..filled`.
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
    /// Where in the buffer what must stay begins, though it has been consumed.
    held: Option<usize>,
    /// Offset of the byte at `start`.
    position: u64,
    /// No byte from this offset on is read.
    end: u64,
    /// The record beyond the limit that is being consumed.
    too_long: Option<Box<RecordError>>,
    /// Newlines before the buffer, of an input that comes once.
    newlines: u64,
    /// Counts the lines of an input that can be read again, up to the last place asked for.
    counter: Option<Box<LineCounter>>,
}

/// A second reader of a file, and the line it is in.
#[derive(Debug)]
struct LineCounter {
    blocks: Blocks,
    line: u64,
}

impl Blocks {
    /// Opens an input at its first byte; one that `grows` has no end.
    pub(super) fn open(path: &str, limits: Limits, grows: bool) -> Result<Self, FileSourceError> {
        let input = Input::open(path, grows)?;
        Ok(Self {
            path: shown(path).to_owned(),
            input,
            limits,
            buffer: vec![0; limits.block_bytes],
            start: 0,
            filled: 0,
            held: None,
            position: 0,
            end: UNKNOWN_END,
            too_long: None,
            newlines: 0,
            counter: None,
        })
    }

    /// Consumes a byte order mark at the very start; false if more bytes must come first.
    pub(super) fn skip_mark(&mut self) -> Result<bool, FileSourceError> {
        while self.unread().len() < MARK.len() && MARK.starts_with(self.unread()) {
            match self.fill()? {
                Filled::More => {}
                Filled::Later => return Ok(false),
                Filled::End => break,
            }
        }
        if self.position == 0 && self.unread().starts_with(MARK) {
            self.consume(MARK.len());
        }
        Ok(true)
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

    /// From now on the end of a growing file is its end.
    pub(super) fn stop_growing(&mut self) {
        self.input.stop_growing();
    }

    /// Offset of the next byte.
    #[inline]
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Offset of the next record; not the next byte while one beyond the limit is being consumed.
    pub(super) fn record_position(&self) -> u64 {
        self.too_long.as_ref().and_then(|record| record.byte).unwrap_or(self.position)
    }

    /// Offset of the byte that is read next.
    pub(super) fn read_to(&self) -> u64 {
        self.position + (self.filled - self.start) as u64
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

    /// Keeps what is consumed from here on, until it is released.
    #[inline]
    pub(super) fn hold(&mut self) {
        self.held = Some(self.start);
    }

    /// Keeps nothing any more.
    #[inline]
    pub(super) fn release(&mut self) {
        self.held = None;
    }

    /// Goes back to where keeping began.
    pub(super) fn rewind(&mut self) {
        if let Some(held) = self.held.take() {
            self.position -= (self.start - held) as u64;
            self.start = held;
        }
    }

    /// Reads more behind the unread part.
    pub(super) fn fill(&mut self) -> Result<Filled, FileSourceError> {
        self.make_room();
        let read_to = self.read_to();
        let wanted = usize::try_from(self.end.saturating_sub(read_to)).unwrap_or(usize::MAX);
        if wanted == 0 {
            return Ok(Filled::End);
        }
        let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
        let wanted = wanted.min(room.len());
        let room = room.get_mut(..wanted).unwrap_or_default();
        let fetched = self.input.fetch(room).map_err(|error| {
            let path = self.path.clone();
            FileSourceError::Read { path, byte: read_to, error }
        })?;
        match fetched {
            Fetched::Bytes(count) => {
                self.filled += count;
                Ok(Filled::More)
            }
            Fetched::Later => Ok(Filled::Later),
            Fetched::End if self.end != UNKNOWN_END => Err(self.shorter(self.end, read_to)),
            Fetched::End => Ok(Filled::End),
        }
    }

    /// Moves what must stay to the front of the buffer, and makes it longer where that is not
    /// enough.
    fn make_room(&mut self) {
        let kept = self.held.unwrap_or(self.start);
        if kept > 0 {
            if self.input.comes_once() {
                let gone = self.buffer.get(..kept).unwrap_or_default();
                self.newlines += memchr_iter(b'\n', gone).count() as u64;
            }
            self.buffer.copy_within(kept..self.filled, 0);
            self.start -= kept;
            self.filled -= kept;
            self.held = self.held.map(|_| 0);
        }
        if self.buffer.len() - self.filled < self.limits.block_bytes.div_ceil(2) {
            self.buffer.resize(self.filled + self.limits.block_bytes, 0);
        }
    }

    /// Goes to an offset and reads no further than `end`; backwards only in a plain file. False if
    /// more bytes must come first: then it is to be called again.
    pub(super) fn go_to(&mut self, position: u64, end: u64) -> Result<bool, FileSourceError> {
        if let Some(bytes) = self.input.plain_bytes()
            && bytes < position.max(if end == UNKNOWN_END { 0 } else { end })
        {
            let expected = if end == UNKNOWN_END { position } else { end };
            return Err(self.shorter(expected, bytes));
        }
        self.release();
        match self.input.seek(position) {
            Some(sought) => {
                sought.map_err(|error| FileError::new("seek in", Path::new(&self.path), error))?;
                (self.start, self.filled, self.position) = (0, 0, position);
            }
            None if !self.skip_to(position)? => return Ok(false),
            None => {}
        }
        self.end = end;
        Ok(true)
    }

    fn skip_to(&mut self, position: u64) -> Result<bool, FileSourceError> {
        while self.position < position {
            if self.unread().is_empty() {
                match self.fill()? {
                    Filled::More => {}
                    Filled::Later => return Ok(false),
                    Filled::End => return Err(self.shorter(position, self.position)),
                }
            }
            let missing = usize::try_from(position - self.position).unwrap_or(usize::MAX);
            self.consume(missing.min(self.unread().len()));
        }
        Ok(true)
    }

    /// The next line; it is consumed.
    #[inline]
    pub(super) fn next_line(&mut self) -> Result<Lined<'_>, FileSourceError> {
        let length = match memchr(b'\n', self.unread()) {
            Some(newline) if newline <= self.limits.record_bytes_max && self.too_long.is_none() => {
                newline + 1
            }
            _ => match self.find_line()? {
                Found::Line(length) => length,
                Found::TooLong(record) => return Ok(Lined::TooLong(record)),
                Found::Later => return Ok(Lined::Later),
                Found::End => return Ok(Lined::End),
            },
        };
        let (start, from) = (self.position, self.start);
        self.consume(length);
        let bytes = self.buffer.get(from..from + length).unwrap_or_default();
        Ok(Lined::Line(Line { start, bytes }))
    }

    /// Reads on until the buffer holds a line.
    #[cold]
    fn find_line(&mut self) -> Result<Found, FileSourceError> {
        let mut searched = 0;
        while self.too_long.is_none() {
            let unread = self.unread();
            let rest = unread.get(searched..).unwrap_or_default();
            let newline = memchr(b'\n', rest).map(|at| searched + at);
            if newline.unwrap_or(unread.len()) > self.limits.record_bytes_max {
                let begin = preview(unread);
                self.begin_too_long(self.position, begin);
                break;
            }
            if let Some(newline) = newline {
                return Ok(Found::Line(newline + 1));
            }
            searched = unread.len();
            match self.fill()? {
                Filled::More => {}
                Filled::Later => return Ok(Found::Later),
                Filled::End if searched == 0 => return Ok(Found::End),
                Filled::End => return Ok(Found::Line(searched)),
            }
        }
        self.consume_too_long()
    }

    /// Consumes up to the end of a line that is too long, none of which is kept.
    fn consume_too_long(&mut self) -> Result<Found, FileSourceError> {
        loop {
            let newline = memchr(b'\n', self.unread());
            self.consume(newline.map_or(self.unread().len(), |at| at + 1));
            let filled = if newline.is_some() { Filled::End } else { self.fill()? };
            match filled {
                Filled::More => {}
                Filled::Later => return Ok(Found::Later),
                Filled::End => {
                    let record = self.take_too_long();
                    return Ok(record.map_or(Found::End, Found::TooLong));
                }
            }
        }
    }

    /// Notes that the record at an offset is too long: it is to be consumed to its end.
    #[cold]
    pub(super) fn begin_too_long(&mut self, start: u64, preview: String) {
        let reason = RecordError::too_long(self.limits.record_bytes_max);
        self.too_long = Some(self.record_error(start, None, reason, preview));
    }

    /// True while a record that is too long is being consumed.
    #[inline]
    pub(super) fn is_too_long(&self) -> bool {
        self.too_long.is_some()
    }

    /// The record that was too long; it has been consumed.
    pub(super) fn take_too_long(&mut self) -> Option<Box<RecordError>> {
        self.too_long.take()
    }

    /// The error of the record at `start`, its line found by counting.
    #[cold]
    pub(super) fn record_error(
        &mut self,
        start: u64,
        column: Option<String>,
        reason: String,
        preview: String,
    ) -> Box<RecordError> {
        let line = self.line_at(start);
        let file = self.path.clone();
        Box::new(RecordError { file, line, row: None, byte: Some(start), column, reason, preview })
    }

    /// The line an offset is in, from 1; `None` if that cannot be found out.
    fn line_at(&mut self, offset: u64) -> Option<u64> {
        if self.input.comes_once() {
            let first = self.position - self.start as u64;
            let ahead = usize::try_from(offset.checked_sub(first)?).ok()?;
            let before = self.buffer.get(..ahead)?;
            return Some(self.newlines + memchr_iter(b'\n', before).count() as u64 + 1);
        }
        // Faults come one behind the other: the file is read once more, not once for each.
        let counter = match self.counter.take().filter(|c| c.blocks.position <= offset) {
            Some(counter) => self.counter.insert(counter),
            None => {
                let blocks = Self::open(&self.path, Limits::default(), false).ok()?;
                self.counter.insert(Box::new(LineCounter { blocks, line: 1 }))
            }
        };
        counter.count_to(offset).ok()
    }

    fn shorter(&self, expected: u64, found: u64) -> FileSourceError {
        FileSourceError::Shorter { path: self.path.clone(), unit: "byte", expected, found }
    }
}

/// What the search for a line came to.
enum Found {
    Line(usize),
    TooLong(Box<RecordError>),
    Later,
    End,
}

impl LineCounter {
    fn count_to(&mut self, offset: u64) -> Result<u64, FileSourceError> {
        while self.blocks.position < offset {
            if self.blocks.unread().is_empty() && self.blocks.fill()? != Filled::More {
                break;
            }
            let missing = usize::try_from(offset - self.blocks.position).unwrap_or(usize::MAX);
            let part = self.blocks.unread();
            let part = part.get(..missing).unwrap_or(part);
            let (length, newlines) = (part.len(), memchr_iter(b'\n', part).count());
            self.line += newlines as u64;
            self.blocks.consume(length);
        }
        Ok(self.line)
    }
}
