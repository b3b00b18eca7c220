//! Takes a source through its splits, whatever the format of the records.
//!
//! In:     splits, fresh or restored.
//! Out:    values in file order within a split, and the splits moved on past them.
//! Limit:  one file open at a time; one block and one record in memory.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::path::Path;
use std::time::Duration;

use clink_plan::descriptor::OperatorDescriptor;

use crate::data::Data;
use crate::error::{Error, Result};
use crate::operator::{ParamError, Params};
use crate::sys::files;

use super::super::context::SourceContext;
use super::super::contract::{Produced, Progress};
use super::blocks::Limits;
use super::error::{FileSourceError, RecordError};
use super::location::{Location, covers, is_pattern};
use super::split::{FileSplit, UNKNOWN_END};

/// How long a source waits before it looks again at an input that had nothing: a pipe, a peer.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Bad records after which a source lets others have their turn, though it has emitted nothing.
const BAD_RECORDS_A_TURN: u32 = 256;

/// What a look for a record came to.
#[derive(Debug)]
pub enum Next<T> {
    /// A record.
    Record(T),
    /// A record that does not fit; it has been passed.
    Bad(Box<RecordError>),
    /// No whole record for now.
    Later,
    /// No more.
    End,
}

/// What may be said of how the files of a format are written.
pub trait FormatOptions: Clone + Default + Debug + Send + 'static {
    /// The names of all parameters of a source of this format.
    const PARAMS: &'static [&'static str];

    /// Writes what was said.
    ///
    /// # Errors
    /// [`ParamError`] for what has no text form.
    fn write(&self, params: &mut Params) -> Result<(), ParamError>;

    /// Reads what was said.
    ///
    /// # Errors
    /// [`ParamError`] for what does not parse.
    fn read(params: &Params) -> Result<Self, ParamError>;
}

/// Nothing can be said.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOptions;

impl FormatOptions for NoOptions {
    const PARAMS: &'static [&'static str] = &["path", "follow"];

    fn write(&self, _params: &mut Params) -> Result<(), ParamError> {
        Ok(())
    }

    fn read(_params: &Params) -> Result<Self, ParamError> {
        Ok(Self)
    }
}

/// How the records of a format stand in a file.
pub trait Format: Sized + Send + 'static {
    /// What the graph knows of a source of this format.
    const DESCRIPTOR: OperatorDescriptor;

    /// What a record becomes.
    type Out: Data;

    /// What may be said of how the files are written.
    type Options: FormatOptions;

    /// What reads a split.
    type Reader: RecordReader<Out = Self::Out>;

    /// Whether positions are bytes; else they are rows.
    const IN_BYTES: bool;

    /// Bytes of a file as far as it can be divided; 0 if it cannot be.
    ///
    /// # Errors
    /// If it cannot be opened.
    fn size(file: &str) -> Result<u64>;

    /// Looks whether a file can be opened and begins as it should.
    ///
    /// # Errors
    /// What is wrong with it.
    fn check(file: &str, options: &Self::Options) -> Result<()>;

    /// Divides a file into about as many splits, none for a file without records.
    ///
    /// # Errors
    /// If it cannot be read.
    fn divide(file: &str, wanted: u32, options: &Self::Options) -> Result<Vec<FileSplit>>;

    /// Opens the file of a split at the record to go on with.
    ///
    /// # Errors
    /// If it cannot be read, or not from there.
    fn enter(
        split: &FileSplit,
        limits: Limits,
        grows: bool,
        options: &Self::Options,
    ) -> Result<Self::Reader>;
}

/// Reads the records of one split.
pub trait RecordReader: Send + Debug {
    /// What a record becomes.
    type Out: Data;

    /// Reads and passes one record.
    ///
    /// # Errors
    /// If the file cannot be read.
    fn next(&mut self) -> Result<Next<Self::Out>>;

    /// Where the next record is.
    fn position(&self) -> u64;

    /// How far the file has been read ahead.
    fn read_to(&self) -> u64;

    /// Compressed bytes taken in so far and in all, where only those are known in advance.
    fn compressed(&self) -> Option<(u64, u64)>;

    /// True if more may come behind the end of the file.
    fn grows(&self) -> bool;

    /// From now on the end of the file is its end.
    fn stop_growing(&mut self);
}

/// Reads the splits of one source instance, one after the other.
#[derive(Debug)]
pub(super) struct FileReader<F: Format> {
    pub(super) path: String,
    pub(super) options: F::Options,
    limits: Limits,
    splits: Vec<FileSplit>,
    /// By split: the length of a compressed file, which is all that is known of it in advance.
    packed: Vec<Option<u64>>,
    /// The split being read, or the number of splits once all are.
    current: usize,
    open: Option<F::Reader>,
    /// How far the splits before the one at hand have come: there may be thousands, and progress is
    /// asked for with every batch.
    before: Extent,
    /// By split: how far it and those behind it have come.
    behind: Vec<Extent>,
    /// What was done before this run.
    resumed: u64,
}

