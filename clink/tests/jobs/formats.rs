//! Writes random records in every format, compression and number of files, and reads them back by
//! any number of readers, whole and with interruptions.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use clink::files::Rotation;
use clink::prelude::*;
use clink::run::SchedulerKind;
use clink::testing::{World, for_each_seed};
use clink::{Job, JobError, RunOptions};

use crate::forms::{COMPRESSIONS, Form, Format, write};
use crate::read_back::visible;
use crate::rows::{Deep, Flat, Random, canonical, same};
use crate::support::{Cut, Interruptions, folder};

/// How many stories of copies; each makes and reads files, so they are few whatever is asked for.
const STORIES: u64 = 36;

fn simulated(random: &mut fastrand::Rng) -> RunOptions {
    RunOptions {
        scheduler: SchedulerKind::Simulation { seed: random.u64(..) },
        channel_capacity: *random.choice(&[1, 8, 2_048]).unwrap(),
        ..RunOptions::default()
    }
}

fn read<T: Random>(
    format: Format,
    path: &str,
    options: &RunOptions,
    parallelism: u32,
) -> Result<Vec<T>, JobError> {
    let mut collected = None;
    let job = Job::build_with("read", Some(parallelism), |pipeline| {
        collected = Some(format.read::<T>(pipeline, path).collect());
        Ok(())
    });
    job.unwrap().run(options)?;
    Ok(collected.unwrap().take())
}

/// One of the ways to name what has been written; none of them means a hidden file.
fn name(out: &Path, random: &mut fastrand::Rng) -> String {
    let files: Vec<_> = visible(out).into_iter().map(|name| out.join(name)).collect();
    let out = out.to_str().unwrap().to_owned();
    match random.u8(..3) {
        0 => out,
        1 if files.len() == 1 => files[0].to_str().unwrap().to_owned(),
        _ => format!("{out}/[op]*"),
    }
}

/// Writes with one to four subtasks, and reads with one to eight.
fn check_forms<T: Random>(form: Form) {
    let mut random = fastrand::Rng::with_seed(7);
    for writers in 1..=4 {
        let folder = folder();
        let out = folder.path().join("out");
        let count = *random.choice(&[1, 2, 30, 300]).unwrap();
        let records: Vec<T> = (0..count).map(|_| T::random(&mut random)).collect();
        let expected = canonical(records.iter().cloned().map(|record| record.through(form.format)));
        write(records, form, &out, writers);
        std::fs::write(out.join(".part-0-00000099.torn"), "{torn").unwrap();
        for readers in 1..=8 {
            // What is compressed is divided between its files only.
            if form.compression.is_some() && random.u8(..3) > 0 {
                continue;
            }
            let (path, options) = (name(&out, &mut random), simulated(&mut random));
            let told = format!("{form:?}, {writers} writers, {readers} readers of {path}");
            let found = read::<T>(form.format, &path, &options, readers);
            let found = canonical(found.unwrap_or_else(|error| panic!("{told}: {error}")));
            same(&found, &expected, &told);
        }
    }
}

/// In one file per writer and in a folder of parts.
fn check_format<T: Random>(format: Format) {
    let compressions = if format == Format::Parquet { &COMPRESSIONS[..1] } else { &COMPRESSIONS };
    for compression in compressions {
        for rotation in [None, Some(Rotation::bytes(2_000))] {
            check_forms::<T>(Form { format, compression: *compression, rotation });
        }
    }
}

#[test]
fn rows_come_back_from_csv_whoever_wrote_and_whoever_reads_them() {
    check_format::<Flat>(Format::Csv);
    check_format::<String>(Format::Csv);
}

#[test]
fn values_come_back_from_json_whoever_wrote_and_whoever_reads_them() {
    check_format::<Deep>(Format::Json);
    check_format::<String>(Format::Json);
}

#[test]
fn lines_come_back_from_text_whoever_wrote_and_whoever_reads_them() {
    check_format::<String>(Format::Text);
}

#[test]
fn values_come_back_from_parquet_whoever_wrote_and_whoever_reads_them() {
    check_format::<Deep>(Format::Parquet);
    check_format::<String>(Format::Parquet);
}

/// Copies files in some form into another one, cut a few times and gone on with by other numbers
/// of subtasks; what is in the copy then is every record once. True if an attempt went on from a
/// checkpoint.
fn check_copy<T: Random>(seed: u64) -> bool {
    let random = &mut fastrand::Rng::with_seed(seed);
    let folder = folder();
    let at = |name| folder.path().join(name);
    let (written, copied, state) = (at("out"), at("copy"), &at("state"));
    let from = Form::choose(*random.choice(T::FORMATS).unwrap(), random);
    let to = Form::choose(*random.choice(T::FORMATS).unwrap(), random);
    let told = format!("{from:?} to {to:?}");
    let count = random.u64(50..500);
    let records: Vec<T> = (0..count).map(|_| T::random(random)).collect();
    let lossy = |record: &T| record.clone().through(from.format).through(to.format);
    let expected = canonical(records.iter().map(lossy));
    write(records, from, &written, random.u32(1..=3));
    let path = name(&written, random);
    let cuts = &[Cut::Stop, Cut::Stop, Cut::Crash, Cut::Panic];
    let story = Interruptions { job: "copy", state, attempts: 3, cuts, records: count };
    let restored = story.run(&mut World::new(seed), |parallelism, pass, _| {
        Job::build_with("copy", Some(parallelism), |pipeline| {
            to.write(from.format.read::<T>(pipeline, &path).map(pass), &copied);
            Ok(())
        })
    });
    let path = copied.to_str().unwrap();
    let found = read::<T>(to.format, path, &RunOptions::default(), 2);
    let found = canonical(found.unwrap_or_else(|error| panic!("{told}: {error}")));
    same(&found, &expected, &told);
    restored
}

#[test]
fn a_copy_from_any_form_to_any_other_has_each_record_once_under_seeds() {
    let restored = AtomicU64::new(0);
    let told = for_each_seed(0..STORIES, |seed| {
        let went_on = match seed % 3 {
            0 => check_copy::<Flat>(seed),
            1 => check_copy::<Deep>(seed),
            _ => check_copy::<String>(seed),
        };
        restored.fetch_add(went_on.into(), Ordering::Relaxed);
    });
    let restored = restored.into_inner();
    assert!(restored >= told / 2, "only {restored} of {told} stories had a restore");
}
