//! Is the sink of every file format: an output file in step with checkpoints, with a path as its
//! parameter.

use clink_plan::descriptor::{OperatorDescriptor, SlotDescriptor, SourceLocation};

use crate::error::Result;
use crate::operator::{OperatorFields, Param, ParamError, Params};
use crate::state::{Redistribution, StateError, StateSlot, StateVisitor, Union};

use super::super::contract::Sink;
use super::super::runtime_context::RuntimeContext;
use super::format::Format;
use super::output::{self, FileRow, FileRows};
use super::parts::{PartsSink, Rotation};
use super::writer::OutputFile;

/// A format whose files may be cut after any record and gone on with.
pub trait FileFormat: Format {
    /// What the graph knows of a sink that writes one file per instance.
    const FILE: OperatorDescriptor;
}

/// A sink of records to a file in format `F`, each exactly once also after a restore.
///
/// What was written since the last checkpoint stays readable in the file; a restore cuts it off
/// before it is written again. A path that ends in `.gz` or `.zst` makes a compressed file; a
/// member of it ends at every checkpoint, and what was written since can be read a second later, if
/// the input has run dry since then.
#[derive(Debug)]
pub struct FileSink<F> {
    path: String,
    files: FileRows,
    /// Rows of files that have no writer any more.
    kept: Vec<FileRow>,
    open: Option<F>,
}

impl<F: FileFormat> FileSink<F> {
    pub(super) fn new(path: String) -> Self {
        Self { path, files: FileRows::default(), kept: Vec::new(), open: None }
    }

    /// Writes a folder of parts instead of one file per instance: the path is that of the folder,
    /// and a part is finished as the rotation says.
    pub fn rotate(self, rotation: Rotation) -> PartsSink<F> {
        PartsSink::new(self.path, rotation)
    }

    /// Does something with the output, once all records have reached it.
    fn with_output(&mut self, act: impl FnOnce(&mut OutputFile) -> Result<()>) -> Result<()> {
        let Some(format) = self.open.take() else { return Ok(()) };
        let mut output = format.into_output()?;
        act(&mut output)?;
        self.open = Some(F::begin(output)?);
        Ok(())
    }
}

/// The state of every sink to files.
pub(super) const FILES: SlotDescriptor =
    SlotDescriptor { name: "files", kind: Union::KIND, keyed: false, version: 1 };

/// What the graph knows of a sink that writes one file per instance.
pub(super) const fn descriptor(
    type_name: &'static str,
    uid: &'static str,
    location: SourceLocation,
) -> OperatorDescriptor {
    OperatorDescriptor { type_name, uid, slots: &[FILES], params: &["path"], location }
}

impl<F: FileFormat> Sink for FileSink<F> {
    type In = F::In;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        F::check(&self.path)?;
        let (output, kept) = output::open(&self.path, ctx, self.files.rows())?;
        (self.open, self.kept) = (Some(F::begin(output)?), kept);
        Ok(())
    }

    #[inline]
    fn on_data(&mut self, value: F::In) -> Result<()> {
        self.open.as_mut().map_or(Ok(()), |format| format.write(value))
    }

    fn flush(&mut self) -> Result<()> {
        self.with_output(OutputFile::show)
    }

    fn on_barrier(&mut self) -> Result<()> {
        let mut own = None;
        self.with_output(|output| {
            output.complete()?;
            own = Some(output.sync()?);
            Ok(())
        })?;
        self.files.set(own.into_iter().chain(self.kept.iter().cloned()).collect());
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.with_output(OutputFile::complete_last)
    }

    fn close(&mut self) -> Result<()> {
        // A clean end has finished before. Records that still wait are those of a job that failed.
        self.open.take().map(|format| format.into_output()?.sync()).transpose()?;
        Ok(())
    }
}

impl<F: FileFormat> OperatorFields for FileSink<F> {
    const DESCRIPTOR: OperatorDescriptor = F::FILE;

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
