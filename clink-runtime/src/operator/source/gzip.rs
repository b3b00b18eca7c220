//! Unpacks gzip files: all members, and nothing behind them but zeros.
//!
//! In:     compressed bytes (RFC 1952).
//! Errors: a member that breaks off or is damaged; bytes behind the last one that are neither a
//!         member nor zeros. (Tapes and some archivers fill up with zeros; gzip itself ignores
//!         them.)

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// The first two bytes of every member (RFC 1952 §2.3.1).
pub(super) const MAGIC: &[u8] = &[0x1f, 0x8b];

/// Reads the members one after the other.
pub(super) struct Members<R> {
    /// `None` behind the last one.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(compressed: R) -> Self {
        Self { member: Some(GzDecoder::new(compressed)) }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(room)?;
            if count > 0 || room.is_empty() {
                return Ok(count);
            }
            let rest = self.member.take().map(GzDecoder::into_inner);
            self.member = rest.map(next_member).transpose()?.flatten();
        }
        Ok(0)
    }
}

/// The member that begins here, if there is another one.
fn next_member<R: BufRead>(mut compressed: R) -> io::Result<Option<GzDecoder<R>>> {
    loop {
        let ahead = compressed.fill_buf()?;
        let count = ahead.len();
        match ahead.first() {
            None => return Ok(None),
            // A second byte that is wrong is found by the decoder.
            Some(first) if MAGIC.first() == Some(first) => {
                return Ok(Some(GzDecoder::new(compressed)));
            }
            _ if ahead.iter().all(|byte| *byte == 0) => compressed.consume(count),
            _ => {
                let text = "what stands behind the compressed data is neither more of it nor zeros";
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
        }
    }
}
