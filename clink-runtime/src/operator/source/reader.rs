//! Takes a reader through its splits, whatever the format of the records.
//!
//! In:     splits, fresh or restored.
//! Out:    values in file order within a split, and the splits moved on past them.
//! Limit:  one file open at a time; one block and one record in memory.

use clink_plan::descriptor::OperatorDescriptor;

use crate::data::Data;
use crate::error::{Error, Result};

use super::super::context::SourceContext;
use super::super::contract::{Produced, Progress};
use super::blocks::{Blocks, Limits};
use super::error::FileSourceError;
use super::input::is_pipe;
use super::split::{FileSplit, UNKNOWN_END};

/// How the records of a format stand in a file.
pub trait Format: Sized + Send + 'static {
    /// What the graph knows of a source of this format.
    const DESCRIPTOR: OperatorDescriptor;

    /// What a record becomes.
    type Out: Data;

    /// Reads what stands before the first record.
    fn begin(blocks: &mut Blocks) -> Result<Self>;

    /// Reads and consumes one record; `None` at the end of the split.
    fn next(&mut self, blocks: &mut Blocks) -> Result<Option<Self::Out>>;

    /// The first offset at or behind each target, in ascending order, at which a record may begin.
    /// Fewer if the file ends before.
    fn borders(blocks: &mut Blocks, targets: &[u64]) -> Result<Vec<u64>>;
}

/// Reads the splits of one source instance, one after the other.
#[derive(Debug)]
pub(super) struct FileReader<F> {
    pub(super) path: String,
    pub(super) limits: Limits,
    splits: Vec<FileSplit>,
    /// The split being read, or the number of splits once all are.
    current: usize,
    open: Option<(Blocks, F)>,
    /// Bytes of the splits that had been read before the run.
    resumed: u64,
    /// The length of the compressed file, once it has been read to its end.
    compressed: Option<u64>,
}

impl<F: Format> FileReader<F> {
    pub(super) fn new(path: String) -> Self {
        Self {
            path,
            limits: Limits::default(),
            splits: Vec::new(),
            current: 0,
            open: None,
            resumed: 0,
            compressed: None,
        }
    }

    /// Why the file is one split, as far as its name tells.
    pub(super) fn unsplittable(&self) -> Option<String> {
        let is_gzip = self.path.to_ascii_lowercase().ends_with(".gz");
        is_gzip.then(|| "gzip is one stream: a reader cannot start in its middle".to_owned())
    }

    /// Divides the file at record borders near equal shares of its bytes.
    pub(super) fn splits(&self, wanted: u32) -> Result<Vec<FileSplit>> {
        // A pipe loses what is read from it here.
        if is_pipe(&self.path) {
            return Ok(vec![FileSplit::whole(&self.path)]);
        }
        let mut blocks = Blocks::open(&self.path, self.limits)?;
        F::begin(&mut blocks)?;
        let first = blocks.position();
        let Some(end) = blocks.input().plain_bytes() else {
            return Ok(vec![FileSplit::whole(&self.path)]);
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
            borders.extend(F::borders(&mut blocks, &targets)?);
        }
        borders.push(end);
        borders.dedup();
        let pairs = borders.iter().zip(borders.iter().skip(1));
        Ok(pairs.map(|(start, end)| FileSplit::new(&self.path, *start, *end)).collect())
    }

    /// Takes the splits and opens the first that is not finished.
    ///
    /// Restored ones must be of this path, as it is spelled, and go on where they left off.
    pub(super) fn open(&mut self, splits: Vec<FileSplit>, is_restored: bool) -> Result<()> {
        if let Some(other) = splits.iter().find(|split| split.path != self.path) {
            let (path, found) = (self.path.clone(), other.path.clone());
            return Err(Error::from(FileSourceError::OtherPath { path, found }).refusal());
        }
        self.resumed = splits.iter().map(|split| split.position.saturating_sub(split.start)).sum();
        (self.splits, self.current, self.open) = (splits, 0, None);
        if !is_restored {
            return self.open_next();
        }
        self.open_next().map_err(refused)?;
        // A refusal says that nothing has run: later splits are tried before this one is read.
        let later = self.splits.iter().skip(self.current + 1);
        for split in later.filter(|split| !split.is_finished()) {
            self.enter(split).map_err(refused)?;
        }
        Ok(())
    }

