//! Says why a file could not be read as the records asked for, and where.

use std::fmt;

use crate::data::DataError;
use crate::sys::files::{FileError, reason};

/// Longest part of a faulty record that a message shows, in characters: about a terminal line.
const SHOWN_CHARS_MAX: usize = 80;

/// Longest part of a faulty record that is kept, in bytes: enough to see what it was.
const PREVIEW_BYTES_MAX: usize = 512;

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
    /// There is nothing to read in the folder.
    #[error("read {path}: the folder holds no file (hidden ones do not count)")]
    EmptyFolder {
        /// The folder.
        path: String,
    },
    /// No file matches the pattern.
    #[error("read {path}: no file matches (the current folder is {folder})")]
    NoMatch {
        /// The pattern.
        path: String,
        /// Where relative paths start.
        folder: String,
    },
    /// The name of a file is no text, so that no checkpoint could speak of it.
    #[error("read {path}: the name is not UTF-8; rename the file")]
    NotText {
        /// The name, as far as it can be shown.
        path: String,
    },
    /// Nobody answers.
    #[error("connect to {peer}: {}", reason(.error))]
    Connect {
        /// `HOST:PORT`.
        peer: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The address of a peer is none.
    #[error("read {path}: expected `tcp://HOST:PORT`")]
    Peer {
        /// The path.
        path: String,
    },
    /// The format is read here and there in a file, and the path names what comes once.
    #[error("read {path}: Parquet is read from files, not from a stream: save it in one first")]
    Stream {
        /// The path.
        path: String,
    },
    /// A character that cannot stand between cells.
    #[error(
        "read CSV: expected a delimiter that is one character of ASCII, no quote and no line end, \
         found `{}`", .delimiter.escape_debug()
    )]
    Delimiter {
        /// The character.
        delimiter: char,
    },
    /// Only files can be followed.
    #[error(
        "follow {path}: only a file, a folder or a pattern can be followed; {what} is read \
             as it comes anyway"
    )]
    CannotFollow {
        /// The path.
        path: String,
        /// What it names.
        what: &'static str,
    },
    /// A followed file was taken away with bytes that have not been read.
    #[error(
        "restore {path}: the checkpoint left the file at byte {byte} of {bytes}, and it is no \
         longer there, under this name or another one in its folder; bring it back, or start \
         without the checkpoint (--restore none)"
    )]
    Gone {
        /// The file.
        path: String,
        /// Where it was left.
        byte: u64,
        /// How long it was.
        bytes: u64,
    },
    /// The system refused to open the file.
    #[error(transparent)]
    Open(#[from] FileError),
    /// The system, or the decompression, failed in the middle.
    #[error("read {path}: after byte {byte}: {}", reason(.error))]
    Read {
        /// The file.
        path: String,
        /// Bytes that could be read; of the uncompressed stream if the file is gzip.
        byte: u64,
        /// What went wrong.
        error: std::io::Error,
    },
    /// The file has lost bytes since it was divided, or since the checkpoint.
    #[error("read {path}: it should go on to {unit} {expected} and ends at {unit} {found}")]
    Shorter {
        /// The file.
        path: String,
        /// What is counted: `byte` or `row`.
        unit: &'static str,
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
    /// The columns of a file are not those of the type.
    #[error("read {path}: {error}{help}")]
    Columns {
        /// The file.
        path: String,
        /// What is wrong.
        error: DataError,
        /// What may be done about it; empty where nothing is known.
        help: &'static str,
    },
    /// The file is not what it should be, or is damaged.
    #[error("read {path}: {error}")]
    Damaged {
        /// The file.
        path: String,
        /// What its reader says.
        error: Box<dyn std::error::Error + Send + Sync>,
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
    /// The file; empty if it comes from an operator.
    pub file: String,
    /// The line the record starts in, from 1; `None` if the file has none, or it cannot be told.
    pub line: Option<u64>,
    /// The row, from 1, of a file that has rows instead of bytes: Parquet.
    pub row: Option<u64>,
    /// Offset of the record's first byte, in the unpacked stream if the file is compressed; `None`
    /// if it has a row, or comes from an operator.
    pub byte: Option<u64>,
    /// The column at fault, if it is one.
    pub column: Option<String>,
    /// What was expected and what was found.
    pub reason: String,
    /// How the record begins: 512 bytes at most.
    pub preview: String,
}

impl RecordError {
    /// A record that reached an operator and cannot be used there.
    pub(in crate::operator) fn in_operator(reason: String, record: &str) -> Self {
        Self {
            file: String::new(),
            line: None,
            row: None,
            byte: None,
            column: None,
            reason,
            preview: preview(record.as_bytes()),
        }
    }

    /// The reason given for a record that is too long.
    pub(super) fn too_long(limit: usize) -> String {
        let unit = if limit > 0 && limit.is_multiple_of(1 << 20) {
            format!("{} MiB", limit >> 20)
        } else {
            format!("{limit} B")
        };
        format!("expected a record of at most {unit} (--max-record-bytes), found a longer one")
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Who says it names the operator.
        let file = if self.file.is_empty() { "bad record" } else { &self.file };
        write!(f, "{file}:")?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        if let Some(row) = self.row {
            write!(f, " row {row}:")?;
        }
        if let Some(column) = &self.column {
            write!(f, " column `{column}`:")?;
        }
        write!(f, " {}", self.reason)?;
        if let Some(byte) = self.byte {
            write!(f, " (byte {byte})")?;
        }
        if self.column.is_none() && !self.preview.is_empty() {
            write!(f, ": {}", shown(&self.preview))?;
        }
        Ok(())
    }
}

impl std::error::Error for RecordError {}

/// The beginning of a record as text.
#[cold]
pub(super) fn preview(record: &[u8]) -> String {
    let head = record.get(..PREVIEW_BYTES_MAX).unwrap_or(record);
    let mut text = String::from_utf8_lossy(head).trim_ascii_end().to_owned();
    if head.len() < record.len() {
        // A character that was cut in two is none of the record's.
        text.truncate(text.trim_end_matches(char::REPLACEMENT_CHARACTER).len());
        text.push('…');
    }
    text
}

/// The beginning of a text on one line.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    if text.chars().nth(SHOWN_CHARS_MAX).is_some() {
        shown.push('…');
    }
    // Quotes stay as they are: the text is JSON or CSV and full of them.
    shown.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
