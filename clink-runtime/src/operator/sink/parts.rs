//! Is the sink of every format that writes a folder of parts, each complete in itself.

use std::time::Duration;

use clink_plan::descriptor::{OperatorDescriptor, SourceLocation};

use crate::error::Result;
use crate::operator::{OperatorFields, Param, ParamError, Params};
use crate::state::{StateError, StateSlot, StateVisitor};
use crate::sys::clock::Clock;

use super::super::contract::Sink;
use super::super::runtime_context::RuntimeContext;
use super::compress::Compression;
use super::file::{FILES, FileFormat};
use super::folder::{Folder, Start};
use super::format::Format;
use super::output::{FileRow, FileRows};

/// When a part is finished and the next one begun, besides at the end of the job.
///
/// # Example
/// ```
/// use std::time::Duration;
/// use clink_runtime::operator::sink::{Rotation, ndjson_sink};
///
/// let hourly = Rotation::every(Duration::from_secs(3_600)).or_bytes(256 << 20);
/// let sink = ndjson_sink::<u64>("out").rotate(hourly);
/// # drop(sink);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    bytes: Option<u64>,
    every_ms: Option<u64>,
}

impl Rotation {
    /// With the record that brings the part to so many bytes; a record is never cut in two. What a
    /// compressor or a Parquet writer has not given out yet does not count, so such parts are
    /// somewhat larger.
    pub const fn bytes(bytes: u64) -> Self {
        Self { bytes: Some(bytes), every_ms: None }
    }

    /// When the first record of the part, or a restart, is so long ago, by the clock of the
    /// machine. That is looked at whenever the input has run dry, or has not for 50 ms, and at
    /// checkpoints: where no record comes, a part waits for one of these.
    pub const fn every(span: Duration) -> Self {
        Self { bytes: None, every_ms: Some(milliseconds(span)) }
    }

    /// Also at so many bytes.
    #[must_use]
    pub const fn or_bytes(self, bytes: u64) -> Self {
        Self { bytes: Some(bytes), ..self }
    }

    /// Also after so long.
    #[must_use]
    pub const fn or_every(self, span: Duration) -> Self {
        Self { every_ms: Some(milliseconds(span)), ..self }
    }
}

const fn milliseconds(span: Duration) -> u64 {
    let ms = span.as_millis();
    if ms > u64::MAX as u128 { u64::MAX } else { ms as u64 }
}

/// A sink of records to a folder of parts in format `F`, each record in exactly one of them also
/// after a restore; made by `rotate` on a file sink.
///
/// The path is that of the folder, which is created. Its parts are called
/// `part-<subtask>-<number>.<extension>`; one that is being written has a dot in front of its name.
/// A part gets its name when it is finished, and then all of it is on the disk. A job that fails
/// leaves no other; what it was writing stays hidden.
///
/// A restore removes the parts that were finished after the checkpoint, and goes on with the one
/// that was being written then. Parts that an earlier checkpoint covers are never touched: whoever
/// wants to move them away may.
#[derive(Debug)]
pub struct PartsSink<F> {
    path: String,
    rotation: Rotation,
    compression: Option<Compression>,
    files: FileRows,
    /// Rows of instances that are no more.
    kept: Vec<FileRow>,
    open: Option<Parts<F>>,
}

/// The parts of an open instance.
#[derive(Debug)]
struct Parts<F> {
    folder: Folder,
    clock: Clock,
    /// The part that is being written, or would be next.
    number: u64,
    part: Option<Part<F>>,
}

/// A part that is being written.
#[derive(Debug)]
struct Part<F> {
    format: F,
    /// When its first record came, in milliseconds; `None` without one.
    since_ms: Option<i64>,
    /// A checkpoint may rely on it.
    is_covered: bool,
}

/// What the graph knows of a sink to a folder of parts.
pub(super) const fn parts_descriptor(
    type_name: &'static str,
    uid: &'static str,
    location: SourceLocation,
) -> OperatorDescriptor {
    let params = &["path", "rotate_bytes", "rotate_every_ms", "compression"];
    OperatorDescriptor { type_name, uid, slots: &[FILES], params, location }
}

impl<F: Format> PartsSink<F> {
    pub(super) fn new(path: String, rotation: Rotation) -> Self {
        let (compression, files) = (None, FileRows::default());
        Self { path, rotation, compression, files, kept: Vec::new(), open: None }
    }

    #[cfg(feature = "parquet")]
    pub(super) fn rotated(self, rotation: Rotation) -> Self {
        Self { rotation, ..self }
    }
}

impl<F: FileFormat> PartsSink<F> {
    /// Compresses every part; its name ends in `.gz` or `.zst` then.
    #[must_use]
    pub fn compress(self, compression: Compression) -> Self {
        Self { compression: Some(compression), ..self }
    }
}

impl<F: Format> Parts<F> {
    fn open(folder: Folder, start: Start, clock: Clock) -> Result<Self> {
        let is_covered = start.bytes > 0;
        let since_ms = is_covered.then(|| clock.now_ms());
        let part = Part { format: F::begin(start.output)?, since_ms, is_covered };
        Ok(Self { folder, clock, number: start.number, part: Some(part) })
    }