    fn open_next(&mut self) -> Result<()> {
        while self.splits.get(self.current).is_some_and(FileSplit::is_finished) {
            self.current += 1;
        }
        let Some(split) = self.splits.get(self.current) else { return Ok(()) };
        self.open = Some(self.enter(split)?);
        Ok(())
    }

    /// Opens the file of a split at the record it goes on with.
    fn enter(&self, split: &FileSplit) -> Result<(Blocks, F)> {
        let mut blocks = Blocks::open(&split.path, self.limits)?;
        let format = F::begin(&mut blocks)?;
        let first = blocks.position();
        if split.position > first {
            blocks.go_to(split.position - 1, split.end)?;
            check_border(&mut blocks)?;
        } else {
            blocks.go_to(first, split.end)?;
        }
        Ok((blocks, format))
    }

    /// Emits records until a batch is full or the splits are used up.
    #[inline]
    pub(super) fn produce(&mut self, ctx: &mut SourceContext<'_, F::Out>) -> Result<Produced> {
        while let Some((blocks, format)) = &mut self.open {
            while !ctx.is_full() {
                let Some(value) = format.next(blocks)? else { break };
                ctx.emit(value);
            }
            if ctx.is_full() {
                return Ok(Produced::More);
            }
            self.finish_split();
            self.open_next()?;
        }
        Ok(Produced::End)
    }

    fn finish_split(&mut self) {
        let Some((blocks, _)) = self.open.take() else { return };
        self.compressed = blocks.input().compressed().map(|(taken, _)| taken);
        if let Some(split) = self.splits.get_mut(self.current) {
            split.end = if split.end == UNKNOWN_END { blocks.position() } else { split.end };
            split.position = split.end;
        }
    }

    /// The splits, the one at hand moved on past what was emitted.
    pub(super) fn snapshot(&self) -> Vec<FileSplit> {
        let mut splits = self.splits.clone();
        if let (Some((blocks, _)), Some(split)) = (&self.open, splits.get_mut(self.current)) {
            split.position = blocks.position().max(split.position);
        }
        splits
    }

    /// Bytes read and to be read; compressed bytes where only those are known in advance.
    pub(super) fn progress(&self) -> Option<Progress> {
        let compressed = self.open.as_ref().and_then(|(blocks, _)| blocks.input().compressed());
        let stored = compressed.map(|(taken, _)| taken).or(self.compressed);
        let mut progress = Progress::default();
        for split in self.snapshot() {
            if split.end != UNKNOWN_END {
                progress.done += split.position - split.start;
                progress.total += split.end - split.start;
            } else {
                let (done, total) = compressed?;
                progress.done += done;
                progress.total += total;
            }
        }
        // A compressed file is read from its start, whatever a restored split says.
        progress.bytes = stored.unwrap_or(progress.done.saturating_sub(self.resumed));
        Some(progress)
    }

    /// Closes the file; the position stays known.
    pub(super) fn close(&mut self) {
        self.splits = self.snapshot();
        self.open = None;
    }
}

/// Marks what says that the file is not the one the checkpoint was taken of.
fn refused(error: Error) -> Error {
    match error.source().downcast_ref() {
        Some(FileSourceError::Shorter { .. } | FileSourceError::Changed { .. }) => error.refusal(),
        _ => error,
    }
}

/// Consumes the last byte before a saved position, which must end a line.
fn check_border(blocks: &mut Blocks) -> Result<()> {
    let saved = blocks.position() + 1;
    if blocks.unread().is_empty() && !blocks.fill()? {
        let path = blocks.path().to_owned();
        let found = blocks.position();
        return Err(FileSourceError::Shorter { path, expected: saved, found }.into());
    }
    let ends_line = matches!(blocks.unread().first(), Some(b'\n' | b'\r'));
    blocks.consume(1);
    // Behind the last record there may be no line end.
    if ends_line || (blocks.unread().is_empty() && !blocks.fill()?) {
        return Ok(());
    }
    Err(FileSourceError::Changed { path: blocks.path().to_owned(), byte: saved }.into())
}
