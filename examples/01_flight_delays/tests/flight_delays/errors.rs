//! Makes each mistake a person can make and reads what the program says of it, and how it exits.

use std::fs;
use std::path::{Path, PathBuf};

use crate::input::{FLIGHTS, first_rows, packed, plain};
use crate::program::{Done, finish, program, run};

/// The program failed with this exit code and one message that holds all of these.
#[track_caller]
fn assert_complains(done: &Done, code: i32, says: &[&str]) {
    let Done { stdout, stderr, .. } = done;
    assert_eq!(done.code, Some(code), "{stderr}");
    for part in says {
        assert!(stderr.contains(part), "`{part}` is not in:\n{stderr}");
    }
    assert!(stderr.starts_with("error"), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert_eq!(stdout, "", "results of a run that could not start");
}

fn run_on(input: &Path, more: &[&str]) -> Done {
    let mut arguments = vec!["--input", input.to_str().unwrap()];
    arguments.extend(more);
    run(&arguments)
}

#[test]
fn a_missing_file_is_named_with_the_folder_it_was_looked_for_in() {
    for parallelism in ["1", "4"] {
        let done = run(&["--input", "no/such/flights.csv", "--parallelism", parallelism]);
        let folder = crate::program::root();
        let says = [
            "error[P0808] operator `op_0` (examples/01_flight_delays/src/lib.rs:",
            "): open no/such/flights.csv: ",
        ];
        assert_complains(&done, 3, &says);
        assert_complains(&done, 3, &[folder.to_str().unwrap()]);
        assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
    }
}

#[test]
fn a_folder_and_an_empty_file_are_no_input() {
    let folder = tempfile::tempdir().unwrap();
    assert_complains(&run_on(folder.path(), &[]), 3, &["the folder holds no file"]);
    let empty = plain(folder.path(), "empty.csv", "");
    let says = ["empty.csv: expected a header line, found an empty file"];
    assert_complains(&run_on(&empty, &[]), 3, &says);
    let header = plain(folder.path(), "header.csv", FLIGHTS.lines().next().unwrap());
    let done = run_on(&header, &["--parallelism", "3"]);
    assert_eq!(
        (done.code, done.news().as_str(), done.stdout.as_str()),
        (Some(0), "finished\n", "")
    );
}

#[test]
fn a_column_that_the_header_lacks_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let rows = first_rows(20).replacen("carrier", "airline", 1);
    let plain_rows = plain(folder.path(), "lacks.csv", &rows);
    let packed_rows = packed(folder.path(), "lacks.csv.gz", &rows);
    for input in [plain_rows, packed_rows] {
        let lacks = "the header has no column `carrier`; it is: `scheduled_at`, `departed_at`, \
                     `airline`, ";
        let says =
            [&format!("read {}: {lacks}", input.display()), "error[P0808] operator `op_0` ("];
        assert_complains(&run_on(&input, &[]), 3, &says);
        assert_complains(&run_on(&input, &["--parallelism", "4"]), 3, &says);
    }
    // Also where the field is an `Option`: without its column every value would be missing.
    let rows = first_rows(20).replacen("dep_delay", "delay", 1);
    let input = plain(folder.path(), "optional.csv", &rows);
    assert_complains(&run_on(&input, &[]), 3, &["the header has no column `dep_delay`; it is: "]);
}

/// The first rows with the delay of one line replaced.
fn with_delay(line: usize, delay: &str) -> String {
    first_rows(600).lines().enumerate().fold(String::new(), |text, (at, row)| {
        let mut cells: Vec<&str> = row.split(',').collect();
        if at + 1 == line {
            cells[7] = delay;
        }
        text + &cells.join(",") + "\r\n"
    })
}

#[test]
fn a_wrong_type_is_placed_by_file_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    for line in [2, 17, 601] {
        let text = with_delay(line, "eleven");
        for (input, name) in [
            (plain(folder.path(), "wrong.csv", &text), "wrong.csv"),
            (packed(folder.path(), "wrong.csv.gz", &text), "wrong.csv.gz"),
        ] {
            for scheduler in ["pool", "threads", "simulation"] {
                for parallelism in ["1", "4"] {
                    let more = ["--scheduler", scheduler, "--parallelism", parallelism];
                    let done = run_on(&input, &more);
                    let place = format!("{name}:{line}: column `dep_delay`: expected ");
                    assert_eq!(done.code, Some(1), "{}", done.stderr);
                    assert!(done.stderr.contains(&place), "{more:?}: {}", done.stderr);
                    assert!(done.stderr.contains("found `eleven`"), "{}", done.stderr);
                    assert!(done.stderr.starts_with("error: operator `csv_source` (op_0"));
                    // What it had come to by then is not always the same.
                    let lines = done.news().lines().filter(|line| *line != "failed").count();
                    assert_eq!(lines, 2, "{}", done.stderr);
                    let help = "\n  help: `--on-bad-record skip` counts such records";
                    assert!(done.stderr.contains(help), "{}", done.stderr);
                }
            }
        }
    }
}

