//! Holds segments of bytes in a file without a name, oldest first, and uses their room again.
//!
//! Limit:  about 50 bytes of memory for each segment. The file is cut behind its last segment; room
//!         before it is written to again before the file grows. Nothing is synced: the file does
//!         not outlive the process.
//! Errors: every segment is compared with its checksum before it is given back.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;

use super::error::{Place, SpillError};
use super::room::Room;
use crate::sys::files::{self, File};

/// Bytes that were written together.
#[derive(Debug)]
struct Segment {
    part: Range<u64>,
    crc32: u32,
}

/// A first-in-first-out queue of segments.
#[derive(Debug)]
pub(super) struct SpillFile {
    pub(super) file: File,
    place: Place,
    room: Room,
    segments: VecDeque<Segment>,
    bytes: u64,
}

impl SpillFile {
    /// A file with nothing in it.
    pub(super) fn create(place: &Place) -> Result<Self, SpillError> {
        let file = files::create_unnamed(&place.folder)
            .map_err(|error| place.refused("create a temporary file in", error))?;
        let (room, segments) = (Room::default(), VecDeque::new());
        Ok(Self { file, place: place.clone(), room, segments, bytes: 0 })
    }

    /// Number of segments.
    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// Bytes of all segments.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds a segment; after an error the file holds what it held before.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), SpillError> {
        let part = self.room.take(bytes.len() as u64);
        let folder = &self.place.folder;
        if let Err(error) = files::write_at(&mut self.file, folder, part.start, bytes) {
            let error = self.place.refused("write to a temporary file in", error);
            // The first error is the one to report.
            let _ = self.release(part);
            return Err(error);
        }
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        self.segments.push_back(Segment { part, crc32: crc32fast::hash(bytes) });
        Ok(())
    }

    /// The bytes of a segment, counted from the oldest; `None` if there are not so many.
    pub(super) fn read(&mut self, index: usize) -> Result<Option<Vec<u8>>, SpillError> {
        let Some(Segment { part, crc32 }) = self.segments.get(index) else { return Ok(None) };
        let length = part.end.saturating_sub(part.start);
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        let read = files::read_at(&mut self.file, &self.place.folder, part.start, &mut bytes);
        read.map_err(|error| match error.source.kind() {
            io::ErrorKind::UnexpectedEof => {
                let expected = format!("at least {} bytes", part.end);
                self.place.damaged("length", expected, "less".into())
            }
            _ => self.place.refused("read from a temporary file in", error),
        })?;
        let found = crc32fast::hash(&bytes);
        if found != *crc32 {
            let [expected, found] = [*crc32, found].map(|crc32| format!("{crc32:08x}"));
            return Err(self.place.damaged("crc32", expected, found));
        }
        Ok(Some(bytes))
    }

    /// Removes the oldest segment; after an error it is removed, and its room not yet given back.
    pub(super) fn pop(&mut self) -> Result<(), SpillError> {
        let Some(Segment { part, .. }) = self.segments.pop_front() else { return Ok(()) };
        self.bytes = self.bytes.saturating_sub(part.end.saturating_sub(part.start));
        self.release(part)
    }

    fn release(&mut self, part: Range<u64>) -> Result<(), SpillError> {
        let end = self.room.end();
        self.room.give(part);
        if self.room.end() < end {
            files::set_len(&self.file, &self.place.folder, self.room.end())
                .map_err(|error| self.place.refused("cut a temporary file in", error))?;
        }
        Ok(())
    }
}
