//! Reads what a run says on stderr, for people and for programs, at every level.

use std::path::{Path, PathBuf};

use clink::Timestamp;
use serde_json::Value;

use crate::input::{first_rows, plain, repeated};
use crate::program::{Done, Running, finish, program, run, signal};

/// Every line of stderr as an object: its level, and what it says.
#[track_caller]
fn objects(done: &Done) -> Vec<(String, Value)> {
    let object = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: `{line}`"));
        let time: Timestamp = value["time"].as_str().unwrap().parse().unwrap();
        assert!(time > "2024-01-01T00:00:00Z".parse().unwrap(), "{line}");
        (value["level"].as_str().unwrap().to_owned(), value)
    };
    done.stderr.lines().map(object).collect()
}

fn levels(objects: &[(String, Value)]) -> Vec<&str> {
    objects.iter().map(|(level, _)| level.as_str()).collect()
}

/// A run over rows with checkpoints in `state`, and these flags.
fn saving(folder: &Path, more: &[&str]) -> Done {
    let input = folder.join("rows.csv");
    let input = if input.exists() { input } else { plain(folder, "rows.csv", &first_rows(300)) };
    let state = folder.join("state");
    let given = ["--input", input.to_str().unwrap(), "--checkpoint-dir", state.to_str().unwrap()];
    run(&[&given[..], more].concat())
}

#[test]
fn every_line_of_a_run_is_an_object_with_its_facts() {
    let folder = tempfile::tempdir().unwrap();
    let json = ["--log-format", "json", "--log-level", "debug"];
    let first = saving(folder.path(), &json);
    let lines = objects(&first);
    assert_eq!(levels(&lines), ["debug", "info", "info"], "{}", first.stderr);
    let (complete, ended, last) = (&lines[0].1, &lines[1].1, &lines[2].1);
    assert_eq!((&complete["checkpoint"], &complete["job"]), (&1.into(), &"delays".into()));
    assert_eq!((&ended["ending"], &ended["records_read"]), (&"finished".into(), &300.into()));
    assert_eq!(ended["records_written"], first.stdout.lines().count());
    assert!(ended["seconds"].as_f64().unwrap() < 60.0, "{ended}");
    assert_eq!((&last["checkpoint"], &last["message"]), (&1.into(), &"last checkpoint: 1".into()));
    let again = saving(folder.path(), &[&json[..2], &["--restore", "latest"]].concat());
    let lines = objects(&again);
    assert_eq!(lines[0].1["message"], "restored from checkpoint 1");
    // What was refused is logged too: it is no mistake of the command line.
    let refused = saving(folder.path(), &json);
    let lines = objects(&refused);
    assert_eq!((refused.code, levels(&lines)), (Some(3), vec!["error"]), "{}", refused.stderr);
    assert!(lines[0].1["message"].as_str().unwrap().contains("holds checkpoint 2"));
}

/// An input whose last line is no row.
fn failing(folder: &Path) -> PathBuf {
    plain(folder, "rows.csv", &format!("{}not,a,row\n", first_rows(2_000)))
}

#[test]
fn a_job_that_fails_is_logged_with_its_operator_and_how_far_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let input = failing(folder.path());
    let given = ["--input", input.to_str().unwrap(), "--log-format", "json"];
    let done = run(&given);
    let lines = objects(&done);
    assert_eq!((done.code, levels(&lines)), (Some(1), vec!["error", "info"]), "{}", done.stderr);
    let (error, ended) = (&lines[0].1, &lines[1].1);
    assert_eq!((&error["operator"], &error["subtask"]), (&"op_0".into(), &0.into()), "{error}");
    assert!(error["message"].as_str().unwrap().contains("rows.csv:2002: "), "{error}");
    assert_eq!(ended["ending"], "failed");
    let as_text = run(&given[..2]);
    assert!(as_text.stderr.starts_with("error: operator `csv_source`"), "{}", as_text.stderr);
    assert!(as_text.news().ends_with("\nfailed\n"), "{}", as_text.stderr);
}

