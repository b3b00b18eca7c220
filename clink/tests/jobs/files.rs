//! Writes files with interruptions at changing parallelism, and reads each record back once.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use clink::prelude::*;
use clink::run::JobReport;
use clink::testing::{World, for_each_seed};
use clink::{Job, JobError, RunOptions};

use crate::support::{Cut, Interruptions, Pass, clear, folder};

/// Records of a job.
const COUNT: u64 = 2_500;

/// How many stories; each makes and reads files, so they are few whatever is asked for.
const STORIES: u64 = 40;

#[derive(Data, Clone, Debug)]
struct Row {
    number: u64,
    text: Option<String>,
}

/// The job that writes into the folder.
fn job(folder: &Path, parallelism: u32, pass: Pass<u64>) -> Result<Job, JobError> {
    let path = folder.join("out.ndjson");
    Job::build_with("files", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| n).uid("numbers").map(pass);
        let rows = numbers.map(|number| {
            let text = number.is_multiple_of(3).then(|| format!("row\n{number}"));
            Row { number, text }
        });
        rows.sink(files::ndjson_sink(path.to_str().unwrap()));
        Ok(())
    })
}

/// One attempt in the folder, cut after so many records.
fn attempt(
    world: &mut World,
    folder: &Path,
    parallelism: u32,
    (cut, at): (Cut, u64),
) -> Result<JobReport, JobError> {
    let pass = cut.after(at, world);
    world.set_parallelism(parallelism).run(|parallelism| job(folder, parallelism, pass))
}

/// Every number in any of the files, in order.
fn written(folder: &Path) -> Vec<u64> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_name().to_string_lossy().starts_with("out.ndjson") {
            for line in std::fs::read_to_string(entry.path()).unwrap().lines() {
                let row: serde_json::Value = serde_json::from_str(line).unwrap();
                numbers.push(row["number"].as_u64().unwrap());
            }
        }
    }
    numbers.sort_unstable();
    numbers
}

/// Cuts a job a few times and lets it end; what is in the files then is every record once.
/// True if an attempt went on from a checkpoint.
fn check(seed: u64, cuts: &[Cut]) -> bool {
    let folder = folder();
    let path = folder.path();
    let state = &path.join("state");
    let story = Interruptions { job: "files", state, attempts: 4, cuts, records: COUNT };
    let restored = story.run(&mut World::new(seed), |parallelism, pass, saved| {
        if !saved {
            // A job that starts afresh replaces its own files, not those of more subtasks.
            clear(path);
        }
        job(path, parallelism, pass)
    });
    let found = written(path);
    let missing: Vec<u64> = (0..COUNT).filter(|n| !found.contains(n)).collect();
    let twice: Vec<u64> =
        found.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert!(missing.is_empty() && twice.is_empty(), "missing {missing:?}\ntwice {twice:?}");
    assert_eq!(found, (0..COUNT).collect::<Vec<_>>());
    restored
}

/// Tells the stories and makes sure that they are about restores.
fn check_all(cuts: &[Cut]) {
    let restored = AtomicU64::new(0);
    let told = for_each_seed(0..STORIES, |seed| {
        restored.fetch_add(check(seed, cuts).into(), Ordering::Relaxed);
    });
    let restored = restored.into_inner();
    assert!(restored >= told / 2, "only {restored} of {told} stories had a restore");
}

#[test]
fn files_hold_each_record_once_after_stops_at_changing_parallelism_under_seeds() {
    check_all(&[Cut::Stop]);
}

#[test]
fn files_hold_each_record_once_after_failures_at_changing_parallelism_under_seeds() {
    check_all(&[Cut::Stop, Cut::Crash, Cut::Panic]);
}

/// The smallest story of that kind: stopped at one parallelism, failed at a second before anything
/// was saved, ended at the first.
#[test]
fn what_a_failed_attempt_at_another_parallelism_wrote_does_not_stay() {
    let folder = folder();
    let path = folder.path();
    let mut world = World::new(0);
    world.set_channel_capacity(8).save_into(&path.join("state"), days(1));
    attempt(&mut world, path, 2, (Cut::Stop, 100)).unwrap();
    let saved = written(path);
    attempt(&mut world, path, 1, (Cut::Panic, 1_000)).unwrap_err();
    assert!(written(path).len() > saved.len(), "the failed attempt has written something");
    attempt(&mut world, path, 2, (Cut::Never, 0)).unwrap();
    let found = written(path);
    assert_eq!(found.len() as u64, COUNT, "rows of the failed attempt are still there");
    assert_eq!(found, (0..COUNT).collect::<Vec<_>>());
}

#[test]
fn a_fresh_start_replaces_the_file() {
    let folder = folder();
    let path = folder.path().join("out.ndjson");
    std::fs::write(&path, "{\"number\":7,\"text\":null}\n").unwrap();
    attempt(&mut World::new(0), folder.path(), 1, (Cut::Never, 0)).unwrap();
    assert_eq!(written(folder.path()), (0..COUNT).collect::<Vec<_>>());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("{\"number\":0,\"text\":\"row\\n0\"}\n{\"number\":1,\"text\":null}\n")
    );
}

#[test]
fn a_folder_that_is_not_there_is_an_error_that_names_it() {
    let folder = folder();
    let missing = folder.path().join("no-such-folder");
    let error = attempt(&mut World::new(0), &missing, 2, (Cut::Never, 0)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("no-such-folder") && text.contains("operator `ndjson_file_sink`"),
        "{text}"
    );
}

#[test]
fn two_sinks_on_one_path_are_an_error_that_names_it() {
    let folder = folder();
    let path = folder.path().join("out.ndjson").display().to_string();
    let job = Job::build("twice", |pipeline| {
        let numbers = pipeline.generate(0, |n| n);
        numbers.clone().sink(clink::files::ndjson_sink(&path)).uid("one");
        numbers.sink(clink::files::ndjson_sink(&path)).uid("two");
        Ok(())
    });
    let error = job.unwrap().run(&RunOptions::default()).unwrap_err().to_string();
    assert!(error.contains("and so does `op_1`") && error.contains(&path), "{error}");
}
