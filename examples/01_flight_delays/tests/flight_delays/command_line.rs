//! Types what a person types at first: asks for help, errs, and watches what is said and when.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::input::{plain, repeated};
use crate::program::{Running, finish, program, root, run, signal};

/// All lines of a run, results and messages in the order in which they were written.
#[track_caller]
fn one_after_another(arguments: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.txt");
    let both = File::options().create(true).append(true).open(&path).unwrap();
    let mut command = program(arguments);
    command.stderr(Stdio::from(both.try_clone().unwrap())).stdout(Stdio::from(both));
    let status = command.status().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(status.code(), Some(0), "{text}");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn that_a_run_goes_on_is_said_before_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "many.csv", &repeated(2));
    let state = folder.path().join("state");
    let given = ["--checkpoint-dir", state.to_str().unwrap(), "--input", input.to_str().unwrap()];
    // Stopped with most of its output still to come: more than a pipe holds.
    let mut running = Running::start(&given);
    running.line();
    signal(running.pid(), "INT");
    assert_eq!(running.finish().code, Some(130));
    let again = [&given[..], &["--restore", "latest"]].concat();
    let lines = one_after_another(&again);
    assert_eq!(lines.first().map(String::as_str), Some("restored from checkpoint 1"));
    assert!(lines.len() > 1_000, "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("last checkpoint: 2"));
    let quiet = run(&[&again[..], &["--quiet"]].concat());
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
}

#[test]
fn help_alone_shows_the_flags_of_engine_and_job_and_the_verbs() {
    let help = run(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    let engine = ["--parallelism <N>", "--checkpoint-dir <DIR>", "--allow-unmatched-state"];
    let rest = ["--input <INPUT>", "\n  plan         Shows the plan", "CLINK_CHECKPOINT_DIR"];
    for part in engine.iter().chain(&rest) {
        assert!(help.stdout.contains(part), "`{part}` is not in:\n{}", help.stdout);
    }
    for same in [&["-h"][..], &["help"], &["run", "--help"], &["--parallelism", "4", "--help"]] {
        assert_eq!(run(same).stdout, help.stdout, "{same:?}");
    }
}

/// Types each example of help in a folder that has the input where the examples expect it.
#[test]
fn every_example_of_help_can_be_typed_as_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("examples"), folder.path().join("examples")).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_flight-delays")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    for (arguments, count) in [(&["--help"][..], 5), (&["run", "--help"], 5), (&["plan", "-h"], 4)]
    {
        // Each page of help is a person's first: what one leaves must not stand in another's way.
        let _ = fs::remove_dir_all(folder.path().join("state"));
        let help = run(arguments).stdout;
        let examples = help.split("Examples:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        let lines: Vec<&str> = examples.lines().filter(|line| !line.contains("# ")).collect();
        assert_eq!(lines.len(), count, "{help}");
        for line in lines {
            assert!(line.starts_with("  flight-delays"), "{line}");
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(line).current_dir(folder.path()).env("PATH", &path);
            let done = shell.output().unwrap();
            let said = String::from_utf8_lossy(&done.stderr);
            assert_eq!(done.status.code(), Some(0), "{line}\n{said}");
        }
    }
    let drawn = fs::read_to_string(folder.path().join("graph.svg")).unwrap();
    assert!(drawn.starts_with("<svg"), "{drawn}");
    let log = fs::read_to_string(folder.path().join("log.ndjson")).unwrap();
    assert!(log.starts_with("{\"time\":"), "{log}");
}

#[test]
fn a_word_that_is_nearly_a_verb_or_a_flag_is_named() {
    for (arguments, tip) in [
        (&["paln"][..], "tip: did you mean the verb `plan`?"),
        (&["--parallelism", "4", "plan"], "tip: the verb comes first: `flight-delays plan …`"),
        (&["--paralelism", "4"], "tip: a similar argument exists: '--parallelism'"),
    ] {
        let done = run(arguments);
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(done.stderr.contains(tip), "{arguments:?}: {}", done.stderr);
    }
}

#[test]
fn times_of_checkpoints_need_a_folder_however_they_are_given() {
    let needs = "needs --checkpoint-dir: where the checkpoints of this run go\n";
    for (flag, variable) in [
        ("--checkpoint-interval", "CLINK_CHECKPOINT_INTERVAL"),
        ("--checkpoint-timeout", "CLINK_CHECKPOINT_TIMEOUT"),
    ] {
        for verb in ["run", "plan"] {
            let done = run(&[verb, flag, "5s"]);
            assert_eq!((done.code, done.stderr), (Some(2), format!("error: {flag} {needs}")));
            let done = finish(program(&[verb]).env(variable, "5s").spawn().unwrap());
            assert_eq!(
                (done.code, done.stderr),
                (Some(2), format!("error: {flag} (from {variable}) {needs}"))
            );
            assert_eq!(done.stdout, "");
        }
    }
}