#[test]
fn a_row_of_another_width_and_a_number_too_large_are_placed() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = first_rows(15);
    rows += "2013-01-01T10:15:00Z,2013-01-01T10:17:00Z,UA\n";
    let input = plain(folder.path(), "short.csv", &rows);
    let done = run_on(&input, &[]);
    assert_eq!(done.code, Some(1));
    let says = "short.csv:17: expected 11 cells, as in the header, found 3";
    assert!(done.stderr.contains(says), "{}", done.stderr);
    let input = plain(folder.path(), "large.csv", &with_delay(17, "9223372036854775808"));
    let done = run_on(&input, &[]);
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("large.csv:17: column `dep_delay`: "), "{}", done.stderr);
}

#[test]
fn a_gzip_file_that_breaks_off_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let whole = packed(folder.path(), "whole.csv.gz", &FLIGHTS);
    let bytes = fs::read(&whole).unwrap();
    let broken = folder.path().join("broken.csv.gz");
    fs::write(&broken, &bytes[..bytes.len() / 2]).unwrap();
    let done = run_on(&broken, &[]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains("broken.csv.gz: after byte "), "{}", done.stderr);
}

#[test]
fn flags_that_make_no_sense_are_usage_errors() {
    let cases: &[(&[&str], &str)] = &[
        (&["--paralelism", "2"], "--parallelism"),
        (&["--unknown"], "unexpected argument '--unknown' found"),
        (&["--parallelism", "0"], "expected a whole number from 1 to 32768"),
        (&["--parallelism", "many"], "expected a whole number from 1 to 32768"),
        (&["--parallelism", "32769"], "expected a whole number from 1 to 32768"),
        (&["--channel-capacity", "0"], "expected a whole number from 1 to 16777216"),
        (&["--checkpoint-interval", "soon"], "such as `20ms`, `10s` or `5m`, found `soon`"),
        (&["--checkpoint-interval", "0s"], "expected a time from 1ms to 24h, such as"),
        (&["--checkpoint-interval", "10"], "expected a time from 1ms to 24h, such as"),
        (&["--checkpoint-timeout", "25h"], "expected a time from 1ms to 24h, such as"),
        (&["--scheduler", "fair"], "[possible values: pool, threads, simulation]"),
        (&["--seed", "1"], "--seed needs --scheduler simulation"),
        (&["--restore", "latest"], "--restore needs --checkpoint-dir"),
        (&["--input"], "a value is required for '--input <INPUT>'"),
        (&["--input", "a.csv", "--input", "b.csv"], "cannot be used multiple times"),
        (&["run", "away"], "unexpected argument 'away' found"),
        (&["plan", "--form", "shape"], "invalid value 'shape'"),
    ];
    for (arguments, says) in cases {
        let done = run(arguments);
        assert_eq!(done.code, Some(2), "{arguments:?}: {}", done.stderr);
        assert!(done.stderr.contains(says), "{arguments:?}: {}", done.stderr);
        assert_eq!(done.stdout, "", "{arguments:?}");
    }
}

#[test]
fn the_longest_time_that_the_message_allows_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = vec!["--checkpoint-dir", folder.path().to_str().unwrap()];
    arguments.extend(["--checkpoint-interval", "24h", "--input", "no/such/file.csv"]);
    let done = run(&arguments);
    assert_eq!(done.code, Some(3), "{}", done.stderr);
}

/// A complete checkpoint of the job in `folder`, and the files it consists of.
fn checkpointed(folder: &Path, input: &Path) -> Vec<PathBuf> {
    let done = run_on(input, &["--checkpoint-dir", folder.to_str().unwrap()]);
    assert_eq!((done.code, done.news().as_str()), (Some(0), "finished\nlast checkpoint: 1\n"));
    let mut files = Vec::new();
    let mut folders = vec![folder.join("delays/chk-1")];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            let list = if entry.path().is_dir() { &mut folders } else { &mut files };
            list.push(entry.path());
        }
    }
    files.sort();
    files
}

