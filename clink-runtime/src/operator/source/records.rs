//! Finds the records of a CSV file, and the places where a file may be divided.

use csv_core::ReadRecordResult;
use memchr::memchr;

use crate::error::Result;

use super::blocks::Blocks;
use super::error::{RecordError, preview};

/// One record after another, its cells side by side in memory that is used again.
pub(super) struct Records {
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
    pub(super) fn new() -> Self {
        let mut core = csv_core::Reader::new();
        // A new reader takes U+FEFF for a byte order mark wherever it starts: in the middle of a
        // file that is data. An empty line in advance takes the chance from it.
        core.read_record(b"\n", &mut [0], &mut [0]);
        let (cells, ends) = (vec![0; 1024], vec![0; 32]);
        Self { core, cells, ends, count: 0, start: 0, has_open_quote: false }
    }

    /// Reads and consumes the next record; false at the end, also if that lies inside quotes:
    /// then [`has_open_quote`](Self::has_open_quote).
    ///
    /// The line feed of a CRLF may be left: the next call skips it like a blank line.
    #[inline]
    pub(super) fn read(&mut self, blocks: &mut Blocks) -> Result<bool> {
        skip_line_ends(blocks)?;
        self.start = blocks.position();
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
                self.check_length(blocks, length.saturating_sub(1))?;
                return Ok(true);
            }
            self.check_length(blocks, length)?;
            match result {
                ReadRecordResult::InputEmpty => {
                    if !blocks.fill()? {
                        return Ok(self.end(text, count));
                    }
                }
                ReadRecordResult::OutputFull => self.cells.resize(self.cells.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record | ReadRecordResult::End => return Ok(false),
            }
        }
    }

    #[inline]
    fn check_length(&mut self, blocks: &Blocks, length: usize) -> Result<()> {
        let limit = blocks.limits().record_bytes_max;
        if length <= limit {
            return Ok(());
        }
        let mut reason = RecordError::too_long(limit);
        if self.takes_newline() {
            reason.push_str(" with a quote still open");
        }
        Err(blocks.record_error(self.start, None, reason, preview(&self.cells)))
    }

    /// Ends the last record of a file as a newline would; false if that would stand in quotes.
    #[cold]
    fn end(&mut self, text: usize, count: usize) -> bool {
        self.ends.truncate(count);
        self.ends.push(text);
        (self.count, self.has_open_quote) = (count + 1, self.takes_newline());
        !self.has_open_quote
    }

    /// True if a newline is part of a cell here. The parser is asked by giving it one, since it
    /// keeps its state to itself, so nothing can be read afterwards.
    fn takes_newline(&mut self) -> bool {
        let (_, _, written, _) = self.core.read_record(b"\n", &mut [0], &mut [0]);
        written > 0
    }

    /// True if the input came to its end inside quotes; the cell that holds them is the last.
    #[cold]
    pub(super) fn has_open_quote(&self) -> bool {
        self.has_open_quote
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

/// Goes to the first byte of the next record.
#[inline]
fn skip_line_ends(blocks: &mut Blocks) -> Result<()> {
    loop {
        match blocks.unread().first() {
            Some(b'\r' | b'\n') => blocks.consume(1),
            Some(_) => return Ok(()),
            None => {
                if !blocks.fill()? {
                    return Ok(());
                }
            }
        }
    }
}

/// Borders of a file in which every newline ends a record.
pub(super) fn line_borders(blocks: &mut Blocks, targets: &[u64]) -> Result<Vec<u64>> {
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
pub(super) fn record_borders(blocks: &mut Blocks, targets: &[u64]) -> Result<Vec<u64>> {
    let Some(end) = blocks.input().plain_bytes() else { return Ok(Vec::new()) };
    let first = blocks.position();
    let has_quotes = skip_past(blocks, b'"')?;
    blocks.go_to(first, end)?;
    if !has_quotes {
        return line_borders(blocks, targets);
    }
    let mut borders = Vec::new();
    let mut records = Records::new();
    for target in targets {
        while blocks.position() < *target {
            if !records.read(blocks)? {
                return Ok(borders);
            }
        }
        borders.push(blocks.position());
    }
    Ok(borders)
}

/// Consumes up to and with the next such byte; false if there is none.
fn skip_past(blocks: &mut Blocks, byte: u8) -> Result<bool> {
    loop {
        let unread = blocks.unread();
        if let Some(at) = memchr(byte, unread) {
            blocks.consume(at + 1);
            return Ok(true);
        }
        let length = unread.len();
        blocks.consume(length);
        if !blocks.fill()? {
            return Ok(false);
        }
    }
}
