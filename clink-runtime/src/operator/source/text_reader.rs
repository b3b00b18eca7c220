//! Takes a reader of text records through one split: begin, go to the record at hand, read on.

use std::fmt::Debug;

use clink_plan::descriptor::OperatorDescriptor;

use crate::data::Data;
use crate::error::{Error, Result};

use super::blocks::{Blocks, Filled, Limits};
use super::error::FileSourceError;
use super::location::Location;
use super::reader::{Format, FormatOptions, Next, RecordReader};
use super::split::{FileSplit, UNKNOWN_END};

/// How the records of a format stand in a stream of bytes.
pub trait TextFormat: Sized + Send + Debug + 'static {
    /// What the graph knows of a source of this format.
    const DESCRIPTOR: OperatorDescriptor;

    /// What a record becomes.
    type Out: Data;

    /// What may be said of how the files are written.
    type Options: FormatOptions;

    /// Reads what stands before the first record; `None` if that is not there yet, and then it is
    /// still to be read.
    fn begin(blocks: &mut Blocks, options: &Self::Options) -> Result<Option<Self>>;

    /// Reads and consumes one record.
    fn next(&mut self, blocks: &mut Blocks) -> Result<Next<Self::Out>, FileSourceError>;

    /// The first offset at or behind each target, in ascending order, at which a record may begin.
    /// Fewer if the file ends before.
    fn borders(
        blocks: &mut Blocks,
        targets: &[u64],
        options: &Self::Options,
    ) -> Result<Vec<u64>, FileSourceError>;
}

impl<F: TextFormat> Format for F {
    const DESCRIPTOR: OperatorDescriptor = F::DESCRIPTOR;

    type Out = F::Out;
    type Options = F::Options;
    type Reader = TextReader<F>;

    const IN_BYTES: bool = true;

    fn size(file: &str) -> Result<u64> {
        Ok(Blocks::open(file, Limits::default(), false)?.input().plain_bytes().unwrap_or(0))
    }

    fn check(file: &str, options: &F::Options) -> Result<()> {
        let mut blocks = Blocks::open(file, Limits::default(), false)?;
        blocks.skip_mark()?;
        F::begin(&mut blocks, options).map(drop)
    }

    fn divide(file: &str, wanted: u32, options: &F::Options) -> Result<Vec<FileSplit>> {
        let mut blocks = Blocks::open(file, Limits::default(), false)?;
        blocks.skip_mark()?;
        F::begin(&mut blocks, options)?;
        let first = blocks.position();
        let Some(end) = blocks.input().plain_bytes() else {
            return Ok(vec![FileSplit::whole(file)]);
        };
        let bytes = end.saturating_sub(first);
        let share = |part: u32| {
            let offset = u128::from(bytes) * u128::from(part) / u128::from(wanted);
            first + u64::try_from(offset).unwrap_or(bytes)
        };
        let targets: Vec<u64> = (1..wanted).map(share).collect();
        let mut borders = vec![first];
        if !targets.is_empty() {
            blocks.go_to(first, end)?;
            borders.extend(F::borders(&mut blocks, &targets, options)?);
        }
        borders.push(end);
        borders.dedup();
        let pairs = borders.iter().zip(borders.iter().skip(1));
        Ok(pairs.map(|(start, end)| FileSplit::new(file, *start, *end)).collect())
    }

    fn enter(
        split: &FileSplit,
        limits: Limits,
        grows: bool,
        options: &F::Options,
    ) -> Result<TextReader<F>> {
        let blocks = Blocks::open(&split.path, limits, grows)?;
        let end = if grows { UNKNOWN_END } else { split.end };
        let mut reader = TextReader {
            blocks,
            options: options.clone(),
            phase: Phase::Mark,
            position: split.position,
            end,
        };
        if !reader.blocks.input().comes_once() {
            // What is wrong with the file is said when it is opened.
            reader.advance()?;
        }
        Ok(reader)
    }
}

/// What a reader is at.
#[derive(Debug)]
enum Phase<F> {
    /// The byte order mark.
    Mark,
    /// What stands before the first record.
    Begin,
    /// The way to the record to go on with.
    Skip(F),
    /// The last byte before it.
    Border(F),
    /// The records.
    Read(F),
    /// Nothing: a step failed.
    Failed,
}

