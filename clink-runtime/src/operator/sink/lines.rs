//! Writes records to a file, one a line, whatever their form.

use std::marker::PhantomData;

use clink_plan::descriptor::OperatorDescriptor;

use crate::data::Data;
use crate::error::Result;

use super::file::FileFormat;
use super::format::Format;
use super::writer::OutputFile;

/// How a record becomes a line.
pub trait LineForm: Sized + Send + 'static {
    /// What the graph knows of a sink that writes one file of such lines per instance.
    const FILE: OperatorDescriptor;

    /// What it knows of one that writes a folder of parts.
    const PARTS: OperatorDescriptor;

    /// How the names of such files end, without a dot.
    const EXTENSION: &'static str;

    /// What becomes a line.
    type In: Data;

    /// Writes the line behind others, without its end.
    fn append(value: &Self::In, lines: &mut Vec<u8>) -> Result<()>;
}

/// A file of lines.
#[derive(Debug)]
pub struct Lines<L> {
    output: OutputFile,
    form: PhantomData<fn(L)>,
}

impl<L: LineForm> FileFormat for Lines<L> {
    const FILE: OperatorDescriptor = L::FILE;
}

impl<L: LineForm> Format for Lines<L> {
    const PARTS: OperatorDescriptor = L::PARTS;

    const EXTENSION: &'static str = L::EXTENSION;

    type In = L::In;

    fn begin(output: OutputFile) -> Result<Self> {
        Ok(Self { output, form: PhantomData })
    }

    #[inline]
    fn write(&mut self, value: L::In) -> Result<()> {
        let lines = self.output.buffer();
        L::append(&value, lines)?;
        lines.push(b'\n');
        Ok(self.output.spill()?)
    }

    #[inline]
    fn bytes(&mut self) -> Result<u64> {
        Ok(self.output.bytes())
    }

    fn into_output(self) -> Result<OutputFile> {
        Ok(self.output)
    }
}
