//! Says why an output file could not be begun, gone on with or written.

/// Why an output file could not be begun or gone on with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileSinkError {
    /// The folder for the file is not there.
    #[error("create {path}: the folder {folder} does not exist (the current folder is {current})")]
    NoFolder {
        /// The file.
        path: String,
        /// Its folder.
        folder: String,
        /// Where relative paths start.
        current: String,
    },
    /// Somebody else writes to the file.
    #[error(
        "open {path}: another sink or another process writes to it; give one of them another path"
    )]
    InUse {
        /// The file.
        path: String,
    },
    /// A device or a pipe: it can be neither cut nor brought onto the disk.
    #[error(
        "open {path}: it is not a file; `print()` writes to standard output, `blackhole()` nowhere"
    )]
    NotAFile {
        /// What was to be the file.
        path: String,
    },
    /// The file has lost what the checkpoint relies on.
    #[error("restore {path}: the checkpoint covers {expected} bytes, found {found}")]
    Shorter {
        /// The file.
        path: String,
        /// Bytes at the checkpoint.
        expected: u64,
        /// Bytes now.
        found: u64,
    },
    /// The checkpoint speaks of files of another path; paths are compared as they are spelled.
    #[error(
        "restore {path}: the checkpoint covers the output file {found}; give the sink the path it \
         had, or start without the checkpoint (--restore none)"
    )]
    OtherPath {
        /// The path of the sink.
        path: String,
        /// The file in the checkpoint.
        found: String,
    },
    /// A text has a line feed in it.
    #[error(
        "a record is one line of the file, and this one has a line feed at byte {byte}: {found}"
    )]
    SeveralLines {
        /// Offset of the line feed in the text.
        byte: usize,
        /// How the text begins, in backquotes.
        found: String,
    },
    /// A field of the type has no form in a CSV cell.
    #[error("open {path}: the field `{column}` is {kind}, which has no form in a CSV cell")]
    NoCell {
        /// The file.
        path: String,
        /// The field.
        column: String,
        /// What it is.
        kind: &'static str,
    },
    /// Parts need a folder, and something else stands there.
    #[error(
        "open {path}: it is no folder, and the sink writes parts into one; give it another path"
    )]
    NotAFolder {
        /// What was to be the folder.
        path: String,
    },
    /// The checkpoint speaks of parts that this sink does not write.
    #[error(
        "restore {path}: the checkpoint covers the part {found}; give the sink the folder, the \
         format and the compression it had, or start without the checkpoint (--restore none)"
    )]
    OtherPart {
        /// The folder of the sink.
        path: String,
        /// The part in the checkpoint.
        found: String,
    },
}
