//! Stops, fails and restores file sinks as a cluster does, without a job around them.

mod compressed;
mod one_file;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use arrow_array::ArrayRef;
use flate2::read::MultiGzDecoder;
use tempfile::TempDir;

use crate::data::Data;
use crate::error::Result;
use crate::operator::{OperatorFields, Params};
use crate::state::{ErasedOperatorSlot, ErasedSlot, StateError, StateVisitor};
use crate::sys::clock::Clock;
use crate::sys::files;
use crate::testing::surroundings::runtime_context;

use super::super::contract::Sink;
use super::super::runtime_context::RuntimeContext;
use super::{Blackhole, CsvSink, NdjsonSink, Print, TextSink, csv_sink, text_sink};

fn context(subtask_index: u32, parallelism: u32, restored: bool) -> RuntimeContext {
    context_at(Clock::system(), subtask_index, parallelism, restored)
}

fn context_at(
    clock: Clock,
    subtask_index: u32,
    parallelism: u32,
    restored: bool,
) -> RuntimeContext {
    RuntimeContext { subtask_index, parallelism, restored, ..runtime_context(clock) }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = files::list_folder(folder).unwrap();
    entries.iter().map(|entry| entry.name.to_str().unwrap().to_owned()).collect()
}

/// What is in a file, decompressed as its name says.
fn decoded(path: &Path) -> String {
    let bytes = files::read(path).unwrap();
    let mut text = String::new();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => _ = MultiGzDecoder::new(&*bytes).read_to_string(&mut text).unwrap(),
        Some("zst") => text = String::from_utf8(zstd::decode_all(&*bytes).unwrap()).unwrap(),
        _ => text = String::from_utf8(bytes).unwrap(),
    }
    text
}

/// Takes the rows of a sink out, as a checkpoint does.
struct Save(Vec<ArrayRef>);

impl StateVisitor for Save {
    fn slot(&mut self, _: &str, _: &mut dyn ErasedSlot) -> Result<(), StateError> {
        panic!("file sinks have no keyed state")
    }
    fn operator_slot(
        &mut self,
        name: &str,
        slot: &mut dyn ErasedOperatorSlot,
    ) -> Result<(), StateError> {
        assert_eq!(name, "files");
        self.0.push(slot.rows());
        Ok(())
    }
}

/// Puts the rows of all instances into a sink, as a restore does.
struct Load<'a>(&'a [ArrayRef], u32, u32);

impl StateVisitor for Load<'_> {
    fn slot(&mut self, _: &str, _: &mut dyn ErasedSlot) -> Result<(), StateError> {
        panic!("file sinks have no keyed state")
    }
    fn operator_slot(
        &mut self,
        _: &str,
        slot: &mut dyn ErasedOperatorSlot,
    ) -> Result<(), StateError> {
        slot.load(self.0, self.1, self.2).unwrap();
        Ok(())
    }
}

/// A job of one sink, stopped and started as a cluster does.
struct Job<S> {
    folder: TempDir,
    /// Besides the path.
    params: Params,
    clock: Clock,
    sinks: Vec<S>,
    saved: Vec<ArrayRef>,
}

impl<S: Sink<In = (i64, String)> + OperatorFields> Job<S> {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::simulated(0);
        Self { folder, params: Params::new(), clock, sinks: Vec::new(), saved: Vec::new() }
    }

    fn with(params: &[(&str, &str)]) -> Self {
        let params = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { params: params.collect(), ..Self::new() }
    }

    fn wait(&self, ms: u64) {
        self.clock.advance(Duration::from_millis(ms));
    }

    fn start(&mut self, parallelism: u32) -> Result<()> {
        self.begin("out", parallelism, false)
    }

    fn restore(&mut self, parallelism: u32) -> Result<()> {
        self.begin("out", parallelism, true)
    }

    fn begin(&mut self, name: &str, parallelism: u32, restored: bool) -> Result<()> {
        let path = self.path(name);
        self.sinks.clear();
        for index in 0..parallelism {
            let mut params = self.params.clone();
            params.insert("path".to_owned(), path.clone());
            let mut sink = S::from_params(&params)?;
            if restored {
                sink.visit_state(&mut Load(&self.saved, index, parallelism))?;
            }
            sink.open(&context_at(self.clock.clone(), index, parallelism, restored))?;
            self.sinks.push(sink);
        }
        Ok(())
    }

    /// Every instance writes a row that bears its index.
    fn write(&mut self, number: i64) {
        for (index, sink) in self.sinks.iter_mut().enumerate() {
            sink.on_data((number, format!("s{index}"))).unwrap();
        }
    }

    fn barrier(&mut self) {
        let mut save = Save(Vec::new());
        for sink in &mut self.sinks {
            sink.on_barrier().unwrap();
            sink.visit_state(&mut save).unwrap();
        }
        self.saved = save.0;
    }

    /// The end of the input, or a stop.
    fn finish(&mut self) {
        for sink in &mut self.sinks {
            sink.flush().unwrap();
            sink.finish().unwrap();
            sink.close().unwrap();
        }
    }

    /// A failure: whatever was buffered is lost.
    fn fail(&mut self) {
        self.sinks.iter_mut().for_each(|sink| sink.close().unwrap());
        self.sinks.clear();
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn bytes(&self, name: &str) -> u64 {
        files::size(self.path(name).as_ref()).unwrap()
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(files::read(self.path(name).as_ref()).unwrap()).unwrap()
    }

    fn names(&self) -> Vec<String> {
        names(self.folder.path())
    }

    /// The message, the folder left out.
    fn refusal(&mut self, name: &str, parallelism: u32) -> String {
        let error = self.begin(name, parallelism, true).unwrap_err();
        assert!(error.is_refusal(), "{error}");
        error.to_string().replace(&format!("{}/", self.folder.path().display()), "")
    }
}

type Lines = NdjsonSink<(i64, String)>;
type Rows = CsvSink<(i64, String)>;
