//! Opens a file as a stream of bytes: plain, compressed or coming once.

use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sys::files::{self, File, FileError};
use crate::sys::streams;

use super::BLOCK_BYTES;
use super::error::FileSourceError;
use super::feed::{Feed, Fetched};
use super::gzip::{MAGIC as GZIP_MAGIC, Members};
use super::location::Location;

/// The first bytes of a frame of zstd (RFC 8878 §3.1.1).
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The last three of the first bytes of a frame of zstd that is to be skipped; parallel
/// compressors write one first.
const ZSTD_SKIPPED: &[u8] = &[0x2a, 0x4d, 0x18];

/// The bytes by which compressed data is known.
const MAGIC_BYTES: u64 = 4;

/// An open file.
pub(super) enum Input {
    /// Bytes as they are, readable from anywhere.
    Plain {
        /// At the next byte to read.
        file: File,
        /// Its length when it was opened.
        bytes: u64,
        /// Whether more may come behind its end.
        grows: bool,
    },
    /// Compressed bytes, readable in order.
    Packed {
        /// Unpacks them.
        reader: Bytes,
        /// Compressed bytes taken in so far.
        taken: Arc<AtomicU64>,
        /// Length of the compressed file when it was opened.
        bytes: u64,
    },
    /// Bytes that come once, compressed or not.
    Fed(Feed),
}

impl Input {
    /// Opens a file at its first byte; if it `grows`, its end is not the end.
    pub(super) fn open(name: &str, grows: bool) -> Result<Self, FileSourceError> {
        let failed = |error| FileSourceError::Read { path: name.to_owned(), byte: 0, error };
        let fed = match Location::of(name) {
            Location::Stdin => Feed::start(|| unpacked(streams::stdin())),
            Location::Socket(peer) => {
                let connection = streams::connect(peer)
                    .map_err(|error| FileSourceError::Connect { peer: peer.to_owned(), error })?;
                Feed::start(|| unpacked(connection))
            }
            Location::Pipe(_) => {
                let path = Path::new(name).to_path_buf();
                // It may take until somebody writes to it.
                Feed::start(move || unpacked(files::open(&path).map_err(|error| error.source)?))
            }
            _ => return Self::open_file(name, grows),
        };
        fed.map(Self::Fed).map_err(failed)
    }

    fn open_file(name: &str, grows: bool) -> Result<Self, FileSourceError> {
        let path = Path::new(name);
        if files::is_folder(path) {
            return Err(FileSourceError::Folder { path: name.to_owned() });
        }
        let mut file = files::open(path).map_err(unopened)?;
        let failed = |error| FileError::new("read", path, error);
        let mut head = Vec::new();
        (&mut file).take(MAGIC_BYTES).read_to_end(&mut head).map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let bytes = files::size(path)?;
        let Some(unpack) = packing(&head) else { return Ok(Self::Plain { file, bytes, grows }) };
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { file, taken: Arc::clone(&taken) };
        let reader = unpack(Box::new(counted)).map_err(failed)?;
        Ok(Self::Packed { reader, taken, bytes })
    }

    /// The length of a plain file that does not grow.
    pub(super) fn plain_bytes(&self) -> Option<u64> {
        match self {
            Self::Plain { bytes, grows: false, .. } => Some(*bytes),
            _ => None,
        }
    }

    /// Compressed bytes taken in so far, and in all.
    pub(super) fn compressed(&self) -> Option<(u64, u64)> {
        let Self::Packed { taken, bytes, .. } = self else { return None };
        Some((taken.load(Ordering::Relaxed).min(*bytes), *bytes))
    }

    /// True if it cannot be opened again to read the same bytes.
    pub(super) fn comes_once(&self) -> bool {
        matches!(self, Self::Fed(_))
    }

    /// True if more may come behind its end.
    pub(super) fn grows(&self) -> bool {
        matches!(self, Self::Plain { grows: true, .. })
    }

