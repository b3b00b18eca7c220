//! Writes and reads records in every format, compression and form of output there is.

use std::path::Path;

use clink::files::{Compression, Rotation};
use clink::prelude::*;
use clink::stream::SinkHandle;
use clink::{Job, RunOptions};
use clink_runtime::scheduler::SchedulerKind;

/// How a sink writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) format: Format,
    pub(crate) compression: Option<Compression>,
    /// `None` for one file per instance.
    pub(crate) rotation: Option<Rotation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Csv,
    Text,
    Parquet,
}

pub(crate) const COMPRESSIONS: [Option<Compression>; 3] =
    [None, Some(Compression::Gzip), Some(Compression::Zstd)];

/// What the stories write. A line of text is whatever the type makes of itself.
pub(crate) trait Lines: Data {
    fn to_line(self) -> String;
    fn of_line(line: String) -> Self;
}

/// The sinks of lines have the same methods and no trait.
macro_rules! write_lines {
    ($form:expr, $rows:expr, $folder:expr, $extension:literal, $sink:ident) => {
        match ($form.rotation, $form.compression) {
            (None, _) => $rows.sink(files::$sink($form.file($folder, $extension))),
            (Some(rotation), None) => {
                $rows.sink(files::$sink($folder.to_str().unwrap()).rotate(rotation))
            }
            (Some(rotation), Some(compression)) => {
                let sink = files::$sink($folder.to_str().unwrap()).rotate(rotation);
                $rows.sink(sink.compress(compression))
            }
        }
    };
}

impl Form {
    /// Any form of a format.
    pub(crate) fn choose(format: Format, random: &mut fastrand::Rng) -> Self {
        let bytes = *random.choice(&[40, 400, 4_000, 1 << 30]).unwrap();
        let every = *random.choice(&[millis(2), millis(10), millis(60), hours(1)]).unwrap();
        let rotations = [
            Rotation::bytes(bytes),
            Rotation::every(every),
            Rotation::every(every).or_bytes(bytes),
        ];
        Self {
            format,
            compression: *random.choice(&COMPRESSIONS).unwrap(),
            rotation: random.u8(..4).checked_sub(1).map(|choice| rotations[choice as usize]),
        }
    }

    /// True if a reader of the folder sees finished parts only.
    pub(crate) fn is_folder(self) -> bool {
        self.rotation.is_some() || self.format == Format::Parquet
    }

    /// Hands the rows to the sink.
    pub(crate) fn write<'p, T: Lines>(
        self,
        rows: DataStream<'p, T>,
        folder: &Path,
    ) -> SinkHandle<'p> {
        match self.format {
            Format::Json => write_lines!(self, rows, folder, "ndjson", ndjson_sink),
            Format::Csv => write_lines!(self, rows, folder, "csv", csv_sink),
            Format::Text => {
                let texts = rows.map(T::to_line);
                write_lines!(self, texts, folder, "txt", text_sink)
            }
            Format::Parquet => {
                let sink = files::parquet_sink(folder.to_str().unwrap());
                match self.rotation {
                    Some(rotation) => rows.sink(sink.rotate(rotation)),
                    None => rows.sink(sink),
                }
            }
        }
    }

    /// The path of a file of lines, in a folder that is there.
    fn file(self, folder: &Path, extension: &str) -> String {
        std::fs::create_dir_all(folder).unwrap();
        let suffix = match self.compression {
            None => "",
            Some(Compression::Gzip) => ".gz",
            Some(Compression::Zstd) => ".zst",
        };
        folder.join(format!("out.{extension}{suffix}")).to_str().unwrap().to_owned()
    }
}

impl Format {
    /// The rows of the files that the path names.
    pub(crate) fn read<'p, T: Lines>(
        self,
        pipeline: &'p Pipeline,
        path: &str,
    ) -> DataStream<'p, T> {
        match self {
            Self::Json => pipeline.source(files::ndjson(path)),
            Self::Csv => pipeline.source(files::csv(path)),
            Self::Text => pipeline.source(files::text(path)).map(T::of_line),
            Self::Parquet => pipeline.source(files::parquet(path)),
        }
    }
}

/// Writes the records by so many subtasks.
pub(crate) fn write<T: Lines>(records: Vec<T>, form: Form, out: &Path, parallelism: u32) {
    let job = Job::build_with("write", Some(parallelism), |pipeline| {
        form.write(pipeline.elements(records), out);
        Ok(())
    });
    let seed = u64::from(parallelism);
    let scheduler = SchedulerKind::Simulation { seed };
    job.unwrap().run(&RunOptions { scheduler, ..RunOptions::default() }).unwrap();
}
