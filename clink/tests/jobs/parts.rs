//! Writes every format in every form with interruptions at changing parallelism, and reads each
//! record back once.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use clink::prelude::*;
use clink::run::Ending;
use clink::{Job, JobError, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::{JobReport, NoObserver};
use clink_runtime::scheduler::SchedulerKind;

use crate::forms::{Form, Format, Lines};
use crate::read_back::{Row, all, numbers, visible};
use crate::support::{Cut, folder, saving};

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

/// One attempt in the folder, cut after so many records.
fn attempt(
    folder: &Path,
    form: Form,
    options: &RunOptions,
    parallelism: u32,
    (cut, at): (Cut, u64),
) -> Result<JobReport, JobError> {
    let (pass, signals) = cut.after(at);
    let job = Job::build_with("parts", Some(parallelism), |pipeline| {
        let numbers = pipeline.generate(COUNT, |n| n).uid("numbers").map(pass);
        let rows = numbers.map(|number| Row {
            number,
            text: number.is_multiple_of(3).then(|| format!("row {number}")),
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
    let formats = [Format::Json, Format::Csv, Format::Text, Format::Parquet];
    let form = Form::choose(*random.choice(&formats).unwrap(), &mut random);
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
        if form.is_folder() {
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