#[test]
fn a_level_is_what_is_said_and_quiet_that_of_errors() {
    for (level, news) in [
        ("off", ""),
        ("error", ""),
        ("warn", ""),
        ("info", "finished\nlast checkpoint: 1\n"),
        ("debug", "debug: checkpoint 1 is complete, 1 in this run\nfinished\nlast checkpoint: 1\n"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let done = saving(folder.path(), &["--log-level", level]);
        assert_eq!((done.code, done.news().as_str()), (Some(0), news), "{level}");
    }
    let folder = tempfile::tempdir().unwrap();
    let input = failing(folder.path());
    let fails = ["--input", input.to_str().unwrap()];
    for (flags, lines) in [(&["--quiet"][..], 2), (&["--log-level", "off"], 0)] {
        let done = run(&[flags, &fails].concat());
        assert_eq!((done.code, done.stderr.lines().count()), (Some(1), lines), "{}", done.stderr);
    }
    // What was typed stands above what stands in a variable, whichever it is.
    let with = |name: &str, value: &str, flags: &[&str]| {
        let rows = first_rows(10);
        let folder = tempfile::tempdir().unwrap();
        let input = plain(folder.path(), "rows.csv", &rows);
        let flags = [&["--input", input.to_str().unwrap()], flags].concat();
        finish(program(&flags).env(name, value).spawn().unwrap())
    };
    assert_eq!(with("CLINK_LOG_LEVEL", "debug", &["--quiet"]).stderr, "");
    assert_eq!(with("CLINK_QUIET", "1", &[]).stderr, "");
    assert_eq!(with("CLINK_QUIET", "1", &["--log-level", "info"]).news(), "finished\n");
    let both = with("CLINK_QUIET", "1", &["--quiet", "--log-level", "debug"]);
    assert_eq!(both.code, Some(2), "{}", both.stderr);
}

#[test]
fn usage_errors_and_help_are_for_people_whatever_the_format() {
    let json = ["--log-format", "json"];
    for arguments in [&["--restore", "latest"][..], &["--paralelism", "4"], &["paln"]] {
        let done = run(&[&json, arguments].concat());
        assert_eq!(done.code, Some(2));
        assert!(done.stderr.starts_with("error: "), "{}", done.stderr);
    }
    assert!(run(&[&json[..], &["--help"]].concat()).stdout.starts_with("delays 1.0.0"));
}

#[test]
fn nothing_on_a_pipe_moves_a_cursor_or_has_a_colour() {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "many.csv", &repeated(2));
    let mut running = Running::start(&["--input", input.to_str().unwrap(), "--log-level", "trace"]);
    running.line();
    signal(running.pid(), "INT");
    let stopped = running.finish();
    assert_eq!(stopped.code, Some(130));
    for done in [stopped, run(&["--input", "no/such.csv"]), run(&["--paralelism"]), run(&["-h"])] {
        let said = done.stderr + &done.stdout;
        assert!(!said.contains(['\u{1b}', '\r']), "{said:?}");
    }
}

#[test]
fn every_ending_has_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(saving(folder.path(), &[]).code, Some(0));
    let bad = tempfile::tempdir().unwrap();
    let fails = failing(bad.path());
    let fails = ["--input", fails.to_str().unwrap()];
    assert_eq!(run(&fails).code, Some(1));
    let skipping = run(&[&fails[..], &["--on-bad-record", "skip"]].concat());
    assert_eq!((skipping.code, &*skipping.news()), (Some(0), "finished\n1 bad record skipped\n"));
    assert_eq!(run(&["--input"]).code, Some(2));
    assert_eq!(saving(folder.path(), &[]).code, Some(3));
    let input = plain(folder.path(), "many.csv", &repeated(2));
    let mut running = Running::start(&["--input", input.to_str().unwrap()]);
    running.line();
    signal(running.pid(), "INT");
    assert_eq!(running.finish().code, Some(130));
}
