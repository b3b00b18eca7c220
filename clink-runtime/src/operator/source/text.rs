//! Reads the lines of text files as they are.

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::error::Result;

use super::blocks::{Blocks, Lined};
use super::error::{FileSourceError, preview};
use super::file::{FileSource, descriptor};
use super::reader::{FormatOptions, Next, NoOptions};
use super::records::line_borders;
use super::text_reader::TextFormat;

/// A source of the lines of text files; made by [`text`](super::text()).
///
/// A line ends with LF or CRLF, neither of which is part of the record. A blank line is a record,
/// the empty string. A line that is not UTF-8 is an error.
pub type TextSource = FileSource<TextLines>;

/// The lines of a file as strings.
#[derive(Debug)]
pub struct TextLines;

impl TextFormat for TextLines {
    const DESCRIPTOR: OperatorDescriptor = descriptor(
        "file_text_source",
        "file-text-source",
        NoOptions::PARAMS,
        SourceLocation::caller(),
    );

    type Out = String;
    type Options = NoOptions;

    fn begin(_blocks: &mut Blocks, _options: &NoOptions) -> Result<Option<Self>> {
        Ok(Some(Self))
    }

    #[inline]
    fn next(&mut self, blocks: &mut Blocks) -> Result<Next<String>, FileSourceError> {
        let line = match blocks.next_line()? {
            Lined::Line(line) => line,
            Lined::TooLong(record) => return Ok(Next::Bad(record)),
            Lined::Later => return Ok(Next::Later),
            Lined::End => return Ok(Next::End),
        };
        let bytes = match line.bytes {
            [text @ .., b'\r', b'\n'] | [text @ .., b'\n'] | text => text,
        };
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Next::Record(text.to_owned())),
            Err(error) => {
                let (start, begin) = (line.start, preview(bytes));
                let at = error.valid_up_to() + 1;
                let reason = format!("expected UTF-8, found something else at byte {at}");
                Ok(Next::Bad(blocks.record_error(start, None, reason, begin)))
            }
        }
    }

    fn borders(
        blocks: &mut Blocks,
        targets: &[u64],
        _options: &NoOptions,
    ) -> Result<Vec<u64>, FileSourceError> {
        line_borders(blocks, targets)
    }
}