#[test]
fn a_checkpoint_that_is_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "rows.csv", &first_rows(100));
    let dir = folder.path().join("state");
    let restore = |which: &str| {
        run_on(&input, &["--checkpoint-dir", dir.to_str().unwrap(), "--restore", which])
    };
    let says = ["no checkpoint `latest` in ", "start without --restore"];
    assert_complains(&restore("latest"), 3, &says);
    checkpointed(&dir, &input);
    assert_complains(&restore("7"), 3, &["no checkpoint `7` in ", "complete are 1"]);
    let elsewhere = dir.join("delays/chk-9");
    let elsewhere = elsewhere.to_str().unwrap();
    assert_complains(&restore(elsewhere), 3, &[&format!("no checkpoint at {elsewhere}")]);
    for which in ["nonsense", dir.to_str().unwrap()] {
        let says = [which, "`latest`, `none`, a number, or the path of a checkpoint", " are 1\n"];
        assert_complains(&restore(which), 3, &says);
    }
    for which in ["1", "latest", dir.join("delays/chk-1").to_str().unwrap()] {
        let done = restore(which);
        assert_eq!(done.code, Some(0), "{which}: {}", done.stderr);
        assert!(done.stderr.starts_with("restored from checkpoint 1\n"), "{}", done.stderr);
        assert_eq!(done.stdout, "", "the input was used up at checkpoint 1");
        fs::remove_dir_all(dir.join("delays/chk-2")).unwrap();
    }
}

#[test]
fn an_error_about_checkpoints_names_the_flag_and_the_variable_it_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "rows.csv", &first_rows(10));
    let file = folder.path().join("a-file");
    fs::write(&file, "").unwrap();
    let below = ["--checkpoint-dir", file.to_str().unwrap()];
    let says = ["not a directory; it is below --checkpoint-dir\n"];
    assert_complains(&run_on(&input, &below), 1, &says);
    let with = |variables: &[(&str, &str)]| {
        let mut command = program(&["--input", input.to_str().unwrap()]);
        finish(command.envs(variables.iter().copied()).spawn().unwrap())
    };
    let dir = ("CLINK_CHECKPOINT_DIR", folder.path().to_str().unwrap());
    let says = ["no checkpoint `7` in ", "; this is --restore (from CLINK_RESTORE)\n"];
    assert_complains(&with(&[dir, ("CLINK_RESTORE", "7")]), 3, &says);
    assert_eq!(with(&[dir]).code, Some(0));
    let says = ["holds checkpoint 1", "; this is --checkpoint-dir (from CLINK_CHECKPOINT_DIR)\n"];
    assert_complains(&with(&[dir]), 3, &says);
}

#[test]
fn a_damaged_checkpoint_is_refused_and_the_file_named() {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "rows.csv", &first_rows(100));
    let dir = folder.path().join("state");
    let files = checkpointed(&dir, &input);
    assert_eq!(files.len(), 4, "two slots, the splits, the manifest: {files:?}");
    let mut random = fastrand::Rng::with_seed(3);
    for file in &files {
        let whole = fs::read(file).unwrap();
        for turn in 0..6 {
            let mut damaged = whole.clone();
            match turn {
                0 => damaged.truncate(whole.len() - 1),
                1 => damaged.push(0),
                _ => damaged[random.usize(..whole.len())] ^= 1 << random.u8(..8),
            }
            fs::write(file, damaged).unwrap();
            let more = ["--checkpoint-dir", dir.to_str().unwrap(), "--restore", "latest"];
            assert_complains(&run_on(&input, &more), 3, &[file.to_str().unwrap(), "damaged"]);
        }
        // Without its manifest a checkpoint does not exist, and what is left of it is cleared away.
        if !file.ends_with("manifest.json") {
            fs::remove_file(file).unwrap();
            let more = ["--checkpoint-dir", dir.to_str().unwrap(), "--restore", "1"];
            assert_complains(&run_on(&input, &more), 3, &[file.to_str().unwrap()]);
        }
        fs::write(file, whole).unwrap();
    }
}

#[test]
fn a_checkpoint_of_another_job_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "rows.csv", &first_rows(100));
    let dir = folder.path().join("state");
    let files = checkpointed(&dir, &input);
    let manifest = files.iter().find(|file| file.ends_with("manifest.json")).unwrap();
    // A name of the same length, so that only the name is another.
    let other = fs::read_to_string(manifest).unwrap().replacen("delays", "holdup", 1);
    fs::write(manifest, other).unwrap();
    let done = run_on(&input, &["--checkpoint-dir", dir.to_str().unwrap(), "--restore", "1"]);
    assert_complains(&done, 3, &[manifest.to_str().unwrap()]);
}

#[test]
fn a_checkpoint_folder_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = plain(folder.path(), "a-file", "");
    let done = run(&["--checkpoint-dir", file.join("state").to_str().unwrap()]);
    assert_complains(&done, 1, &[file.to_str().unwrap()]);
}
