//! Looks at jobs in a process of their own: one whose disk fills up and which goes on afterwards,
//! and what others log.
//!
//! A program of its own: a child that is being started holds the locks of its parent for a moment,
//! and no other job may want one then.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that panics says where; it prepares files on a real disk"
)]

mod logged;
#[path = "../jobs/read_back.rs"]
mod read_back;

use std::path::{Path, PathBuf};
use std::process::Command;

use clink::files::{Compression, Rotation};
use clink::prelude::*;
use clink::{Job, JobError, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;

use clink::run::CheckpointOptions;

use read_back::{Row, all, numbers, visible};

/// Records of a job.
const COUNT: u64 = 2_000;

/// The record that is too large for the disk.
const LARGE: u64 = 1_500;

/// Bytes at which a part is finished: of records of the usual size it never meets the limit.
const PART_BYTES: u64 = 4_096;

/// Where the job writes, what, and how large the large record is: `FOLDER FORM BYTES`.
const TASK: &str = "CLINK_TEST_TASK";

/// What is written, how many blocks of 512 bytes a file may have, and the lengths of the large
/// record: one that fits into the buffers, so that the limit is met when the part is finished, by a
/// flush or a footer, and one that does not. Compressors give bytes out late.
const FORMS: [(&str, u64, [usize; 2]); 5] = [
    ("ndjson", 64, [50_000, 200_000]),
    ("csv", 64, [50_000, 200_000]),
    ("parquet", 64, [50_000, 200_000]),
    ("ndjson.gz", 1_024, [720_000, 2_000_000]),
    ("ndjson.zst", 1_024, [720_000, 2_000_000]),
];

/// Text of which a compressor can save two bits in eight.
fn noise(number: u64, bytes: usize) -> String {
    let mut random = fastrand::Rng::with_seed(number);
    let mut letters = vec![0; bytes];
    random.fill(&mut letters);
    letters.iter_mut().for_each(|letter| *letter = b'0' + (*letter & 63));
    String::from_utf8(letters).unwrap()
}

fn job(folder: &Path, form: &str, large_bytes: usize) -> Result<(), JobError> {
    let out = folder.join("out").display().to_string();
    let rotation = Rotation::bytes(PART_BYTES);
    let job = Job::build_with("outside", Some(1), |pipeline| {
        let rows = pipeline.generate(COUNT, |n| n).uid("numbers").map(move |number| {
            let bytes = if number == LARGE { large_bytes } else { 100 };
            Row { number, text: Some(noise(number, bytes)) }
        });
        let lines = files::ndjson_sink(&out).rotate(rotation);
        match form {
            "ndjson" => rows.sink(lines),
            "ndjson.gz" => rows.sink(lines.compress(Compression::Gzip)),
            "ndjson.zst" => rows.sink(lines.compress(Compression::Zstd)),
            "csv" => rows.sink(files::csv_sink(&out).rotate(rotation)),
            _ => rows.sink(files::parquet_sink(&out).rotate(rotation)),
        };
        Ok(())
    });
    let state = folder.join("state");
    let jobs = std::fs::read_dir(state.join("outside")).into_iter().flatten();
    let saved = jobs.map(Result::unwrap).any(|entry| entry.path().join("manifest.json").exists());
    let options = RunOptions {
        checkpoints: Some(CheckpointOptions { dir: state, interval_ms: 1, timeout_ms: 600_000 }),
        restore: saved.then_some(RestorePoint::Latest),
        ..RunOptions::default()
    };
    job?.run(&options).map(drop)
}

/// Is the job of the child process; without a task there is nothing to do.
#[test]
fn child() {
    let Ok(task) = std::env::var(TASK) else { return };
    let [folder, form, bytes] = task.split(' ').collect::<Vec<_>>()[..] else { panic!("{task}") };
    let error = job(&PathBuf::from(folder), form, bytes.parse().unwrap()).unwrap_err();
    eprintln!("told: {error}");
}

/// Runs the child on a disk where no file may be longer than the limit; what the job said.
fn on_a_small_disk(folder: &Path, form: &str, blocks: u64, large_bytes: usize) -> String {
    let command = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\" --exact child");
    let done = Command::new("sh")
        .args(["-c", &command, std::env::current_exe().unwrap().to_str().unwrap(), "--nocapture"])
        .env(TASK, format!("{} {form} {large_bytes}", folder.display()))
        .output()
        .unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    let told = said.lines().find_map(|line| line.split_once("told: "));
    told.unwrap_or_else(|| panic!("{form}: {said}\n{:?}", done.status)).1.to_owned()
}

/// Goal: a write that fails at a record, or when its part is finished (a flush, a footer), fails
/// the job with the path and the reason, and no reader sees anything but finished parts; with room
/// again the job goes on, and each record is there once. Method: a large record meets a limit on
/// the length of files.
#[test]
fn a_full_disk_fails_the_job_and_shows_finished_parts_only_i18() {
    for (form, blocks, lengths) in FORMS {
        for large_bytes in lengths {
            // In memory where that is possible: the limit is on files, whatever they lie on.
            let memory = tempfile::tempdir_in("/dev/shm");
            let folder = memory.or_else(|_| tempfile::tempdir()).unwrap();
            let out = folder.path().join("out");
            let told = on_a_small_disk(folder.path(), form, blocks, large_bytes);
            let path = format!("write {}/.part-0-", out.display());
            assert!(told.contains(&path) && told.ends_with("file too large"), "{form}: {told}");
            assert!(told.contains(&format!(".{form}: ")), "{form}: {told}");
            let found = numbers(&out);
            let parts = visible(&out);
            assert!(!parts.is_empty(), "{form}: {told}");
            assert_eq!(found, (0..found.len() as u64).collect::<Vec<_>>(), "{form}: {parts:?}");
            assert!(found.len() as u64 <= LARGE, "{form}: {parts:?}");

            job(folder.path(), form, large_bytes).unwrap();
            assert_eq!(numbers(&out), (0..COUNT).collect::<Vec<_>>(), "{form}");
            assert_eq!(all(&out), visible(&out), "{form}");
        }
    }
}