    /// Writes a record; the size of the part then.
    #[inline]
    fn write(&mut self, value: F::In, is_limited: bool) -> Result<u64> {
        let Some(part) = &mut self.part else { return Ok(0) };
        if part.since_ms.is_none() {
            part.since_ms = Some(self.clock.now_ms());
        }
        part.format.write(value)?;
        if is_limited { part.format.bytes() } else { Ok(0) }
    }

    /// True if the part at hand has records.
    fn has_records(&self) -> bool {
        self.part.as_ref().is_some_and(|part| part.since_ms.is_some())
    }

    /// True if the first record of the part at hand came so long ago.
    fn is_older_than(&self, every_ms: u64) -> bool {
        let since_ms = self.part.as_ref().and_then(|part| part.since_ms);
        since_ms.is_some_and(|since_ms| {
            self.clock.now_ms().saturating_sub(since_ms).unsigned_abs() >= every_ms
        })
    }

    /// Finishes the part at hand and begins the next one.
    fn rotate(&mut self) -> Result<()> {
        // Begun first: an instance that is open has a locked part at any time.
        let next = self.folder.begin(self.number + 1)?;
        let part = Part { format: F::begin(next)?, since_ms: None, is_covered: false };
        if let Some(finished) = self.part.replace(part) {
            self.publish(finished)?;
        }
        Ok(())
    }

    /// Completes the part and gives it its name.
    fn publish(&mut self, part: Part<F>) -> Result<()> {
        let mut output = part.format.into_output()?;
        output.complete()?;
        output.sync()?;
        self.folder.publish(self.number)?;
        self.number += 1;
        Ok(())
    }

    /// The row of a checkpoint; what it covers is on the disk then.
    fn cover(&mut self) -> Result<FileRow> {
        if !F::APPENDS && self.has_records() {
            self.rotate()?;
        }
        let Some(part) = self.part.take_if(|part| part.since_ms.is_some()) else {
            return Ok(self.folder.row(self.number, 0));
        };
        let mut output = part.format.into_output()?;
        output.complete()?;
        let (_, bytes) = output.sync()?;
        self.part = Some(Part { format: F::begin(output)?, is_covered: true, ..part });
        Ok(self.folder.row(self.number, bytes))
    }

    /// Publishes what there is; an empty part goes away.
    fn finish(&mut self) -> Result<()> {
        match self.part.take() {
            Some(part) if part.since_ms.is_some() => self.publish(part),
            Some(_) => self.folder.discard(self.number),
            None => Ok(()),
        }
    }

    /// Leaves the part at hand to a restore, if there can be one.
    fn abandon(mut self) -> Result<()> {
        match self.part.take() {
            Some(part) if !part.is_covered => self.folder.discard(self.number),
            _ => Ok(()),
        }
    }
}

impl<F: Format> Sink for PartsSink<F> {
    type In = F::In;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        F::check(&self.path)?;
        let folder = Folder::new(&self.path, F::EXTENSION, self.compression, ctx);
        let mut start = folder.open(self.files.rows())?;
        self.kept = std::mem::take(&mut start.kept);
        self.open = Some(Parts::open(folder, start, ctx.clock.clone())?);
        Ok(())
    }

    #[inline]
    fn on_data(&mut self, value: F::In) -> Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let limit = self.rotation.bytes;
        let bytes = open.write(value, limit.is_some())?;
        if limit.is_some_and(|limit| bytes >= limit) { open.rotate() } else { Ok(()) }
    }

    /// Finishes a part that is old enough; others stay hidden, so nothing else is due.
    fn flush(&mut self) -> Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        match self.rotation.every_ms {
            Some(every_ms) if open.is_older_than(every_ms) => open.rotate(),
            _ => Ok(()),
        }
    }

    fn on_barrier(&mut self) -> Result<()> {
        self.flush()?;
        let own = self.open.as_mut().map(Parts::cover).transpose()?;
        self.files.set(own.into_iter().chain(self.kept.iter().cloned()).collect());
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.open.as_mut().map_or(Ok(()), Parts::finish)
    }

    fn close(&mut self) -> Result<()> {
        self.open.take().map_or(Ok(()), Parts::abandon)
    }
}

impl<F: Format> OperatorFields for PartsSink<F> {
    const DESCRIPTOR: OperatorDescriptor = F::PARTS;

    const UID_IS_DEFAULT: bool = true;

    fn to_params(&self, params: &mut Params) -> Result<(), ParamError> {
        self.path.write("path", params)?;
        self.rotation.bytes.write("rotate_bytes", params)?;
        self.rotation.every_ms.write("rotate_every_ms", params)?;
        if F::APPENDS {
            self.compression.write("compression", params)?;
        }
        Ok(())
    }

    fn from_params(params: &Params) -> Result<Self, ParamError> {
        let rotation = Rotation {
            bytes: Param::read("rotate_bytes", params)?,
            every_ms: Param::read("rotate_every_ms", params)?,
        };
        // A format that compresses its own columns takes no second one.
        let compression = if F::APPENDS { Param::read("compression", params)? } else { None };
        Ok(Self { compression, ..Self::new(Param::read("path", params)?, rotation) })
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        StateSlot::visit(&mut self.files, "files", visitor)
    }
}
