//! Drives file sources as the engine does: splits, `open`, `produce`, `snapshot`, restore.

mod borders;
mod csv;
mod flight;
mod follow;
mod inputs;
mod ndjson;
#[cfg(feature = "parquet")]
mod parquet;
mod places;
mod quotes;
mod restore;
mod streams;
mod text;

use std::fmt::Debug;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use crate::channel::StreamElement;
use crate::data::Data;
use crate::error::Result;
use crate::sys::clock::Clock;
use crate::sys::files;

use super::super::contract::{Produced, Source};
use super::super::emitter::Emitter;
use super::blocks::Limits;
use super::{CsvSource, FileSplit, NdjsonSource, RecordError, TextSource};
use crate::operator::{JobShared, RuntimeContext, Services, SourceContext};
use crate::testing::surroundings::runtime_context;

/// Any of the sources, made anew for each start.
trait FileSource: Source<Out: Data + Default + Debug, Split = FileSplit> {
    fn at(path: &str, limits: Limits) -> Self;
}

impl<T: Data + Default + Debug> FileSource for CsvSource<T> {
    fn at(path: &str, limits: Limits) -> Self {
        let mut source = super::csv(path);
        source.block_bytes = limits.block_bytes;
        source
    }
}

impl<T: Data + Default + Debug> FileSource for NdjsonSource<T> {
    fn at(path: &str, limits: Limits) -> Self {
        let mut source = super::ndjson(path);
        source.block_bytes = limits.block_bytes;
        source
    }
}

impl FileSource for TextSource {
    fn at(path: &str, limits: Limits) -> Self {
        let mut source = super::text(path);
        source.block_bytes = limits.block_bytes;
        source
    }
}

/// A file in a folder that goes away with it.
struct Input {
    _folder: TempDir,
    path: String,
}

impl Input {
    fn new(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.path().join(name);
        files::write_durable(&path, bytes.as_ref()).unwrap();
        Self { path: path.to_str().unwrap().to_owned(), _folder: folder }
    }

    fn splits<S: FileSource>(&self, wanted: u32) -> Result<Vec<FileSplit>> {
        S::at(&self.path, Limits::default()).splits(wanted)
    }

    /// All values, read by one reader.
    fn read<S: FileSource>(&self) -> Result<Vec<S::Out>> {
        read_all::<S>(&self.path, Limits::default(), 1)
    }

    /// The message of the error that reading ends with, the folder left out.
    fn error<S: FileSource>(&self) -> String {
        let error = self.read::<S>().unwrap_err();
        let folder = PathBuf::from(&self.path);
        error.to_string().replace(&format!("{}/", folder.parent().unwrap().display()), "")
    }

    /// The record that reading fails at.
    fn fault<S: FileSource>(&self, wanted: u32) -> RecordError {
        let error = read_all::<S>(&self.path, Limits::default(), wanted).unwrap_err();
        error.source().downcast_ref::<RecordError>().unwrap().clone()
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn context() -> RuntimeContext {
    runtime_context(Clock::system())
}

/// All values of a file, each split read by a reader of its own.
fn read_all<S: FileSource>(path: &str, limits: Limits, wanted: u32) -> Result<Vec<S::Out>> {
    let mut values = Vec::new();
    for split in S::at(path, limits).splits(wanted)? {
        let mut source = S::at(path, limits);
        let (part, _) = run_within(limits, &mut source, vec![split], None)?;
        values.extend(part);
    }
    Ok(values)
}

/// All values of a file, with a restart from a snapshot each `step` records.
fn read_with_restarts<S: FileSource>(path: &str, limits: Limits, step: usize) -> Vec<S::Out> {
    let mut splits = S::at(path, limits).splits(2).unwrap();
    let mut values = Vec::new();
    loop {
        let mut source = S::at(path, limits);
        let (part, next) = run_within(limits, &mut source, splits, Some(step)).unwrap();
        let is_end = part.is_empty();
        values.extend(part);
        if is_end {
            return values;
        }
        splits = next;
    }
}

/// Produces until the end or until exactly `stop` values have come, and takes a snapshot.
fn run<S: FileSource>(
    source: &mut S,
    splits: Vec<FileSplit>,
    stop: Option<usize>,
) -> Result<(Vec<S::Out>, Vec<FileSplit>)> {
    run_within(Limits::default(), source, splits, stop)
}

fn run_within<S: FileSource>(
    limits: Limits,
    source: &mut S,
    splits: Vec<FileSplit>,
    stop: Option<usize>,
) -> Result<(Vec<S::Out>, Vec<FileSplit>)> {
    let (mut emitter, mut out, mut values) = (Emitter::<S::Out>::default(), Vec::new(), Vec::new());
    let restored = splits.iter().any(|split| split.position > split.start);
    let record_bytes_max = limits.record_bytes_max;
    let shared = Arc::new(JobShared { record_bytes_max, ..JobShared::default() });
    let runtime = RuntimeContext { restored, shared, ..context() };
    source.open(splits, &runtime)?;
    while stop.is_none_or(|stop| values.len() < stop) {
        // A batch is full at 256 records: fillers let it be so at any record.
        let filler = stop.map_or(0, |stop| 256 - (stop - values.len()).min(256));
        (0..filler).for_each(|_| emitter.push(S::Out::default(), None));
        let mut ctx = SourceContext {
            emitter: &mut emitter,
            services: &mut Services::default(),
            runtime: &runtime,
        };
        let produced = source.produce(&mut ctx)?;
        emitter.take_all(&mut out);
        values.extend(drain::<S::Out>(&mut out).skip(filler));
        if produced == Produced::End {
            break;
        }
    }
    let splits = source.snapshot()?;
    source.close()?;
    Ok((values, splits))
}

fn drain<T: Data>(out: &mut Vec<StreamElement>) -> impl Iterator<Item = T> {
    out.drain(..).flat_map(|element| match element {
        StreamElement::Data(batch) => {
            let mut batch = batch.downcast::<T>().unwrap();
            batch.drain().map(|(value, _)| value).collect::<Vec<_>>()
        }
        other => panic!("expected data, found {other:?}"),
    })
}
