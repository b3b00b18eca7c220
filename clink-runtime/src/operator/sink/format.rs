//! Is what file sinks ask of a format: how records become the bytes of a file.

use clink_plan::descriptor::OperatorDescriptor;

use crate::data::Data;
use crate::error::Result;

use super::writer::OutputFile;

/// How records are written to a file.
pub trait Format: Sized + Send + 'static {
    /// What the graph knows of a sink that writes a folder of parts.
    const PARTS: OperatorDescriptor;

    /// How the names of such files end, without a dot.
    const EXTENSION: &'static str;

    /// True if a file may be cut after any record and gone on with.
    const APPENDS: bool = true;

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
    fn write(&mut self, value: Self::In) -> Result<()>;

    /// Bytes of the file so far, as far as they are known.
    fn bytes(&mut self) -> Result<u64>;

    /// Gives the file back, with all records and what stands behind the last.
    fn into_output(self) -> Result<OutputFile>;
}
