//! Compresses what a sink writes, in members that end where a checkpoint may cut.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use zstd::stream::write::Encoder;

/// How a sink compresses what it writes.
///
/// Either way the output is a sequence of members (frames, in Zstandard's words), each complete in
/// itself: whoever reads such files reads all members, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// RFC 1952, at the level that `gzip` has by default; every program reads it.
    Gzip,
    /// RFC 8878, at the level that `zstd` has by default: smaller, and several times faster.
    Zstd,
}

impl Compression {
    /// The compression that a file's name asks for.
    pub(super) fn of_name(path: &str) -> Option<Self> {
        [Self::Gzip, Self::Zstd].into_iter().find(|known| path.ends_with(known.suffix()))
    }

    /// How names of such files end.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

/// Compresses bytes on their way into a file.
///
/// A member is kept in memory until the compressor hands bytes out, and is ended by
/// [`end`](Self::end) only: one that is dropped, because the job failed, writes nothing more.
pub(super) struct Compressor {
    compression: Compression,
    member: Option<Member>,
}

/// A member at work, and what it has handed out.
enum Member {
    Gzip(GzEncoder<Vec<u8>>),
    Zstd(Encoder<'static, Vec<u8>>),
}

impl Compressor {
    /// Between two members.
    pub(super) fn new(compression: Compression) -> Self {
        Self { compression, member: None }
    }

    /// True between two members.
    pub(super) fn is_idle(&self) -> bool {
        self.member.is_none()
    }

    /// Takes bytes in, and writes what becomes of them as far as that is known.
    pub(super) fn write(&mut self, bytes: &[u8], file: &mut impl Write) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let member = self.member()?;
        match member {
            Member::Gzip(encoder) => encoder.write_all(bytes)?,
            Member::Zstd(encoder) => encoder.write_all(bytes)?,
        }
        member.hand_over(file)
    }

    /// Writes enough for a reader to see all that was taken in; the member goes on.
    pub(super) fn flush(&mut self, file: &mut impl Write) -> io::Result<()> {
        let Some(member) = &mut self.member else { return Ok(()) };
        match member {
            Member::Gzip(encoder) => encoder.flush()?,
            Member::Zstd(encoder) => encoder.flush()?,
        }
        member.hand_over(file)
    }

    /// Ends the member; without one there is nothing to end.
    pub(super) fn end(&mut self, file: &mut impl Write) -> io::Result<()> {
        let Some(member) = self.member.take() else { return Ok(()) };
        let last = match member {
            Member::Gzip(encoder) => encoder.finish()?,
            Member::Zstd(encoder) => encoder.finish()?,
        };
        file.write_all(&last)
    }

    /// Begins a member, though there may be nothing to put into it: a file without any is not of
    /// its format.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        self.member().map(drop)
    }

    /// The member at work, begun if there is none.
    fn member(&mut self) -> io::Result<&mut Member> {
        let member = match self.member.take() {
            Some(member) => member,
            None => Member::begin(self.compression)?,
        };
        Ok(self.member.insert(member))
    }
}

impl Member {
    fn begin(compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::Gzip => {
                Self::Gzip(GzEncoder::new(Vec::new(), flate2::Compression::default()))
            }
            Compression::Zstd => {
                let mut encoder = Encoder::new(Vec::new(), zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                Self::Zstd(encoder)
            }
        })
    }

    fn hand_over(&mut self, file: &mut impl Write) -> io::Result<()> {
        let waiting = match self {
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Zstd(encoder) => encoder.get_mut(),
        };
        file.write_all(waiting)?;
        waiting.clear();
        Ok(())
    }
}

impl std::fmt::Debug for Compressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Compressor({:?})", self.compression)
    }
}
