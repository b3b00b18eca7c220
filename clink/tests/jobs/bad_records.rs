//! Puts records that do not fit into files of every format, and sees what the job, the counts and
//! the dead letters make of them under each policy, with restarts in between.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clink::prelude::*;
use clink::run::{BadRecordPolicy, JobReport, NoObserver, Signal};
use clink::{Job, JobError, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::scheduler::SchedulerKind;
use proptest::prelude::*;

use crate::support::{Seen, folder, saving, schedulers};

#[derive(Data, Clone, Debug, PartialEq)]
struct Row {
    n: i64,
    text: String,
}

/// How a file is written.
#[derive(Clone, Copy, Debug)]
enum Form {
    Csv,
    Ndjson,
}

const FORMS: [Form; 2] = [Form::Csv, Form::Ndjson];

impl Form {
    fn good(self, n: usize) -> Vec<u8> {
        match self {
            Self::Csv => format!("{n},\"a\nb\"\n").into_bytes(),
            Self::Ndjson => format!("{{\"n\":{n},\"text\":\"a\\nb\"}}\n").into_bytes(),
        }
    }

    /// Faults that end where their line does.
    fn bad(self, kind: usize) -> Vec<u8> {
        let faults: [&[u8]; 6] = match self {
            Self::Csv => [b"x,y\n", b"1\n", b"1,2,3\n", b"1,\xff\n", b"1,caf\xe9\n", b"1.0,y\n"],
            Self::Ndjson => [
                b"{\"n\":\"x\",\"text\":\"y\"}\n",
                b"{\"n\":1}\n",
                b"{\"n\":1,\"text\":\"y\"} {}\n",
                b"{\"n\":1,\"text\":\"\xff\"}\n",
                b"\xfe\xff\0{\0}\n",
                b"{\"n\":9223372036854775808,\"text\":\"y\"}\n",
            ],
        };
        faults[kind % faults.len()].to_vec()
    }

    fn head(self) -> &'static [u8] {
        match self {
            Self::Csv => b"n,text\n",
            Self::Ndjson => b"",
        }
    }

    fn write(self, path: &Path, records: impl IntoIterator<Item = Vec<u8>>) {
        let records: Vec<_> = records.into_iter().collect();
        fs::write(path, [self.head(), &records.concat()].concat()).unwrap();
    }
}

fn attempt(
    form: Form,
    path: &Path,
    seen: &Seen<i64>,
    options: &RunOptions,
    parallelism: u32,
    stop_at: Option<usize>,
) -> Result<JobReport, JobError> {
    let (send, signals) = crossbeam_channel::bounded(1);
    let path = path.to_str().unwrap().to_owned();
    let job = Job::build_with("bad", Some(parallelism), |pipeline| {
        let seen = seen.clone();
        let rows = match form {
            Form::Csv => pipeline.source(clink::files::csv::<Row>(path.as_str())),
            Form::Ndjson => pipeline.source(clink::files::ndjson::<Row>(path.as_str())),
        };
        let tapped = rows.map(move |row| {
            seen.push(row.n);
            if Some(seen.all().len()) == stop_at {
                send.send(Signal::Stop).unwrap();
            }
            row.n
        });
        tapped.sink(blackhole());
        Ok(())
    });
    job.unwrap().run_watched(options, &signals, &mut NoObserver)
}

fn bad_count(report: &JobReport) -> u64 {
    report.view.instances.iter().map(|instance| instance.metrics.bad_records()).sum()
}

