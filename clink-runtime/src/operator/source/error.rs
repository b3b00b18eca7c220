//! Says why a file could not be read as the records asked for, and where.

use std::fmt;

use crate::sys::files::FileError;

use super::RECORD_BYTES_MAX;

/// Longest part of a faulty record that a message shows, in characters: about a terminal line.
const PREVIEW_CHARS_MAX: usize = 80;

/// A file that cannot be read, or not from where it should.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileSourceError {
    /// There is no such file.
    #[error("{error} (the current folder is {folder})")]
    NotFound {
        /// What the system said.
        error: FileError,
        /// Where relative paths start.
        folder: String,
    },
    /// The path names a folder.
    #[error("read {path}: it is a folder, not a file")]
    Folder {
        /// The path.
        path: String,
    },
    /// The system refused to open the file.
    #[error(transparent)]
    Open(#[from] FileError),
    /// The system, or the decompression, failed in the middle.
    #[error("read {path}: after byte {byte}: {error}")]
    Read {
        /// The file.
        path: String,
        /// Bytes that could be read; of the uncompressed stream if the file is gzip.
        byte: u64,
        /// What went wrong.
        error: std::io::Error,
    },
    /// The file has lost bytes since it was divided, or since the checkpoint.
    #[error("read {path}: it should go on to byte {expected} and ends at byte {found}")]
    Shorter {
        /// The file.
        path: String,
        /// Where it should end, at least.
        expected: u64,
        /// Where it ends.
        found: u64,
    },
    /// The checkpoint speaks of another file.
    ///
    /// Paths are compared as they are spelled: a relative one and its absolute form are two.
    #[error(
        "restore {path}: the checkpoint covers the input file {found}; give the source the path \
         it had, or start without the checkpoint (--restore none)"
    )]
    OtherPath {
        /// The path of the source.
        path: String,
        /// The file in the checkpoint.
        found: String,
    },
    /// What stands before the saved position is not the end of a record.
    #[error(
        "read {path}: no record ends at byte {byte}, where the checkpoint left off: \
         it is another file, or has been changed"
    )]
    Changed {
        /// The file.
        path: String,
        /// The saved position.
        byte: u64,
    },
    /// The file has no header line.
    #[error("read {path}: expected a header line, found an empty file")]
    NoHeader {
        /// The file.
        path: String,
    },
    /// The header names a column twice.
    #[error("read {path}: the header names the column `{column}` twice; it is: {header}")]
    DuplicateColumn {
        /// The file.
        path: String,
        /// The column.
        column: String,
        /// All columns.
        header: String,
    },
    /// The header lacks a column that the type needs.
    #[error("read {path}: the header has no column `{column}`; it is: {header}")]
    MissingColumn {
        /// The file.
        path: String,
        /// The column.
        column: String,
        /// All columns.
        header: String,
    },
    /// A field of the type does not fit into one cell.
    #[error("read {path}: the field `{column}` is a struct, and a CSV cell holds a single value")]
    Nested {
        /// The file.
        path: String,
        /// The field.
        column: String,
    },
}

/// A record of a file that does not fit its type.
///
/// Displayed as `data/x.csv:17: column `dep_delay`: expected an integer, found `abc` (byte 1204)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// The file.
    pub file: String,
    /// The line the record starts in, from 1; `None` if the file cannot be read again: a pipe.
    pub line: Option<u64>,
    /// Offset of the record's first byte; in the uncompressed stream if the file is gzip.
    pub byte: u64,
    /// The column at fault, if it is one.
    pub column: Option<String>,
    /// What was expected and what was found.
    pub reason: String,
    /// How the record begins.
    pub preview: String,
}

impl RecordError {
    /// The reason given for a record that is too long.
    pub(super) fn too_long(limit: usize) -> String {
        let unit =
            if limit == RECORD_BYTES_MAX { "16 MiB".to_owned() } else { format!("{limit} B") };
        format!("expected a record of at most {unit}, found a longer one")
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        match &self.column {
            Some(column) => write!(f, " column `{column}`: {} (byte {})", self.reason, self.byte),
            None => write!(f, " {} (byte {}): {}", self.reason, self.byte, self.preview),
        }
    }
}

impl std::error::Error for RecordError {}

/// The beginning of a record in printable form.
#[cold]
pub(super) fn preview(record: &[u8]) -> String {
    // A character has at most four bytes, so no more of a huge record needs to be looked at.
    let head = record.get(..4 * PREVIEW_CHARS_MAX).unwrap_or(record);
    let text = String::from_utf8_lossy(head);
    let text = text.trim_ascii_end();
    let mut shown: String = text.chars().take(PREVIEW_CHARS_MAX).collect();
    let is_cut = head.len() < record.len() || text.chars().nth(PREVIEW_CHARS_MAX).is_some();
    if is_cut {
        shown.push('…');
    }
    // Quotes stay as they are: the text is JSON or CSV and full of them.
    shown.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
