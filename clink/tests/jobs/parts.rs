//! Writes every format in every form with interruptions at changing parallelism, and reads each
//! record back once.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clink::files::{Compression, Rotation};
use clink::prelude::*;
use clink::run::Ending;
use clink::stream::SinkHandle;
use clink::{Job, JobError, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::{JobReport, NoObserver, Signal};
use clink_runtime::scheduler::SchedulerKind;

use crate::read_back::{Row, all, numbers, visible};
use crate::support::{folder, saving};

/// Records of a job.
const COUNT: u64 = 800;

/// How many stories; each makes and reads files, so they are few whatever is asked for.
const STORIES: u64 = 120;

/// What a story's job writes.
#[derive(Clone, Copy, Debug)]
struct Form {
    format: Format,
    compression: Option<Compression>,
    /// `None` for one file per instance.
    rotation: Option<Rotation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Csv,
    Text,
    Parquet,
}

/// How an attempt ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Stop,
    Cancel,
    Panic,
    Never,
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
    fn choose(random: &mut fastrand::Rng) -> Self {
        use Format::{Csv, Json, Parquet, Text};
        let bytes = *random.choice(&[40, 400, 4_000, 1 << 30]).unwrap();
        let every = *random.choice(&[millis(2), millis(10), millis(60), hours(1)]).unwrap();
        let rotations = [
            Rotation::bytes(bytes),
            Rotation::every(every),
            Rotation::every(every).or_bytes(bytes),
        ];
        let compressions = [None, Some(Compression::Gzip), Some(Compression::Zstd)];
        Self {
            format: *random.choice(&[Json, Csv, Text, Parquet]).unwrap(),
            compression: *random.choice(&compressions).unwrap(),
            rotation: random.u8(..4).checked_sub(1).map(|choice| rotations[choice as usize]),
        }
    }

    /// Hands the rows to the sink.
    fn write<'p>(self, rows: DataStream<'p, Row>, folder: &Path) -> SinkHandle<'p> {
        match self.format {
            Format::Json => write_lines!(self, rows, folder, "ndjson", ndjson_sink),
            Format::Csv => write_lines!(self, rows, folder, "csv", csv_sink),
            Format::Text => {
                let texts = rows.map(|row| row.number.to_string());
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

/// One attempt in the folder, cut after so many records.
fn attempt(
    folder: &Path,
    form: Form,
    options: &RunOptions,
    parallelism: u32,
    (cut, at): (Cut, u64),
) -> Result<JobReport, JobError> {
    let (send, signals) = crossbeam_channel::bounded(1);
    let passed = Arc::new(AtomicU64::new(0));
    let job = Job::build_with("parts", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| n).uid("numbers");
        let rows = numbers.map(move |number| {
            if passed.fetch_add(1, Ordering::Relaxed) == at {
                match cut {
                    Cut::Stop => send.send(Signal::Stop).unwrap(),
                    Cut::Cancel => send.send(Signal::Cancel).unwrap(),
                    Cut::Panic => panic!("cut"),
                    Cut::Never => {}
                }
            }
            Row { number, text: number.is_multiple_of(3).then(|| format!("row {number}")) }
        });
        form.write(rows, folder);
        Ok(())
    });
    job.unwrap().run_watched(options, &signals, &mut NoObserver)
}