/// How much of something is done, and how much there is.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    done: u64,
    /// `None` if it is not known.
    total: Option<u64>,
}

impl Extent {
    const NOTHING: Self = Self { done: 0, total: Some(0) };

    fn and(self, other: Self) -> Self {
        let total = self.total.zip(other.total).map(|(one, two)| one.saturating_add(two));
        Self { done: self.done.saturating_add(other.done), total }
    }
}

impl<F: Format> FileReader<F> {
    pub(super) fn new(path: String, options: F::Options) -> Self {
        let limits = Limits::default();
        let (splits, packed) = (Vec::new(), Vec::new());
        let (before, behind) = (Extent::NOTHING, Vec::new());
        let (current, open, resumed) = (0, None, 0);
        Self { path, options, limits, splits, packed, current, open, before, behind, resumed }
    }

    /// Why there is one split, as far as the text of the path tells: a graph must not depend on
    /// what stands there on the machine that makes it.
    pub(super) fn unsplittable(&self) -> Option<String> {
        let path = self.path.to_ascii_lowercase();
        let reason = match Location::by_name(&self.path) {
            Some(Location::Stdin) => "standard input is one stream",
            Some(_) => "what a peer sends is one stream",
            None if is_pattern(&path) => return None,
            None if path.ends_with(".gz") => {
                "gzip is one stream: a reader cannot start in its middle"
            }
            None if path.ends_with(".zst") => {
                "zstd is one stream: a reader cannot start in its middle"
            }
            None => return None,
        };
        Some(reason.to_owned())
    }

    /// Looks whether there is something to read.
    pub(super) fn check(&self) -> Result<()> {
        let location = Location::of(&self.path);
        if location.comes_once() {
            return self.check_stream(location);
        }
        location.files()?.iter().try_for_each(|file| F::check(file, &self.options))
    }

