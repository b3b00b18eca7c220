//! Queues batches first in, first out: a bounded amount in memory, the rest in a temporary file.
//!
//! ```text
//! pop ← front (memory) ← segments (file) ← back (memory) ← push
//! ```
//!
//! While all fits into memory there is only the front. What no longer fits is collected at the back
//! and goes to the file in segments of an eighth of the limit, at most 1 MiB; the front takes in a
//! segment when it has run empty. A queue that has read its last segment is in memory again.
//!
//! In:     batches, pushed and popped in any turns; empty ones are left out.
//! Out:    the same batches in the same order, with equal values and event times.
//! Limit:  `memory_bytes` between calls. Each batch is measured when it comes in: the room of its
//!         vectors, and what its values own elsewhere as `measure` counts it, which is a walk over
//!         the values and encodes nothing. So the count keeps up with values of any lengths; it
//!         does not see room that a `String` has and does not use, nor what the allocator adds.
//!         During a call the columns and bytes of one segment come on top; a batch larger than a
//!         segment is one of its own. A segment on the disk takes about 50 bytes of memory.
//! Disk:   the segments that are not yet read, and room of read ones, which is written to again
//!         before the file grows. A queue without segments takes none. The file has no name: it
//!         vanishes with the queue, or with the process however that ends.
//! Errors: [`SpillError`]; after one the queue still holds every record, and the next call tries
//!         again.

mod error;
mod file;
mod measure;
mod room;
mod segment;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::PathBuf;

use crate::channel::Batch;
use crate::data::Data;

pub use error::SpillError;

use error::Place;
use file::SpillFile;
use measure::owned_bytes;
use segment::{COLUMN_BYTES_MAX, decode, encode};

/// Bytes of a segment at most, as measured in memory: beyond that, larger writes are not faster.
const SEGMENT_BYTES_MAX: usize = 1024 * 1024;

/// Segments that the limit of a queue has room for at least.
const SEGMENTS_IN_MEMORY: usize = 8;

/// A first-in-first-out queue of batches that puts into a temporary file what exceeds its memory.
///
/// Calls read and write that file and may block as long as the disk does.
#[derive(Debug)]
pub struct SpillQueue<T: Data> {
    /// The oldest batches.
    front: InMemory<T>,
    /// The batches after them; made when the first one exceeds the memory.
    file: Option<SpillFile>,
    /// The newest batches: what the next segment is made of.
    back: InMemory<T>,
    records: usize,
    segment_bytes: usize,
    place: Place,
}

impl<T: Data> SpillQueue<T> {
    /// An empty queue that keeps up to that many bytes in memory, by default
    /// [`EXCHANGE_MEMORY_BYTES`](crate::config::EXCHANGE_MEMORY_BYTES), and the rest in a file in
    /// `folder`, else in the system's folder for temporary files.
    ///
    /// The folder is not looked at before it is needed. With 0 bytes everything goes to the file.
    pub fn new(memory_bytes: usize, folder: Option<PathBuf>) -> Self {
        Self {
            front: InMemory::default(),
            file: None,
            back: InMemory::default(),
            records: 0,
            segment_bytes: SEGMENT_BYTES_MAX.min(memory_bytes / SEGMENTS_IN_MEMORY),
            place: Place::new(folder, memory_bytes),
        }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.records
    }

    /// True without records.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Bytes of the batches in memory, as they were measured.
    pub fn memory_bytes(&self) -> usize {
        self.front.bytes.saturating_add(self.back.bytes)
    }

    /// Bytes of the batches on the disk.
    pub fn spilled_bytes(&self) -> u64 {
        self.file.as_ref().map_or(0, SpillFile::bytes)
    }

    /// Adds a batch at the end.
    ///
    /// # Errors
    /// [`SpillError`] if the file could not be made or written, or if a record fits no column. The
    /// queue then holds the batch too, and what it could not write is in memory, beyond the limit;
    /// the next call tries again.
    pub fn push(&mut self, batch: Batch<T>) -> Result<(), SpillError> {
        if batch.is_empty() {
            return Ok(());
        }
        self.records = self.records.saturating_add(batch.len());
        let batch = Measured::new(batch);
        if !self.is_spilling() {
            let limit = self.place.memory_bytes;
            if self.front.bytes.saturating_add(batch.bytes) <= limit {
                self.front.push(batch);
                return Ok(());
            }
            // Room for the back, so that segments are of some size.
            self.front.split_off(limit.saturating_sub(self.segment_bytes), &mut self.back);
        }
        self.back.push(batch);
        self.spill()
    }

    /// Takes the oldest batch out.
    ///
    /// # Errors
    /// [`SpillError`] if the file could not be read, is damaged, or could not be cut. The queue
    /// then holds what it held before; the next call tries again.
    pub fn pop(&mut self) -> Result<Option<Batch<T>>, SpillError> {
        if self.front.batches.is_empty() {
            self.load()?;
        }
        let batch = self.front.pop();
        self.records = self.records.saturating_sub(batch.as_ref().map_or(0, Batch::len));
        Ok(batch)
    }

