//! Writes records to a file, one a line, whatever their form.

use std::io::Write;
use std::marker::PhantomData;

use clink_plan::descriptor::OperatorDescriptor;

use crate::data::Data;
use crate::error::Result;

use super::BUFFER_BYTES;
use super::file::Format;
use super::output::OutputFile;

/// How a record becomes a line.
pub trait LineForm: Sized + Send + 'static {
    /// What the graph knows of a sink of such lines.
    const DESCRIPTOR: OperatorDescriptor;

    /// What becomes a line.
    type In: Data;

    /// Writes the line behind others, without its end.
    fn append(value: &Self::In, lines: &mut Vec<u8>) -> Result<()>;
}

/// A file of lines, and those that wait for it.
#[derive(Debug)]
pub struct Lines<L> {
    output: OutputFile,
    lines: Vec<u8>,
    form: PhantomData<fn(L)>,
}

impl<L: LineForm> Format for Lines<L> {
    const DESCRIPTOR: OperatorDescriptor = L::DESCRIPTOR;

    type In = L::In;

    fn begin(output: OutputFile) -> Result<Self> {
        Ok(Self { output, lines: Vec::new(), form: PhantomData })
    }

    #[inline]
    fn write(&mut self, value: &L::In) -> Result<()> {
        L::append(value, &mut self.lines)?;
        self.lines.push(b'\n');
        if self.lines.len() > BUFFER_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.output.write_all(&self.lines)?;
        self.lines.clear();
        Ok(())
    }

    fn output(&self) -> &OutputFile {
        &self.output
    }
}