    /// What comes once loses what is looked at: its name is all that can be.
    fn check_stream(&self, location: Location<'_>) -> Result<()> {
        let path = self.path.clone();
        if !F::IN_BYTES {
            return Err(Error::from(FileSourceError::Stream { path }).terminal());
        }
        let Location::Socket(peer) = location else { return Ok(()) };
        match peer.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(()),
            _ => Err(Error::from(FileSourceError::Peer { path }).terminal()),
        }
    }

    /// Divides the files at record borders, so that all splits are about equal.
    pub(super) fn splits(&self, wanted: u32) -> Result<Vec<FileSplit>> {
        let location = Location::of(&self.path);
        // What comes once loses what is read from it here.
        if location.comes_once() {
            return Ok(vec![FileSplit::whole(&self.path)]);
        }
        let files = location.files()?;
        let sizes: Vec<u64> = files.iter().map(|file| F::size(file)).collect::<Result<_>>()?;
        let total: u64 = sizes.iter().sum();
        let mut splits = Vec::new();
        for (file, size) in files.iter().zip(sizes) {
            let parts = u128::from(size) * u128::from(wanted) / u128::from(total.max(1));
            let parts = u32::try_from(parts).unwrap_or(wanted).clamp(1, wanted.max(1));
            splits.extend(F::divide(file, parts, &self.options)?);
        }
        Ok(splits)
    }

    /// Takes the splits and opens the first that is not finished.
    ///
    /// Restored ones must be of this path, as it is spelled, and go on where they left off.
    pub(super) fn open(
        &mut self,
        splits: Vec<FileSplit>,
        limits: Limits,
        is_restored: bool,
    ) -> Result<()> {
        check_paths(&self.path, &splits)?;
        let packed = |split: &FileSplit| {
            let is_unknown = split.end == UNKNOWN_END && !Location::of(&split.path).comes_once();
            is_unknown.then(|| files::size(Path::new(&split.path)).ok()).flatten()
        };
        self.packed = splits.iter().map(packed).collect();
        (self.splits, self.limits, self.current, self.open) = (splits, limits, 0, None);
        self.before = Extent::NOTHING;
        self.behind = self.extents_from_the_end();
        if !is_restored {
            return self.open_next();
        }
        // Of a compressed file nothing counts as done: it is unpacked from its start again.
        self.pass_finished();
        self.resumed = self.progress().map_or(0, |progress| progress.done);
        self.open_next().map_err(refused)?;
        // A refusal says that nothing has run: later splits are tried before this one is read.
        let later = self.splits.iter().skip(self.current + 1);
        for split in later.filter(|split| !split.is_finished()) {
            self.enter(split).map_err(refused)?;
        }
        Ok(())
    }

    fn open_next(&mut self) -> Result<()> {
        self.pass_finished();
        let Some(split) = self.splits.get(self.current) else { return Ok(()) };
        self.open = Some(self.enter(split)?);
        Ok(())
    }

    /// Goes to the first split that is not finished.
    fn pass_finished(&mut self) {
        while let Some(split) = self.splits.get(self.current).filter(|split| split.is_finished()) {
            let index = self.current;
            self.current += 1;
            self.before = self.before.and(self.extent(index, split));
        }
    }

    /// For each split how far it and those behind it have come, before any is read.
    fn extents_from_the_end(&self) -> Vec<Extent> {
        let (mut behind, mut sum) = (Vec::with_capacity(self.splits.len()), Extent::NOTHING);
        for (index, split) in self.splits.iter().enumerate().rev() {
            sum = sum.and(self.extent(index, split));
            behind.push(sum);
        }
        behind.reverse();
        behind
    }

    fn enter(&self, split: &FileSplit) -> Result<F::Reader> {
        F::enter(split, self.limits, false, &self.options)
    }

    /// Emits records until a batch is full or the splits are used up.
    #[inline]
    pub(super) fn produce(&mut self, ctx: &mut SourceContext<'_, F::Out>) -> Result<Produced> {
        let mut bad = 0;
        while let Some(reader) = &mut self.open {
            match emit_all(reader, ctx, &mut bad)? {
                Emitted::Full => return Ok(Produced::More),
                Emitted::Later => return Ok(Produced::Idle(LOOK_AGAIN)),
                Emitted::End => {
                    self.finish_split();
                    self.open_next()?;
                }
            }
        }
        Ok(Produced::End)
    }

    fn finish_split(&mut self) {
        let Some(reader) = self.open.take() else { return };
        if let Some(split) = self.splits.get_mut(self.current) {
            split.end = if split.end == UNKNOWN_END { reader.position() } else { split.end };
            split.position = split.end;
        }
    }

    /// The splits, the one at hand moved on past what was emitted.
    pub(super) fn snapshot(&self) -> Vec<FileSplit> {
        let mut splits = self.splits.clone();
        if let (Some(reader), Some(split)) = (&self.open, splits.get_mut(self.current)) {
            split.position = reader.position().max(split.position);
        }
        splits
    }

    /// Read and to be read; compressed bytes where only those are known in advance, and no total
    /// where nothing is.
    pub(super) fn progress(&self) -> Option<Progress> {
        let current = self.splits.get(self.current).map(|split| self.extent(self.current, split));
        let behind = self.behind.get(self.current + 1).copied().unwrap_or(Extent::NOTHING);
        let others = self.before.and(behind);
        let Extent { done, total } = others.and(current.unwrap_or(Extent::NOTHING));
        let bytes = if F::IN_BYTES { done.saturating_sub(self.resumed) } else { 0 };
        Some(Progress { done, total: total.unwrap_or(0), bytes })
    }

    fn extent(&self, index: usize, split: &FileSplit) -> Extent {
        let open = self.open.as_ref().filter(|_| index == self.current);
        if let Some(bytes) = self.packed.get(index).copied().flatten() {
            let done = match index.cmp(&self.current) {
                Ordering::Less => bytes,
                Ordering::Equal => {
                    let taken = open.and_then(RecordReader::compressed);
                    taken.map_or(0, |(taken, _)| taken.min(bytes))
                }
                Ordering::Greater => 0,
            };
            return Extent { done, total: Some(bytes) };
        }
        let position = open.map_or(split.position, RecordReader::position).max(split.position);
        let total = (split.end != UNKNOWN_END).then(|| split.end.saturating_sub(split.start));
        Extent { done: position.saturating_sub(split.start), total }
    }

    /// Closes the file; the position stays known.
    pub(super) fn close(&mut self) {
        self.splits = self.snapshot();
        self.open = None;
    }
}

/// How a reader came to stop.
pub(super) enum Emitted {
    /// A batch is full, or enough bad records have gone by.
    Full,
    /// The input has nothing for now.
    Later,
    /// The split is used up.
    End,
}

/// Emits records until a batch is full or the reader has no more. Bad ones go where the run wants
/// them.
#[inline]
pub(super) fn emit_all<R: RecordReader>(
    reader: &mut R,
    ctx: &mut SourceContext<'_, R::Out>,
    bad: &mut u32,
) -> Result<Emitted> {
    while !ctx.is_full() {
        match reader.next()? {
            Next::Record(value) => ctx.emit(value),
            Next::Bad(record) => {
                ctx.bad_record(*record)?;
                *bad += 1;
                if *bad >= BAD_RECORDS_A_TURN {
                    return Ok(Emitted::Full);
                }
            }
            Next::Later => return Ok(Emitted::Later),
            Next::End => return Ok(Emitted::End),
        }
    }
    Ok(Emitted::Full)
}

/// Refuses splits of files that the path does not name.
pub(super) fn check_paths(path: &str, splits: &[FileSplit]) -> Result<()> {
    let Some(other) = splits.iter().find(|split| !covers(path, &split.path)) else {
        return Ok(());
    };
    let (path, found) = (path.to_owned(), other.path.clone());
    Err(Error::from(FileSourceError::OtherPath { path, found }).refusal())
}

/// Marks what says that the file is not the one the checkpoint was taken of.
fn refused(error: Error) -> Error {
    match error.source().downcast_ref() {
        Some(FileSourceError::Shorter { .. } | FileSourceError::Changed { .. }) => error.refusal(),
        _ => error,
    }
}