fn letters(path: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn keeping(path: PathBuf) -> RunOptions {
    RunOptions { bad_records: BadRecordPolicy::File(path), ..RunOptions::default() }
}

#[test]
fn a_bad_record_fails_the_job_where_nothing_else_is_said_i07() {
    for form in FORMS {
        for at in [0, 50, 99] {
            let folder = folder();
            let path = folder.path().join("in");
            let record = |n| if n == at { form.bad(0) } else { form.good(n) };
            form.write(&path, (0..100).map(record));
            let seen = Seen::default();
            let failed = attempt(form, &path, &seen, &RunOptions::default(), 1, None);
            let error = failed.unwrap_err().to_string();
            // A good row of CSV has two lines, and the header one.
            let line = if matches!(form, Form::Csv) { 2 * at + 2 } else { at + 1 };
            assert!(error.contains(&format!("in:{line}: ")), "{form:?}, {at}: {error}");
            assert!(error.contains("expected"), "{error}");
        }
    }
}

#[test]
fn skipped_records_are_counted_and_the_good_ones_around_them_survive_i07_i12() {
    for form in FORMS {
        let folder = folder();
        let path = folder.path().join("in");
        let record = |n: usize| match n {
            0 | 98 | 99 => form.bad(n),
            n if n % 7 == 3 => form.bad(n / 7),
            n => form.good(n),
        };
        form.write(&path, (0..100).map(record));
        let expected: Vec<i64> =
            (0..100).filter(|n| ![0, 98, 99].contains(n) && n % 7 != 3).collect();
        for scheduler in schedulers() {
            for (parallelism, capacity) in [(1, 1), (1, 2_048), (4, 1), (4, 2_048)] {
                let options = RunOptions {
                    scheduler,
                    channel_capacity: capacity,
                    bad_records: BadRecordPolicy::Skip,
                    ..RunOptions::default()
                };
                let seen = Seen::default();
                let report = attempt(form, &path, &seen, &options, parallelism, None).unwrap();
                let mut found = seen.all();
                found.sort_unstable();
                assert_eq!(found, expected, "{form:?}, {scheduler:?}, {parallelism}");
                assert_eq!(bad_count(&report), 100 - expected.len() as u64);
            }
        }
    }
}

#[test]
fn a_dead_letter_says_where_and_why_and_how_the_record_begins() {
    let folder = folder();
    let (path, dead) = (folder.path().join("in.csv"), folder.path().join("bad.ndjson"));
    let long = format!("x,{}\n", "y".repeat(2_000)).into_bytes();
    Form::Csv.write(&path, [Form::Csv.good(1), long, Form::Csv.good(2), b"7\n".to_vec()]);
    let report =
        attempt(Form::Csv, &path, &Seen::default(), &keeping(dead.clone()), 1, None).unwrap();
    assert_eq!(report.view.bad_records_file.as_deref(), Some(dead.as_path()));
    let letters = letters(&dead);
    assert_eq!(letters.len(), 2);
    let [first, second] = [&letters[0], &letters[1]];
    assert_eq!(first["file"], path.to_str().unwrap());
    assert_eq!((&first["line"], &first["byte"]), (&4.into(), &15.into()));
    assert_eq!(first["column"], "n");
    assert_eq!(first["reason"], "expected an integer of 64 bits with a sign, found `x`");
    let payload = first["payload"].as_str().unwrap();
    assert!(payload.starts_with("x,yyyy") && payload.len() < 600, "{payload}");
    assert_eq!((&first["operator"], &first["subtask"]), (&"op_0".into(), &0.into()));
    assert_eq!(second["reason"], "expected 2 cells, as in the header, found 1");
    assert_eq!(second["payload"], "7");
}

#[test]
fn the_file_of_dead_letters_is_emptied_at_a_fresh_start_and_must_be_writable() {
    let folder = folder();
    let (path, dead) = (folder.path().join("in"), folder.path().join("bad.ndjson"));
    Form::Ndjson.write(&path, [Form::Ndjson.bad(0)]);
    for _ in 0..2 {
        attempt(Form::Ndjson, &path, &Seen::default(), &keeping(dead.clone()), 1, None).unwrap();
        assert_eq!(letters(&dead).len(), 1);
    }
    let nowhere = keeping(folder.path().join("no/bad.ndjson"));
    let failed = attempt(Form::Ndjson, &path, &Seen::default(), &nowhere, 1, None);
    let error = failed.unwrap_err();
    assert!(error.is_refusal() && error.to_string().contains("no/bad.ndjson"), "{error}");
}

#[test]
fn dead_letters_are_not_kept_in_a_file_that_the_job_reads_or_writes() {
    let folder = folder();
    let path = folder.path().join("in");
    Form::Ndjson.write(&path, [Form::Ndjson.good(1)]);
    let before = fs::read(&path).unwrap();
    let spelled = folder.path().join(".").join("in");
    let failed = attempt(Form::Ndjson, &path, &Seen::default(), &keeping(spelled), 1, None);
    let error = failed.unwrap_err();
    assert!(error.is_refusal() && error.to_string().contains("reads"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before, "the input is as it was");

    let out = folder.path().join("out");
    let job = Job::build_with("bad", Some(1), |pipeline| {
        let rows = pipeline.source(files::ndjson::<Row>(path.to_str().unwrap()));
        rows.sink(files::ndjson_sink(out.to_str().unwrap()));
        Ok(())
    });
    let job = job.unwrap();
    for name in ["out", "out.part-3"] {
        let failed = job.run(&keeping(folder.path().join(name)));
        let error = failed.unwrap_err();
        assert!(error.is_refusal() && error.to_string().contains("writes to"), "{error}");
    }
    assert!(!out.exists());
    // In a folder that is read, the next run would read them.
    let job = Job::build_with("bad", Some(1), |pipeline| {
        pipeline.source(files::ndjson::<Row>(folder.path().to_str().unwrap())).sink(blackhole());
        Ok(())
    });
    let failed = job.unwrap().run(&keeping(folder.path().join("bad.ndjson")));
    assert!(failed.unwrap_err().to_string().contains("reads"));
}

#[test]
fn a_word_that_is_no_policy_is_not_taken_for_a_file() {
    assert_eq!(BadRecordPolicy::from_str("fail"), Ok(BadRecordPolicy::Fail));
    assert_eq!(BadRecordPolicy::from_str("skip"), Ok(BadRecordPolicy::Skip));
    assert_eq!(BadRecordPolicy::from_str("./x"), Ok(BadRecordPolicy::File("./x".into())));
    let error = BadRecordPolicy::from_str("skpi").unwrap_err();
    assert!(error.contains("`./skpi`"), "{error}");
}

#[test]
fn a_record_beyond_the_limit_is_one_bad_record_however_long_i11() {
    for form in FORMS {
        let folder = folder();
        let (path, dead) = (folder.path().join("in"), folder.path().join("bad.ndjson"));
        let sized = |length: usize| {
            let empty = match form {
                Form::Csv => "5,".len(),
                Form::Ndjson => "{\"n\":5,\"text\":\"\"}".len(),
            };
            let text = "x".repeat(length - empty);
            match form {
                Form::Csv => format!("5,{text}\n"),
                Form::Ndjson => format!("{{\"n\":5,\"text\":\"{text}\"}}\n"),
            }
        };
        for (length, is_good) in [(1_023, true), (1_024, true), (1_025, false), (50 << 20, false)] {
            let long = sized(length).into_bytes();
            form.write(&path, [form.good(1), long, form.good(2)]);
            let options = RunOptions { record_bytes_max: 1_024, ..keeping(dead.clone()) };
            let seen = Seen::default();
            attempt(form, &path, &seen, &options, 2, None).unwrap();
            let expected: &[i64] = if is_good { &[1, 5, 2] } else { &[1, 2] };
            let (found, expected): (BTreeSet<i64>, _) = (
                seen.all().into_iter().collect(),
                expected.iter().copied().collect::<BTreeSet<i64>>(),
            );
            assert_eq!(found, expected, "{form:?}, {length}");
            let letters = letters(&dead);
            assert_eq!(letters.len(), usize::from(!is_good), "{form:?}, {length}: {letters:?}");
            for letter in letters {
                let reason = letter["reason"].as_str().unwrap();
                assert!(reason.starts_with("expected a record of at most 1024 B"), "{reason}");
            }
        }
        // No end at all: the rest of the file is the record.
        form.write(&path, [form.good(1), sized(5 << 20).trim_end().into()]);
        let options = RunOptions { record_bytes_max: 1_024, ..keeping(dead.clone()) };
        let seen = Seen::default();
        attempt(form, &path, &seen, &options, 1, None).unwrap();
        assert_eq!((seen.all(), letters(&dead).len()), (vec![1], 1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Stops a job over good and bad records at random places and goes on from there, at other
    /// parallelisms: every good record comes once, every bad one is in the dead letters once.
    #[test]
    fn positions_move_past_bad_records_i07(
        bad in proptest::collection::vec(proptest::option::weighted(0.3, 0..6_usize), 1..400),
        stops in proptest::collection::vec(1..200_usize, 0..3),
        seed: u64,
        is_csv: bool,
    ) {
        let form = if is_csv { Form::Csv } else { Form::Ndjson };
        let folder = folder();
        let (path, dead) = (folder.path().join("in"), folder.path().join("bad.ndjson"));
        let record = |(n, kind): (usize, &Option<usize>)| match kind {
            Some(kind) => form.bad(*kind),
            None => form.good(n),
        };
        form.write(&path, bad.iter().enumerate().map(record));
        let seen = Seen::default();
        let stops = stops.into_iter().map(Some).chain([None]);
        let mut options = keeping(dead.clone());
        options.checkpoints = saving(&folder.path().join("state"), 86_400_000);
        let mut parallelism = 1 + seed as u32 % 3;
        for stop in stops {
            options.scheduler = SchedulerKind::Simulation { seed };
            let stop_at = stop.map(|more| seen.all().len() + more);
            attempt(form, &path, &seen, &options, parallelism, stop_at).unwrap();
            options.restore = Some(RestorePoint::Latest);
            parallelism = 1 + (parallelism + 1) % 4;
        }
        let mut found = seen.all();
        found.sort_unstable();
        let good = bad.iter().enumerate().filter(|(_, kind)| kind.is_none());
        prop_assert_eq!(found, good.map(|(n, _)| n as i64).collect::<Vec<_>>());
        let bytes: BTreeSet<u64> =
            letters(&dead).iter().map(|letter| letter["byte"].as_u64().unwrap()).collect();
        let count = bad.iter().flatten().count();
        prop_assert_eq!((bytes.len(), letters(&dead).len()), (count, count));
    }
}
