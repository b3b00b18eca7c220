//! Writes files with interruptions at changing parallelism, and reads each record back once.

use std::path::Path;

use clink::prelude::*;
use clink::run::Ending;
use clink::{Job, JobError, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::{JobReport, NoObserver};
use clink_runtime::scheduler::SchedulerKind;

use crate::support::{Cut, folder, saving};

/// Records of a job.
const COUNT: u64 = 2_500;

/// How many stories; each makes and reads files, so they are few whatever is asked for.
const STORIES: u64 = 40;

#[derive(Data, Clone, Debug)]
struct Row {
    number: u64,
    text: Option<String>,
}

/// One attempt in the folder, cut after so many records.
fn attempt(
    folder: &Path,
    options: &RunOptions,
    parallelism: u32,
    (cut, at): (Cut, u64),
) -> Result<JobReport, JobError> {
    let (pass, signals) = cut.after(at);
    let path = folder.join("out.ndjson");
    let job = Job::build_with("files", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| n).uid("numbers").map(pass);
        let rows = numbers.map(|number| {
            let text = number.is_multiple_of(3).then(|| format!("row\n{number}"));
            Row { number, text }
        });
        rows.sink(files::ndjson_sink(path.to_str().unwrap()));
        Ok(())
    });
    job.unwrap().run_watched(options, &signals, &mut NoObserver)
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

fn clear(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_file() {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
}

/// Cuts a job a few times and lets it end; what is in the files then is every record once.
/// True if an attempt went on from a checkpoint.
fn check(seed: u64, cuts: &[Cut]) -> bool {
    let folder = folder();
    let path = folder.path();
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut told, mut restored) = (Vec::new(), false);
    for turn in 0..4 {
        let parallelism = random.u32(1..=5);
        let cut = if turn == 3 { Cut::Never } else { *random.choice(cuts).unwrap() };
        let at = random.u64(..COUNT);
        let jobs = std::fs::read_dir(path.join("state/files")).into_iter().flatten();
        let saved = jobs.map(Result::unwrap).any(|job| job.path().join("manifest.json").exists());
        restored |= saved;
        if !saved {
            // A job that starts afresh replaces its own files, not those of more subtasks.
            clear(path);
        }
        let options = RunOptions {
            scheduler: SchedulerKind::Simulation { seed: random.u64(..) },
            channel_capacity: *random.choice(&[1, 8, 2_048]).unwrap(),
            checkpoints: saving(
                &path.join("state"),
                *random.choice(&[5, 40, 200, 86_400_000]).unwrap(),
            ),
            restore: saved.then_some(RestorePoint::Latest),
            ..RunOptions::default()
        };
        let result = attempt(path, &options, parallelism, (cut, at));
        let ended = result.map(|report| report.ending).map_err(|error| error.to_string());
        told.push(format!("parallelism {parallelism}, {cut:?} at {at}, from {saved}: {ended:?}"));
        match ended {
            Err(error) => assert!(cut == Cut::Panic && error.contains("cut"), "{told:#?}"),
            Ok(ending) => assert!(cut != Cut::Never || ending == Ending::Finished, "{told:#?}"),
        }
    }
    let found = written(path);
    let missing: Vec<u64> = (0..COUNT).filter(|n| !found.contains(n)).collect();
    let twice: Vec<u64> =
        found.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert!(
        missing.is_empty() && twice.is_empty(),
        "seed {seed}: {told:#?}\nmissing {missing:?}\ntwice {twice:?}"
    );
    assert_eq!(found, (0..COUNT).collect::<Vec<_>>());
    restored
}

/// Tells the stories and makes sure that they are about restores.
fn check_all(cuts: &[Cut]) {
    let restored = (0..STORIES).filter(|seed| check(*seed, cuts)).count() as u64;
    assert!(restored > STORIES / 2, "only {restored} of {STORIES} stories had a restore");
}

#[test]
fn files_hold_each_record_once_after_stops_at_changing_parallelism_under_seeds() {
    check_all(&[Cut::Stop]);
}

#[test]
fn files_hold_each_record_once_after_failures_at_changing_parallelism_under_seeds() {
    check_all(&[Cut::Stop, Cut::Cancel, Cut::Panic]);
}

/// The smallest story of that kind: stopped at one parallelism, failed at a second before anything
/// was saved, ended at the first.
#[test]
fn what_a_failed_attempt_at_another_parallelism_wrote_does_not_stay() {
    let folder = folder();
    let path = folder.path();
    let mut options = RunOptions {
        scheduler: SchedulerKind::Simulation { seed: 0 },
        channel_capacity: 8,
        checkpoints: saving(&path.join("state"), 86_400_000),
        ..RunOptions::default()
    };
    attempt(path, &options, 2, (Cut::Stop, 100)).unwrap();
    options.restore = Some(RestorePoint::Latest);
    let saved = written(path);
    attempt(path, &options, 1, (Cut::Panic, 1_000)).unwrap_err();
    assert!(written(path).len() > saved.len(), "the failed attempt has written something");
    attempt(path, &options, 2, (Cut::Never, 0)).unwrap();
    let found = written(path);
    assert_eq!(found.len() as u64, COUNT, "rows of the failed attempt are still there");
    assert_eq!(found, (0..COUNT).collect::<Vec<_>>());
}

#[test]
fn a_fresh_start_replaces_the_file() {
    let folder = folder();
    let path = folder.path().join("out.ndjson");
    std::fs::write(&path, "{\"number\":7,\"text\":null}\n").unwrap();
    attempt(folder.path(), &RunOptions::default(), 1, (Cut::Never, 0)).unwrap();
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
    let error = attempt(&missing, &RunOptions::default(), 2, (Cut::Never, 0)).unwrap_err();
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