/// Cuts a job a few times and lets it end; what is in the files then is every record once.
/// True if an attempt went on from a checkpoint.
fn check(seed: u64) -> bool {
    let folder = folder();
    let (state, out) = (folder.path().join("state"), folder.path().join("out"));
    let mut random = fastrand::Rng::with_seed(seed);
    let form = Form::choose(&mut random);
    let (mut told, mut restored) = (vec![format!("seed {seed}: {form:?}")], false);
    for turn in 0..4 {
        let parallelism = random.u32(1..=5);
        let cuts = [Cut::Stop, Cut::Cancel, Cut::Panic];
        let cut = if turn == 3 { Cut::Never } else { *random.choice(&cuts).unwrap() };
        let at = random.u64(..COUNT);
        let jobs = std::fs::read_dir(state.join("parts")).into_iter().flatten();
        let saved = jobs.map(Result::unwrap).any(|job| job.path().join("manifest.json").exists());
        restored |= saved;
        let options = RunOptions {
            scheduler: SchedulerKind::Simulation { seed: random.u64(..) },
            channel_capacity: *random.choice(&[1, 8, 2_048]).unwrap(),
            checkpoints: saving(&state, *random.choice(&[5, 40, 200, 86_400_000]).unwrap()),
            restore: saved.then_some(RestorePoint::Latest),
            ..RunOptions::default()
        };
        let result = attempt(&out, form, &options, parallelism, (cut, at));
        let ended = result.map(|report| report.ending).map_err(|error| error.to_string());
        told.push(format!("parallelism {parallelism}, {cut:?} at {at}, from {saved}: {ended:?}"));
        match ended {
            Err(error) => assert!(cut == Cut::Panic && error.contains("cut"), "{told:#?}"),
            Ok(ending) => assert!(cut != Cut::Never || ending == Ending::Finished, "{told:#?}"),
        }
        if form.rotation.is_some() || form.format == Format::Parquet {
            // Whatever has happened, no reader sees anything but whole parts.
            numbers(&out);
        }
    }
    assert_eq!(all(&out), visible(&out), "nothing stays hidden: {told:#?}");
    let found = numbers(&out);
    let missing: Vec<u64> = (0..COUNT).filter(|n| found.binary_search(n).is_err()).collect();
    let twice: Vec<u64> =
        found.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert!(
        missing.is_empty() && twice.is_empty(),
        "{told:#?}\nmissing {missing:?}\ntwice {twice:?}"
    );
    restored
}

#[test]
fn every_form_holds_each_record_once_after_failures_at_changing_parallelism_under_seeds() {
    let next = AtomicU64::new(0);
    let restored = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= STORIES {
                        return;
                    }
                    restored.fetch_add(check(seed).into(), Ordering::Relaxed);
                }
            });
        }
    });
    let restored = restored.into_inner();
    assert!(restored > STORIES / 2, "only {restored} of {STORIES} stories had a restore");
}

/// What a job has written to a folder, another reads, and sees no part that is not finished.
#[test]
fn a_folder_of_parts_is_an_input() {
    let forms = [
        (Format::Json, Some(Compression::Gzip)),
        (Format::Csv, Some(Compression::Zstd)),
        (Format::Csv, None),
        (Format::Parquet, None),
    ];
    for (format, compression) in forms {
        let folder = folder();
        let (out, path) = (folder.path(), folder.path().to_str().unwrap());
        let form = Form { format, compression, rotation: Some(Rotation::bytes(4_000)) };
        attempt(out, form, &RunOptions::default(), 2, (Cut::Never, 0)).unwrap();
        assert!(visible(out).len() >= 2, "{form:?}");
        std::fs::write(out.join(".part-0-00000099.unfinished"), "{torn").unwrap();
        let mut rows = None;
        let job = Job::build_with("reader", Some(3), |pipeline| {
            let stream = match format {
                Format::Csv => pipeline.source(files::csv::<Row>(path)),
                Format::Parquet => pipeline.source(files::parquet::<Row>(path)),
                _ => pipeline.source(files::ndjson::<Row>(path)),
            };
            rows = Some(stream.collect());
            Ok(())
        });
        job.unwrap().run(&RunOptions::default()).unwrap();
        let mut rows = rows.unwrap().take();
        rows.sort_by_key(|row| row.number);
        let found: Vec<_> = rows.into_iter().map(|row| (row.number, row.text)).collect();
        let text = |n: u64| n.is_multiple_of(3).then(|| format!("row {n}"));
        assert_eq!(found, (0..COUNT).map(|n| (n, text(n))).collect::<Vec<_>>(), "{form:?}");
    }
}
