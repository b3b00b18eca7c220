//! Writes every format in every form with interruptions at changing parallelism, and reads each
//! record back once.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use clink::prelude::*;
use clink::testing::{World, for_each_seed};
use clink::{Job, JobError};

use crate::forms::{Form, Format, Lines};
use crate::read_back::{Row, all, numbers, visible};
use crate::support::{Cut, Interruptions, Pass, folder};

/// Records of a job.
const COUNT: u64 = 800;

/// How many stories; each makes and reads files, so they are few whatever is asked for.
const STORIES: u64 = 120;

impl Lines for Row {
    fn to_line(self) -> String {
        self.number.to_string()
    }

    fn of_line(line: String) -> Self {
        Self { number: line.parse().unwrap(), text: None }
    }
}

/// The job that writes into the folder.
fn job(folder: &Path, form: Form, parallelism: u32, pass: Pass<u64>) -> Result<Job, JobError> {
    Job::build_with("parts", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| n).uid("numbers").map(pass);
        let rows = numbers.map(|number| Row {
            number,
            text: number.is_multiple_of(3).then(|| format!("row {number}")),
        });
        form.write(rows, folder);
        Ok(())
    })
}

/// Cuts a job a few times and lets it end; what is in the files then is every record once.
/// True if an attempt went on from a checkpoint.
fn check(seed: u64) -> bool {
    let folder = folder();
    let (state, out) = (&folder.path().join("state"), folder.path().join("out"));
    let mut random = fastrand::Rng::with_seed(seed);
    let formats = [Format::Json, Format::Csv, Format::Text, Format::Parquet];
    let form = Form::choose(*random.choice(&formats).unwrap(), &mut random);
    let cuts = &[Cut::Stop, Cut::Crash, Cut::Panic];
    let story = Interruptions { job: "parts", state, attempts: 4, cuts, records: COUNT };
    let restored = story.run(&mut World::new(seed), |parallelism, pass, _| {
        if form.is_folder() && out.exists() {
            // Whatever has happened, no reader sees anything but whole parts.
            numbers(&out);
        }
        job(&out, form, parallelism, pass)
    });
    assert_eq!(all(&out), visible(&out), "{form:?}: nothing stays hidden");
    let found = numbers(&out);
    let missing: Vec<u64> = (0..COUNT).filter(|n| found.binary_search(n).is_err()).collect();
    let twice: Vec<u64> =
        found.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert!(
        missing.is_empty() && twice.is_empty(),
        "{form:?}: missing {missing:?}\ntwice {twice:?}"
    );
    restored
}

#[test]
fn every_form_holds_each_record_once_after_failures_at_changing_parallelism_under_seeds() {
    let restored = AtomicU64::new(0);
    let told = for_each_seed(0..STORIES, |seed| {
        restored.fetch_add(check(seed).into(), Ordering::Relaxed);
    });
    let restored = restored.into_inner();
    assert!(restored >= told / 2, "only {restored} of {told} stories had a restore");
}
