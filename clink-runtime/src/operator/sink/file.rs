//! Is the sink of every file format: an output file in step with checkpoints, with a path as its
//! parameter.

use clink_plan::descriptor::{OperatorDescriptor, SlotDescriptor, SourceLocation};

use crate::data::Data;
use crate::error::Result;
use crate::operator::{OperatorFields, Param, ParamError, Params};
use crate::state::{Redistribution, StateError, StateSlot, StateVisitor, Union};

use super::super::context::RuntimeContext;
use super::super::contract::Sink;
use super::output::{FileRow, FileRows, OutputFile};

/// How records are written to a file.
pub trait Format: Sized + Send + 'static {
    /// What the graph knows of a sink of this format.
    const DESCRIPTOR: OperatorDescriptor;

    /// What it writes.
    type In: Data;

    /// Looks at the type before a file is made or cut.
    fn check(path: &str) -> Result<()> {
        let _ = path;
        Ok(())
    }

    /// Takes a file at its end, and writes what stands before the first record.
    fn begin(output: OutputFile) -> Result<Self>;

    /// Writes a record, maybe to a buffer.
    fn write(&mut self, value: &Self::In) -> Result<()>;

    /// Empties the buffer into the file.
    fn flush(&mut self) -> Result<()>;

    /// The file.
    fn output(&self) -> &OutputFile;
}

/// A sink of records to a file in format `F`, each exactly once also after a restore.
///
/// What was written since the last checkpoint stays readable in the file; a restore cuts it off
/// before it is written again.
#[derive(Debug)]
pub struct FileSink<F> {
    path: String,
    files: FileRows,
    /// Rows of files that have no writer any more.
    kept: Vec<FileRow>,
    open: Option<F>,
}

impl<F: Format> FileSink<F> {
    pub(super) fn new(path: String) -> Self {
        Self { path, files: FileRows::default(), kept: Vec::new(), open: None }
    }
}

/// What the graph knows of a sink to files.
pub(super) const fn descriptor(
    type_name: &'static str,
    uid: &'static str,
    location: SourceLocation,
) -> OperatorDescriptor {
    const SLOT: SlotDescriptor =
        SlotDescriptor { name: "files", kind: Union::KIND, keyed: false, version: 1 };
    OperatorDescriptor { type_name, uid, slots: &[SLOT], params: &["path"], location }
}

impl<F: Format> Sink for FileSink<F> {
    type In = F::In;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        F::check(&self.path)?;
        let (output, kept) = OutputFile::open(&self.path, ctx, self.files.rows())?;
        (self.open, self.kept) = (Some(F::begin(output)?), kept);
        Ok(())
    }

    #[inline]
    fn on_data(&mut self, value: F::In) -> Result<()> {
        self.open.as_mut().map_or(Ok(()), |format| format.write(&value))
    }

    fn flush(&mut self) -> Result<()> {
        self.open.as_mut().map_or(Ok(()), F::flush)
    }

    fn on_barrier(&mut self) -> Result<()> {
        self.flush()?;
        let own = self.open.as_ref().map(|format| format.output().sync()).transpose()?;
        self.files.set(own.into_iter().chain(self.kept.iter().cloned()).collect());
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        // A clean end has flushed before. Records that still wait are those of a job that failed.
        self.open.take().map(|format| format.output().sync()).transpose()?;
        Ok(())
    }
}

impl<F: Format> OperatorFields for FileSink<F> {
    const DESCRIPTOR: OperatorDescriptor = F::DESCRIPTOR;

    const UID_IS_DEFAULT: bool = true;

    fn to_params(&self, params: &mut Params) -> Result<(), ParamError> {
        self.path.write("path", params)
    }

    fn from_params(params: &Params) -> Result<Self, ParamError> {
        Ok(Self::new(Param::read("path", params)?))
    }

    fn path(params: &Params) -> Option<String> {
        params.get("path").cloned()
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        StateSlot::visit(&mut self.files, "files", visitor)
    }
}