    /// All batches in order; they stay in the queue. One segment at a time is read from the file.
    ///
    /// # Errors
    /// An item is a [`SpillError`] if a segment could not be read or is damaged; the items after
    /// it are those of the next segment.
    pub fn batches(&mut self) -> impl Iterator<Item = Result<Cow<'_, Batch<T>>, SpillError>> {
        let segments = self.file.iter_mut().flat_map(|file| {
            (0..file.len()).flat_map(move |index| match read(file, index) {
                Ok(batches) => batches.into_iter().map(|batch| Ok(Cow::Owned(batch))).collect(),
                Err(error) => vec![Err(error)],
            })
        });
        let in_memory = |batch| Ok(Cow::Borrowed(batch));
        self.front.iter().map(in_memory).chain(segments).chain(self.back.iter().map(in_memory))
    }

    /// Whether new batches must go to the back.
    fn is_spilling(&self) -> bool {
        !self.back.batches.is_empty() || self.file.as_ref().is_some_and(|file| file.len() > 0)
    }

    /// Writes the back to the file until what is left of it is no segment.
    fn spill(&mut self) -> Result<(), SpillError> {
        while self.back.bytes > self.segment_bytes {
            let count = self.back.count_within(self.segment_bytes);
            let bytes = encode(self.back.iter().take(count), COLUMN_BYTES_MAX)?;
            let file = match &mut self.file {
                Some(file) => file,
                None => self.file.insert(SpillFile::create(&self.place)?),
            };
            file.push(&bytes)?;
            self.back.forget(count);
        }
        Ok(())
    }

    /// Fills the empty front: from the oldest segment, and from the back if that was the last.
    fn load(&mut self) -> Result<(), SpillError> {
        let Some(file) = self.file.as_mut().filter(|file| file.len() > 0) else {
            self.front.append(&mut self.back);
            return Ok(());
        };
        let batches = read(file, 0)?;
        batches.into_iter().for_each(|batch| self.front.push(Measured::new(batch)));
        let released = file.pop();
        if file.len() == 0 {
            self.front.append(&mut self.back);
        }
        released
    }
}

/// The batches of a segment.
fn read<T: Data>(file: &mut SpillFile, index: usize) -> Result<Vec<Batch<T>>, SpillError> {
    file.read(index)?.map_or_else(|| Ok(Vec::new()), decode)
}

/// A batch and the bytes it takes.
#[derive(Debug)]
struct Measured<T> {
    batch: Batch<T>,
    bytes: usize,
}

impl<T: Data> Measured<T> {
    fn new(mut batch: Batch<T>) -> Self {
        // A batch that was shipped early has room for a full one.
        batch.shrink();
        let owned = batch.values().iter().map(owned_bytes);
        let bytes = owned.fold(batch.own_bytes(), usize::saturating_add);
        Self { batch, bytes }
    }
}

/// Batches in order, and the bytes of all of them.
#[derive(Debug)]
struct InMemory<T> {
    batches: VecDeque<Measured<T>>,
    bytes: usize,
}

impl<T> Default for InMemory<T> {
    fn default() -> Self {
        Self { batches: VecDeque::new(), bytes: 0 }
    }
}

impl<T> InMemory<T> {
    fn push(&mut self, batch: Measured<T>) {
        self.bytes = self.bytes.saturating_add(batch.bytes);
        self.batches.push_back(batch);
    }

    fn pop(&mut self) -> Option<Batch<T>> {
        let Measured { batch, bytes } = self.batches.pop_front()?;
        self.bytes = self.bytes.saturating_sub(bytes);
        Some(batch)
    }

    fn iter(&self) -> impl Iterator<Item = &Batch<T>> + Clone {
        self.batches.iter().map(|measured| &measured.batch)
    }

    /// Moves the newest batches to the start of `rest` until no more than `bytes` are left.
    fn split_off(&mut self, bytes: usize, rest: &mut Self) {
        while self.bytes > bytes
            && let Some(batch) = self.batches.pop_back()
        {
            self.bytes = self.bytes.saturating_sub(batch.bytes);
            rest.bytes = rest.bytes.saturating_add(batch.bytes);
            rest.batches.push_front(batch);
        }
    }

    /// Moves all batches of `rest` to the end.
    fn append(&mut self, rest: &mut Self) {
        self.bytes = self.bytes.saturating_add(std::mem::take(&mut rest.bytes));
        self.batches.append(&mut rest.batches);
    }

    /// How many of the oldest batches take no more than `bytes` together; at least one.
    fn count_within(&self, bytes: usize) -> usize {
        let mut sum = 0_usize;
        let fits = self.batches.iter().take_while(|batch| {
            sum = sum.saturating_add(batch.bytes);
            sum <= bytes
        });
        fits.count().max(1)
    }

    /// Drops the oldest batches.
    fn forget(&mut self, count: usize) {
        for _ in 0..count {
            self.pop();
        }
    }
}
