//! Opens a file as a stream of bytes: plain, gzip or a pipe.

use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::sys::files::{self, File, FileError};

use super::BLOCK_BYTES;
use super::error::FileSourceError;

/// The first two bytes of every gzip member (RFC 1952 §2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// An open file.
pub(super) enum Input {
    /// Bytes as they are, readable from anywhere.
    Plain {
        /// At the next byte to read.
        file: File,
        /// Its length when it was opened.
        bytes: u64,
    },
    /// Compressed bytes, readable in order.
    Gzip {
        /// Reads all members, one after the other.
        decoder: MultiGzDecoder<BufReader<File>>,
        /// Length of the compressed file when it was opened.
        bytes: u64,
    },
    /// Bytes that come once, compressed or not.
    Pipe(Box<dyn Read + Send>),
}

impl Input {
    /// Opens the file at its first byte.
    pub(super) fn open(name: &str) -> Result<Self, FileSourceError> {
        let path = Path::new(name);
        if files::is_folder(path) {
            return Err(FileSourceError::Folder { path: name.to_owned() });
        }
        let mut file = files::open(path).map_err(unopened)?;
        let failed = |error| FileError::new("read", path, error);
        let mut head = Vec::new();
        (&mut file).take(2).read_to_end(&mut head).map_err(failed)?;
        let is_gzip = head == GZIP_MAGIC;
        if is_pipe(name) {
            let whole = Cursor::new(head).chain(file);
            return Ok(Self::Pipe(match is_gzip {
                true => Box::new(MultiGzDecoder::new(BufReader::new(whole))),
                false => Box::new(whole),
            }));
        }
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let bytes = files::size(path)?;
        Ok(match is_gzip {
            true => {
                let compressed = BufReader::with_capacity(BLOCK_BYTES, file);
                Self::Gzip { decoder: MultiGzDecoder::new(compressed), bytes }
            }
            false => Self::Plain { file, bytes },
        })
    }

    /// The length of a plain file.
    pub(super) fn plain_bytes(&self) -> Option<u64> {
        match self {
            Self::Plain { bytes, .. } => Some(*bytes),
            Self::Gzip { .. } | Self::Pipe(_) => None,
        }
    }

    /// Compressed bytes taken in so far, and in all.
    pub(super) fn compressed(&self) -> Option<(u64, u64)> {
        let Self::Gzip { decoder, bytes } = self else { return None };
        let taken = decoder.get_ref().get_ref().stream_position().ok()?;
        Some((taken.min(*bytes), *bytes))
    }

    /// Goes to an offset, if the input lets one.
    pub(super) fn seek(&mut self, position: u64) -> Option<io::Result<u64>> {
        match self {
            Self::Plain { file, .. } => Some(file.seek(SeekFrom::Start(position))),
            Self::Gzip { .. } | Self::Pipe(_) => None,
        }
    }

    /// Reads some bytes; none at the end.
    pub(super) fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            let result = match self {
                Self::Plain { file, .. } => file.read(room),
                Self::Gzip { decoder, .. } => decoder.read(room),
                Self::Pipe(reader) => reader.read(room),
            };
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

/// True if what stands at the path can be read only once, so that it must not be looked at before.
pub(super) fn is_pipe(name: &str) -> bool {
    let path = Path::new(name);
    path.exists() && !path.is_file() && !path.is_dir()
}

/// Adds the folder that a relative path of no file was looked for in.
fn unopened(error: FileError) -> FileSourceError {
    if !error.is_not_found() {
        return error.into();
    }
    FileSourceError::NotFound { error, folder: files::current_folder() }
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain { .. } => "Plain",
            Self::Gzip { .. } => "Gzip",
            Self::Pipe(_) => "Pipe",
        })
    }
}
