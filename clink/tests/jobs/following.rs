//! Follows a log through rotations, stops and restores: every line once, and what a person should
//! know is told.

use std::fs;
use std::io::Write;
use std::path::Path;

use clink::Job;
use clink::RunOptions;
use clink::prelude::*;
use clink::run::{Ending, JobReport, NoObserver, Signal};
use clink_runtime::checkpoint::store::RestorePoint;

use crate::support::{Seen, folder, saving, schedulers};

fn append(path: &Path, lines: impl IntoIterator<Item = u64>) {
    let text: String = lines.into_iter().map(|n| format!("{n}\n")).collect();
    let file = fs::OpenOptions::new().append(true).create(true).open(path);
    file.unwrap().write_all(text.as_bytes()).unwrap();
}

/// Follows the log until so many records have come in all attempts together.
fn attempt(
    log: &Path,
    options: &RunOptions,
    parallelism: u32,
    seen: &Seen<u64>,
    until: usize,
) -> JobReport {
    let (send, signals) = crossbeam_channel::bounded(1);
    let path = log.to_str().unwrap().to_owned();
    let job = Job::build_with("following", Some(parallelism), |pipeline| {
        let lines = pipeline.source(clink::files::ndjson::<u64>(path).follow()).uid("log");
        let seen = seen.clone();
        let counted = lines.map(move |n| {
            seen.push(n);
            if seen.all().len() == until {
                send.send(Signal::Stop).unwrap();
            }
            n
        });
        counted.sink(blackhole());
        Ok(())
    });
    job.unwrap().run_watched(options, &signals, &mut NoObserver).unwrap()
}

#[test]
fn a_log_is_followed_through_rotations_and_restores_at_any_parallelism() {
    for scheduler in schedulers() {
        let folder = folder();
        let (log, old) = (folder.path().join("log"), folder.path().join("log.1"));
        let seen = Seen::default();
        let mut options = RunOptions {
            scheduler,
            channel_capacity: 8,
            checkpoints: saving(&folder.path().join("state"), 86_400_000),
            ..RunOptions::default()
        };
        append(&log, 0..1_000);
        let report = attempt(&log, &options, 1, &seen, 700);
        assert_eq!(report.ending, Ending::Stopped);
        append(&log, 1_000..1_500);
        fs::rename(&log, &old).unwrap();
        append(&log, 1_500..2_000);
        options.restore = Some(RestorePoint::Latest);
        attempt(&log, &options, 3, &seen, 2_000);
        // What is not there to be told apart by its length is told.
        fs::write(&log, "2000\n").unwrap();
        let report = attempt(&log, &options, 2, &seen, 2_001);
        let notice = &report.view.notices[0];
        assert!(notice.contains("log was emptied at byte 2500"), "{scheduler:?}: {notice}");
        let mut found = seen.all();
        found.sort_unstable();
        assert_eq!(found, (0..2_001).collect::<Vec<_>>(), "{scheduler:?}");
    }
}