    /// From now on its end is the end.
    pub(super) fn stop_growing(&mut self) {
        if let Self::Plain { grows, .. } = self {
            *grows = false;
        }
    }

    /// Goes to an offset, if the input lets one.
    pub(super) fn seek(&mut self, position: u64) -> Option<io::Result<u64>> {
        match self {
            Self::Plain { file, .. } => Some(file.seek(SeekFrom::Start(position))),
            Self::Packed { .. } | Self::Fed(_) => None,
        }
    }

    /// Reads some bytes.
    pub(super) fn fetch(&mut self, room: &mut [u8]) -> io::Result<Fetched> {
        loop {
            let (read, grows) = match self {
                Self::Plain { file, grows, .. } => (file.read(room), *grows),
                Self::Packed { reader, .. } => (reader.read(room), false),
                Self::Fed(feed) => return feed.fetch(room),
            };
            return match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
                Ok(0) if grows => Ok(Fetched::Later),
                Ok(0) => Ok(Fetched::End),
                Ok(count) => Ok(Fetched::Bytes(count)),
            };
        }
    }
}

/// Bytes that can be read, whatever they come from.
type Bytes = Box<dyn Read + Send>;

/// How to unpack what begins with these bytes; `None` if it is not compressed.
fn packing(head: &[u8]) -> Option<fn(Bytes) -> io::Result<Bytes>> {
    if head.starts_with(GZIP_MAGIC) {
        return Some(|packed| Ok(Box::new(Members::new(buffered(packed)))));
    }
    let is_zstd = head.len() >= ZSTD_MAGIC.len() && agrees(head, ZSTD_MAGIC);
    if is_zstd || (head.len() > ZSTD_SKIPPED.len() && is_skipped(head)) {
        // All frames are read, one after the other.
        return Some(|packed| {
            Ok(Box::new(zstd::stream::read::Decoder::with_buffer(buffered(packed))?))
        });
    }
    None
}

fn buffered(packed: Bytes) -> BufReader<Bytes> {
    BufReader::with_capacity(BLOCK_BYTES, packed)
}

/// True if what is there of two texts is the same.
fn agrees(head: &[u8], magic: &[u8]) -> bool {
    head.iter().zip(magic).all(|(found, expected)| found == expected)
}

/// True if these may be the first bytes of a frame of zstd that is to be skipped.
fn is_skipped(head: &[u8]) -> bool {
    let (first, rest) = head.split_at(head.len().min(1));
    first.iter().all(|first| first & 0xf0 == 0x50) && agrees(rest, ZSTD_SKIPPED)
}

/// The bytes of what comes once, unpacked if they are compressed.
fn unpacked(mut input: impl Read + Send + 'static) -> io::Result<Bytes> {
    let mut head = Vec::new();
    // Byte by byte: a peer that has said a word of text may say no more for long.
    while packing(&head).is_none()
        && (head.len() as u64) < MAGIC_BYTES
        && (agrees(&head, GZIP_MAGIC) || agrees(&head, ZSTD_MAGIC) || is_skipped(&head))
    {
        let before = head.len();
        (&mut input).take(1).read_to_end(&mut head)?;
        if head.len() == before {
            break;
        }
    }
    let unpack = packing(&head);
    let whole: Bytes = Box::new(Cursor::new(head).chain(input));
    match unpack {
        Some(unpack) => unpack(whole),
        None => Ok(whole),
    }
}

/// A file that tells how far it has been read.
struct Counted {
    file: File,
    taken: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(room)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Adds the folder that a relative path of no file was looked for in.
pub(super) fn unopened(error: FileError) -> FileSourceError {
    if !error.is_not_found() {
        return error.into();
    }
    FileSourceError::NotFound { error, folder: files::current_folder() }
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain { .. } => "Plain",
            Self::Packed { .. } => "Packed",
            Self::Fed(_) => "Fed",
        })
    }
}
