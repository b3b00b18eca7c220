//! Is the source of every file format: a reader of its splits, with a path as its parameter.

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::error::Result;
use crate::operator::{OperatorFields, Param, ParamError, Params};
use crate::state::{StateError, StateVisitor};

use super::super::context::{RuntimeContext, SourceContext};
use super::super::contract::{Produced, Progress, Source};
use super::reader::{FileReader, Format};
use super::split::FileSplit;

/// A source of the records of a file in format `F`.
#[derive(Debug)]
pub struct FileSource<F> {
    pub(super) reader: FileReader<F>,
}

impl<F: Format> FileSource<F> {
    pub(super) fn new(path: String) -> Self {
        Self { reader: FileReader::new(path) }
    }
}

/// What the graph knows of a source of files.
pub(super) const fn descriptor(
    type_name: &'static str,
    uid: &'static str,
    location: SourceLocation,
) -> OperatorDescriptor {
    OperatorDescriptor { type_name, uid, slots: &[], params: &["path"], location }
}

impl<F: Format> Source for FileSource<F> {
    type Out = F::Out;
    type Split = FileSplit;

    fn is_bounded(&self) -> bool {
        true
    }

    fn unsplittable(&self) -> Option<String> {
        self.reader.unsplittable()
    }

    fn splits(&self, wanted: u32) -> Result<Vec<FileSplit>> {
        self.reader.splits(wanted)
    }

    fn open(&mut self, splits: Vec<FileSplit>, ctx: &RuntimeContext) -> Result<()> {
        self.reader.open(splits, ctx.is_restored())
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, F::Out>) -> Result<Produced> {
        self.reader.produce(ctx)
    }

    fn snapshot(&mut self) -> Result<Vec<FileSplit>> {
        Ok(self.reader.snapshot())
    }

    fn progress(&self) -> Option<Progress> {
        self.reader.progress()
    }

    fn close(&mut self) -> Result<()> {
        self.reader.close();
        Ok(())
    }
}

impl<F: Format> OperatorFields for FileSource<F> {
    const DESCRIPTOR: OperatorDescriptor = F::DESCRIPTOR;

    const UID_IS_DEFAULT: bool = true;

    fn to_params(&self, params: &mut Params) -> Result<(), ParamError> {
        self.reader.path.write("path", params)
    }

    fn from_params(params: &Params) -> Result<Self, ParamError> {
        Ok(Self::new(Param::read("path", params)?))
    }

    fn visit_state(&mut self, _visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        Ok(())
    }
}