/// Reads the records of one split.
#[derive(Debug)]
pub struct TextReader<F: TextFormat> {
    blocks: Blocks,
    options: F::Options,
    phase: Phase<F>,
    /// Where to go on.
    position: u64,
    end: u64,
}

impl<F: TextFormat> TextReader<F> {
    /// Goes to the record to go on with; false if more bytes must come first.
    fn advance(&mut self) -> Result<bool> {
        loop {
            let blocks = &mut self.blocks;
            match std::mem::replace(&mut self.phase, Phase::Failed) {
                Phase::Mark => {
                    let skipped = blocks.skip_mark()?;
                    self.phase = if skipped { Phase::Begin } else { Phase::Mark };
                    if !skipped {
                        return Ok(false);
                    }
                }
                Phase::Begin => match F::begin(blocks, &self.options)? {
                    Some(format) => self.phase = Phase::Skip(format),
                    None => {
                        self.phase = Phase::Begin;
                        return Ok(false);
                    }
                },
                Phase::Skip(format) => {
                    let first = blocks.position();
                    // A socket does not send again what it has sent.
                    let named = Location::by_name(blocks.path());
                    let again = !matches!(named, Some(Location::Socket(_)));
                    let goes_on = again && self.position > first;
                    let target = if goes_on { self.position - 1 } else { first };
                    let there = blocks.go_to(target, self.end)?;
                    self.phase = match (there, goes_on) {
                        (false, _) => Phase::Skip(format),
                        (true, true) => Phase::Border(format),
                        (true, false) => Phase::Read(format),
                    };
                    if !there {
                        return Ok(false);
                    }
                }
                Phase::Border(format) => {
                    let there = check_border(blocks, self.position)?;
                    self.phase = if there { Phase::Read(format) } else { Phase::Border(format) };
                    if !there {
                        return Ok(false);
                    }
                }
                Phase::Read(format) => {
                    self.phase = Phase::Read(format);
                    return Ok(true);
                }
                Phase::Failed => return Ok(false),
            }
        }
    }
}

impl<F: TextFormat> RecordReader for TextReader<F> {
    type Out = F::Out;

    #[inline]
    fn next(&mut self) -> Result<Next<F::Out>> {
        if !matches!(self.phase, Phase::Read(_)) && !self.advance()? {
            return Ok(Next::Later);
        }
        match &mut self.phase {
            Phase::Read(format) => Ok(format.next(&mut self.blocks)?),
            _ => Ok(Next::Later),
        }
    }

    fn position(&self) -> u64 {
        match self.phase {
            Phase::Read(_) => self.blocks.record_position(),
            _ => self.position,
        }
    }

    fn read_to(&self) -> u64 {
        self.blocks.read_to()
    }

    fn compressed(&self) -> Option<(u64, u64)> {
        self.blocks.input().compressed()
    }

    fn grows(&self) -> bool {
        self.blocks.input().grows()
    }

    fn stop_growing(&mut self) {
        self.blocks.stop_growing();
    }
}

/// Consumes the last byte before a saved position, which must end a line; false if more bytes must
/// come first.
fn check_border(blocks: &mut Blocks, saved: u64) -> Result<bool> {
    if blocks.unread().is_empty() {
        match blocks.fill()? {
            Filled::More => {}
            Filled::Later => return Ok(false),
            Filled::End => {
                let (path, found) = (blocks.path().to_owned(), blocks.position());
                let error = FileSourceError::Shorter { path, unit: "byte", expected: saved, found };
                return Err(Error::from(error));
            }
        }
    }
    let ends_line = matches!(blocks.unread().first(), Some(b'\n' | b'\r'));
    // Behind the last record there may be no line end.
    let is_last = !ends_line && blocks.unread().len() == 1 && blocks.fill()? == Filled::End;
    blocks.consume(1);
    if ends_line || is_last {
        return Ok(true);
    }
    Err(FileSourceError::Changed { path: blocks.path().to_owned(), byte: saved }.into())
}
