//! Finds the records of a CSV file, and the places where a file may be divided.

use csv_core::ReadRecordResult;
use memchr::memchr;

use super::blocks::{Blocks, Filled};
use super::error::{FileSourceError, RecordError, preview};

/// What a look for a record came to.
pub(super) enum Read {
    /// A record, which has been consumed.
    Record,
    /// A record beyond the limit, which has been consumed.
    TooLong(Box<RecordError>),
    /// No whole record for now.
    Later,
    /// No more; also if the input ends inside quotes: then [`Records::has_open_quote`].
    End,
}

/// One record after another, its cells side by side in memory that is used again.
pub(super) struct Records {
    delimiter: u8,
    core: csv_core::Reader,
    /// The text of all cells, quotes resolved.
    cells: Vec<u8>,
    /// Where each cell ends in it.
    ends: Vec<usize>,
    count: usize,
    start: u64,
    has_open_quote: bool,
}

impl Records {
    pub(super) fn new(delimiter: u8) -> Self {
        let (cells, ends) = (vec![0; 1024], vec![0; 32]);
        let core = parser(delimiter);
        Self { delimiter, core, cells, ends, count: 0, start: 0, has_open_quote: false }
    }

    /// Reads and consumes the next record.
    ///
    /// The line feed of a CRLF may be left: the next call skips it like a blank line.
    #[inline]
    pub(super) fn read(&mut self, blocks: &mut Blocks) -> Result<Read, FileSourceError> {
        if !blocks.is_too_long() {
            match skip_line_ends(blocks)? {
                Filled::More => {}
                Filled::Later => return Ok(Read::Later),
                Filled::End => return Ok(Read::End),
            }
            self.start = blocks.position();
            blocks.hold();
        }
        let (mut text, mut count, mut length) = (0, 0, 0);
        loop {
            let room = self.cells.get_mut(text..).unwrap_or_default();
            let ends = self.ends.get_mut(count..).unwrap_or_default();
            let (result, read, written, ended) = self.core.read_record(blocks.unread(), room, ends);
            blocks.consume(read);
            (text, count, length) = (text + written, count + ended, length + read);
            if matches!(result, ReadRecordResult::Record) {
                self.count = count;
                // The byte that ends a line is part of what was consumed.
                return Ok(self.ended(blocks, length.saturating_sub(1)));
            }
            if blocks.is_too_long() || length > blocks.limits().record_bytes_max {
                self.too_long(blocks, text);
                // Nothing of it is kept.
                (text, count) = (0, 0);
            }
            match result {
                ReadRecordResult::InputEmpty => match blocks.fill()? {
                    Filled::More => {}
                    Filled::Later => return Ok(self.later(blocks)),
                    Filled::End => return Ok(self.end(blocks, text, count)),
                },
                ReadRecordResult::OutputFull if text > 0 => {
                    self.cells.resize(self.cells.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull if count > 0 => {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {}
                ReadRecordResult::Record | ReadRecordResult::End => return Ok(Read::End),
            }
        }
    }

    /// The end of a record.
    #[inline]
    fn ended(&self, blocks: &mut Blocks, length: usize) -> Read {
        if length > blocks.limits().record_bytes_max {
            self.too_long(blocks, self.cells.len());
        }
        blocks.release();
        match blocks.is_too_long() {
            true => blocks.take_too_long().map_or(Read::End, Read::TooLong),
            false => Read::Record,
        }
    }

    /// Notes that the record is too long, once.
    #[cold]
    fn too_long(&self, blocks: &mut Blocks, text: usize) {
        if !blocks.is_too_long() {
            let begin = preview(self.cells.get(..text).unwrap_or_default());
            blocks.begin_too_long(self.start, begin);
            blocks.release();
        }
    }

    /// Goes back to the start of a record that is not there yet as a whole, unless it is one of
    /// which nothing is kept.
    #[cold]
    fn later(&mut self, blocks: &mut Blocks) -> Read {
        if !blocks.is_too_long() {
            blocks.rewind();
            self.core = parser(self.delimiter);
        }
        Read::Later
    }

    /// Ends the last record of a file as a newline would, unless that would stand in quotes.
    #[cold]
    fn end(&mut self, blocks: &mut Blocks, text: usize, count: usize) -> Read {
        self.ends.truncate(count);
        self.ends.push(text);
        (self.count, self.has_open_quote) = (count + 1, self.takes_newline());
        blocks.release();
        if let Some(mut record) = blocks.take_too_long() {
            if std::mem::take(&mut self.has_open_quote) {
                record.reason.push_str(" with a quote still open");
            }
            return Read::TooLong(record);
        }
        if self.has_open_quote { Read::End } else { Read::Record }
    }

    /// True if a newline is part of a cell here. The parser is asked by giving it one, since it
    /// keeps its state to itself, so nothing can be read afterwards.
    fn takes_newline(&mut self) -> bool {
        let (_, _, written, _) = self.core.read_record(b"\n", &mut [0], &mut [0]);
        written > 0
    }

    /// True if the input came to its end inside quotes; the cell that holds them is the last. Told
    /// once.
    #[cold]
    pub(super) fn has_open_quote(&mut self) -> bool {
        std::mem::take(&mut self.has_open_quote)
    }

    /// Offset of the first byte of the record.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// How many cells the record has.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// A cell of the record.
    #[inline]
    pub(super) fn cell(&self, index: usize) -> Option<&[u8]> {
        let ends = self.ends.get(..self.count)?;
        let end = *ends.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => *ends.get(before)?,
            None => 0,
        };
        self.cells.get(start..end)
    }

    /// The cells as text, with commas between them.
    #[cold]
    pub(super) fn joined(&self) -> String {
        let cells = (0..self.count).filter_map(|index| self.cell(index));
        cells.map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
    }
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").field("start", &self.start).finish_non_exhaustive()
    }
}

/// A parser at the start of a record.
fn parser(delimiter: u8) -> csv_core::Reader {
    let mut core = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    // A new reader takes U+FEFF for a byte order mark wherever it starts: in the middle of a file
    // that is data. An empty line in advance takes the chance from it.
    core.read_record(b"\n", &mut [0], &mut [0]);
    core
}

/// Goes to the first byte of the next record; more if it is there.
#[inline]
fn skip_line_ends(blocks: &mut Blocks) -> Result<Filled, FileSourceError> {
    loop {
        match blocks.unread().first() {
            Some(b'\r' | b'\n') => blocks.consume(1),
            Some(_) => return Ok(Filled::More),
            None => match blocks.fill()? {
                Filled::More => {}
                other => return Ok(other),
            },
        }
    }
}

/// Borders of a file in which every newline ends a record.
pub(super) fn line_borders(
    blocks: &mut Blocks,
    targets: &[u64],
) -> Result<Vec<u64>, FileSourceError> {
    let mut borders = Vec::new();
    let Some(end) = blocks.input().plain_bytes() else { return Ok(borders) };
    let first = blocks.position();
    for target in targets {
        // A newline right before the target makes the target itself a border.
        blocks.go_to(target.saturating_sub(1).max(first), end)?;
        if !skip_past(blocks, b'\n')? {
            break;
        }
        borders.push(blocks.position());
    }
    Ok(borders)
}

/// Borders of a CSV file: where it holds quotes, a newline may stand inside a cell.
pub(super) fn record_borders(
    blocks: &mut Blocks,
    targets: &[u64],
    delimiter: u8,
) -> Result<Vec<u64>, FileSourceError> {
    let Some(end) = blocks.input().plain_bytes() else { return Ok(Vec::new()) };
    let first = blocks.position();
    let has_quotes = skip_past(blocks, b'"')?;
    blocks.go_to(first, end)?;
    if !has_quotes {
        return line_borders(blocks, targets);
    }
    let mut borders = Vec::new();
    let mut records = Records::new(delimiter);
    for target in targets {
        while blocks.position() < *target {
            match records.read(blocks)? {
                Read::Record | Read::TooLong(_) => {}
                Read::Later | Read::End => return Ok(borders),
            }
        }
        borders.push(blocks.position());
    }
    Ok(borders)
}

/// Consumes up to and with the next such byte; false if there is none.
fn skip_past(blocks: &mut Blocks, byte: u8) -> Result<bool, FileSourceError> {
    loop {
        let unread = blocks.unread();
        if let Some(at) = memchr(byte, unread) {
            blocks.consume(at + 1);
            return Ok(true);
        }
        let length = unread.len();
        blocks.consume(length);
        if blocks.fill()? != Filled::More {
            return Ok(false);
        }
    }
}
