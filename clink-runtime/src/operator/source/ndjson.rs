//! Reads files of JSON values, one a line.

use std::marker::PhantomData;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::data::Data;
use crate::error::Result;
use crate::operator::{OperatorFields, Param, ParamError, Params};
use crate::state::{StateError, StateVisitor};

use super::super::context::{RuntimeContext, SourceContext};
use super::super::contract::{Produced, Progress, Source};
use super::blocks::Blocks;
use super::reader::{FileReader, Format};
use super::records::line_borders;
use super::split::FileSplit;

/// A source of the lines of an NDJSON file; made by [`ndjson`](super::ndjson()).
///
/// A line holds one JSON value and white space, nothing else; fields the type does not have are
/// ignored. A line of white space alone is skipped.
#[derive(Debug)]
pub struct NdjsonSource<T: Data> {
    pub(super) reader: FileReader<NdjsonLines<T>>,
}

impl<T: Data> NdjsonSource<T> {
    pub(super) fn new(path: String) -> Self {
        Self { reader: FileReader::new(path) }
    }
}

impl<T: Data> Source for NdjsonSource<T> {
    type Out = T;
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

    fn open(&mut self, splits: Vec<FileSplit>, _ctx: &RuntimeContext) -> Result<()> {
        self.reader.open(splits)
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, T>) -> Result<Produced> {
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

impl<T: Data> OperatorFields for NdjsonSource<T> {
    const DESCRIPTOR: OperatorDescriptor = OperatorDescriptor {
        type_name: "ndjson_source",
        uid: "ndjson-source",
        slots: &[],
        params: &["path"],
        location: SourceLocation::caller(),
    };

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

/// The lines of a file as values.
#[derive(Debug)]
pub(super) struct NdjsonLines<T>(PhantomData<fn() -> T>);

impl<T: Data> Format for NdjsonLines<T> {
    type Out = T;

    fn begin(_blocks: &mut Blocks) -> Result<Self> {
        Ok(Self(PhantomData))
    }

    #[inline]
    fn next(&mut self, blocks: &mut Blocks) -> Result<Option<T>> {
        loop {
            let Some(line) = blocks.next_line()? else { return Ok(None) };
            let mut json = serde_json::Deserializer::from_slice(line.bytes);
            match T::deserialize(&mut json).and_then(|value| json.end().map(|()| value)) {
                Ok(value) => return Ok(Some(value)),
                Err(_) if line.bytes.trim_ascii().is_empty() => {}
                Err(error) => {
                    let (start, preview) = (line.start, super::error::preview(line.bytes));
                    return Err(blocks.record_error(start, None, json_reason(&error), preview));
                }
            }
        }
    }

    fn borders(blocks: &mut Blocks, targets: &[u64]) -> Result<Vec<u64>> {
        line_borders(blocks, targets)
    }
}

/// What serde_json says, with the place in the line: its own line number is always 1.
fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(reason) => format!("{reason}, at byte {} of the line", error.column()),
        None => text,
    }
}
