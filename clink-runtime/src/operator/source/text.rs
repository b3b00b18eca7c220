//! Reads the lines of text files as they are.

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::error::Result;

use super::blocks::Blocks;
use super::error::preview;
use super::file::{FileSource, descriptor};
use super::reader::Format;
use super::records::line_borders;

/// A source of the lines of a text file; made by [`text`](super::text()).
///
/// A line ends with LF or CRLF, neither of which is part of the record. A blank line is a record,
/// the empty string. A line that is not UTF-8 is an error.
pub type TextSource = FileSource<TextLines>;

/// The lines of a file as strings.
#[derive(Debug)]
pub struct TextLines;

impl Format for TextLines {
    const DESCRIPTOR: OperatorDescriptor =
        descriptor("file_text_source", "file-text-source", SourceLocation::caller());

    type Out = String;

    fn begin(_blocks: &mut Blocks) -> Result<Self> {
        Ok(Self)
    }

    #[inline]
    fn next(&mut self, blocks: &mut Blocks) -> Result<Option<String>> {
        let Some(line) = blocks.next_line()? else { return Ok(None) };
        let bytes = match line.bytes {
            [text @ .., b'\r', b'\n'] | [text @ .., b'\n'] | text => text,
        };
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(error) => {
                let (start, begin) = (line.start, preview(bytes));
                let at = error.valid_up_to() + 1;
                let reason = format!("expected UTF-8, found something else at byte {at}");
                Err(blocks.record_error(start, None, reason, begin))
            }
        }
    }

    fn borders(blocks: &mut Blocks, targets: &[u64]) -> Result<Vec<u64>> {
        line_borders(blocks, targets)
    }
}
