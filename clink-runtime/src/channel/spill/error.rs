//! Says why records could not be put into a temporary file or read back, and what to do about it.

use std::path::PathBuf;

use crate::error::{Domain, Retry};
use crate::sys::files::{self, FileError};

/// Why a queue could not put records into its temporary file or read them back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpillError {
    /// The system refused the file.
    #[error(
        "{file}; what a queue holds beyond {memory_bytes} bytes of memory is kept there: mend \
         that, or {other_folder}"
    )]
    File {
        /// What the system said, about which folder.
        file: FileError,
        /// What the queue may keep in memory.
        memory_bytes: usize,
        /// How another folder is chosen.
        other_folder: String,
    },
    /// The file is not what was written.
    #[error(
        "the temporary file in {} is damaged: {check} is {found}, expected {expected}; the records \
         in it are lost, so start again, and {other_folder}",
        folder.display()
    )]
    Damaged {
        /// The folder of the file, which has no name.
        folder: PathBuf,
        /// What was compared, `length` or `crc32`.
        check: &'static str,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
        /// How another folder is chosen.
        other_folder: String,
    },
    /// One value is longer than a column can hold.
    #[error(
        "put a record into a temporary file: a value of type {type_name} owns {bytes} bytes, a \
         column holds at most {bytes_max}; emit smaller values"
    )]
    TooLong {
        /// The type of the records.
        type_name: String,
        /// What the value owns.
        bytes: usize,
        /// What a column can hold.
        bytes_max: usize,
    },
    /// The type's columns are not what it says, or do not give back its values.
    #[error("{action} records of type {type_name}: {reason}")]
    Columns {
        /// `encode` or `decode`.
        action: &'static str,
        /// The type of the records.
        type_name: String,
        /// What does not fit.
        reason: String,
    },
}

impl SpillError {
    /// Who can mend it.
    pub fn domain(&self) -> Domain {
        match self {
            Self::File { .. } | Self::Damaged { .. } => Domain::External,
            Self::TooLong { .. } | Self::Columns { .. } => Domain::Author,
        }
    }

    /// What may be done next: the disk may recover, a value stays as long as it is.
    pub fn retry(&self) -> Retry {
        match self {
            Self::File { .. } => Retry::Backoff,
            Self::Damaged { .. } => Retry::Restart,
            Self::TooLong { .. } | Self::Columns { .. } => Retry::Never,
        }
    }
}

/// Where a queue puts what exceeds its memory, for its messages.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The folder of the file.
    pub(super) folder: PathBuf,
    /// What the queue may keep in memory.
    pub(super) memory_bytes: usize,
    other_folder: String,
}

impl Place {
    /// The folder that was chosen, else the system's for temporary files.
    pub(super) fn new(folder: Option<PathBuf>, memory_bytes: usize) -> Self {
        match folder {
            Some(folder) => {
                Self { folder, memory_bytes, other_folder: "choose another folder".into() }
            }
            None => Self {
                folder: files::temporary_folder(),
                memory_bytes,
                other_folder: format!(
                    "name another folder with {}",
                    files::TEMPORARY_FOLDER_VARIABLE
                ),
            },
        }
    }

    /// The system refused to do that to the file.
    pub(super) fn refused(&self, action: &'static str, error: FileError) -> SpillError {
        SpillError::File {
            file: FileError { action, ..error },
            memory_bytes: self.memory_bytes,
            other_folder: self.other_folder.clone(),
        }
    }

    /// The file does not hold what was written.
    pub(super) fn damaged(
        &self,
        check: &'static str,
        expected: String,
        found: String,
    ) -> SpillError {
        let other_folder = self.other_folder.clone();
        SpillError::Damaged { folder: self.folder.clone(), check, expected, found, other_folder }
    }
}
