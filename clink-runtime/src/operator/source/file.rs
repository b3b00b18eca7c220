//! Is the source of every file format: a reader of its splits or a follower of growing files, with
//! a path as its parameter.

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::error::{Error, Result};
use crate::operator::{OperatorFields, Param, ParamError, Params};
use crate::state::{StateError, StateVisitor};

use super::super::context::SourceContext;
use super::super::contract::{Produced, Progress, Source};
use super::super::runtime_context::RuntimeContext;
use super::BLOCK_BYTES;
use super::blocks::Limits;
use super::error::FileSourceError;
use super::follow::Follower;
use super::location::Location;
use super::reader::{FileReader, Format, FormatOptions};
use super::split::FileSplit;

/// A source of the records of files in format `F`.
#[derive(Debug)]
pub struct FileSource<F: Format> {
    reader: Reader<F>,
    /// Bytes asked for at once; other than the default in tests only.
    pub(super) block_bytes: usize,
}

/// What reads.
#[derive(Debug)]
enum Reader<F: Format> {
    Splits(FileReader<F>),
    Follow(Follower<F>),
}

impl<F: Format> FileSource<F> {
    pub(super) fn new(path: String) -> Self {
        Self::of(Reader::Splits(FileReader::new(path, F::Options::default())))
    }

    fn of(reader: Reader<F>) -> Self {
        Self { reader, block_bytes: BLOCK_BYTES }
    }

    /// Goes on when the end of the input is reached, and reads what is added: to a file, and files
    /// that are added to a folder or match the pattern later. The job then has no end of its own.
    ///
    /// - One instance reads, whatever the parallelism: what is to be read is not known in advance.
    /// - A last line without its end waits until that comes.
    /// - Files are known by their number in the file system: one that is renamed (a rotated log) is
    ///   read to its end, and for five seconds more, beside the one that takes its name. A restore
    ///   looks for it in its folder too.
    /// - Names are looked at twice a second. Of a single file, rotations in between, or while the
    ///   job is down, are found by their names (`app.log.1`, `app.log-20130131`) and read as well;
    ///   in a folder or a pattern, a file that comes and goes in between is not seen.
    /// - A file that has become shorter was emptied, and is read from its start. What was written
    ///   after the last look and before it was emptied is lost, and so is the beginning of one that
    ///   by the next look is as long again: rotate by renaming where each line counts.
    /// - Compressed and Parquet files do not grow: each is read once, so it must appear as a whole
    ///   (be renamed into its place).
    #[must_use]
    pub fn follow(self) -> Self {
        match self.reader {
            Reader::Splits(FileReader { path, options, .. }) => {
                Self::of(Reader::Follow(Follower::new(path, options)))
            }
            Reader::Follow(_) => self,
        }
    }

    pub(super) fn path(&self) -> &str {
        match &self.reader {
            Reader::Splits(reader) => &reader.path,
            Reader::Follow(follower) => &follower.path,
        }
    }

    fn options(&self) -> &F::Options {
        match &self.reader {
            Reader::Splits(reader) => &reader.options,
            Reader::Follow(follower) => &follower.options,
        }
    }

    pub(super) fn options_mut(&mut self) -> &mut F::Options {
        match &mut self.reader {
            Reader::Splits(reader) => &mut reader.options,
            Reader::Follow(follower) => &mut follower.options,
        }
    }

    fn limits(&self, ctx: &RuntimeContext) -> Limits {
        Limits { block_bytes: self.block_bytes, record_bytes_max: ctx.record_bytes_max() }
    }
}

/// What the graph knows of a source of files.
pub(super) const fn descriptor(
    type_name: &'static str,
    uid: &'static str,
    params: &'static [&'static str],
    location: SourceLocation,
) -> OperatorDescriptor {
    OperatorDescriptor { type_name, uid, slots: &[], params, location }
}

impl<F: Format> Source for FileSource<F> {
    type Out = F::Out;
    type Split = FileSplit;

    fn is_bounded(&self) -> bool {
        let is_socket = matches!(Location::by_name(self.path()), Some(Location::Socket(_)));
        matches!(self.reader, Reader::Splits(_)) && !is_socket
    }

    fn unsplittable(&self) -> Option<String> {
        match &self.reader {
            Reader::Splits(reader) => reader.unsplittable(),
            Reader::Follow(_) => Some(
                "followed files have one reader: what comes is not known in advance".to_owned(),
            ),
        }
    }

    fn check(&self) -> Result<()> {
        match &self.reader {
            Reader::Splits(reader) => reader.check(),
            Reader::Follow(follower) => follower.check(),
        }
    }

    fn splits(&self, wanted: u32) -> Result<Vec<FileSplit>> {
        match &self.reader {
            Reader::Splits(reader) => reader.splits(wanted),
            // They are found as they come.
            Reader::Follow(_) => Ok(Vec::new()),
        }
    }

    fn open(&mut self, splits: Vec<FileSplit>, ctx: &RuntimeContext) -> Result<()> {
        let limits = self.limits(ctx);
        match &mut self.reader {
            Reader::Splits(reader) => reader.open(splits, limits, ctx.is_restored()),
            Reader::Follow(follower) => follower.open(splits, limits, ctx),
        }
    }

    #[inline]
    fn produce(&mut self, ctx: &mut SourceContext<'_, F::Out>) -> Result<Produced> {
        match &mut self.reader {
            Reader::Splits(reader) => reader.produce(ctx),
            Reader::Follow(follower) => follower.produce(ctx),
        }
    }

    fn snapshot(&mut self) -> Result<Vec<FileSplit>> {
        Ok(match &self.reader {
            Reader::Splits(reader) => reader.snapshot(),
            Reader::Follow(follower) => follower.snapshot(),
        })
    }

    fn progress(&self) -> Option<Progress> {
        match &self.reader {
            Reader::Splits(reader) => reader.progress(),
            Reader::Follow(follower) => Some(follower.progress()),
        }
    }

    fn close(&mut self) -> Result<()> {
        match &mut self.reader {
            Reader::Splits(reader) => reader.close(),
            Reader::Follow(follower) => follower.close(),
        }
        Ok(())
    }
}

impl<F: Format> OperatorFields for FileSource<F> {
    const DESCRIPTOR: OperatorDescriptor = F::DESCRIPTOR;

    const UID_IS_DEFAULT: bool = true;

    fn to_params(&self, params: &mut Params) -> Result<(), ParamError> {
        self.path().to_owned().write("path", params)?;
        let follows = matches!(self.reader, Reader::Follow(_));
        follows.then_some(true).write("follow", params)?;
        self.options().write(params)
    }

    fn from_params(params: &Params) -> Result<Self, ParamError> {
        let mut source = Self::new(Param::read("path", params)?);
        *source.options_mut() = F::Options::read(params)?;
        let follows: Option<bool> = Param::read("follow", params)?;
        Ok(if follows == Some(true) { source.follow() } else { source })
    }

    fn path(params: &Params) -> Option<String> {
        params.get("path").cloned()
    }

    fn visit_state(&mut self, _visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        Ok(())
    }
}

/// What can be followed: files, and nothing that comes once.
pub(super) fn check_followed(path: &str) -> Result<()> {
    let what = match Location::of(path) {
        Location::Stdin => "standard input",
        Location::Socket(_) => "what a peer sends",
        Location::Pipe(_) => "a pipe",
        Location::File(_) | Location::Folder(_) | Location::Pattern(_) => return Ok(()),
    };
    let path = path.to_owned();
    Err(Error::from(FileSourceError::CannotFollow { path, what }).terminal())
}
