//! Stops the job as Ctrl-C does, once and twice, and lets it go on later.

use std::path::Path;

use crate::input::{packed, plain, repeated, totals};
use crate::program::{Done, Running, assert_totals, last_lines, run, signal};

/// How often the flights are repeated: far more output than a pipe holds.
const TURNS: usize = 3;

fn arguments<'a>(input: &'a Path, state: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["--input", input.to_str().unwrap()];
    arguments.extend(["--checkpoint-dir", state.to_str().unwrap()]);
    arguments.extend(more);
    arguments
}

/// Starts the job and stops it in the middle of its output.
///
/// Nobody reads while the signal is sent, and the pipe holds less than is still to come: the job
/// cannot have ended before.
fn stopped(arguments: &[&str], bytes: u64) -> Done {
    let mut running = Running::start(arguments);
    let begin = String::from_utf8(running.read(bytes)).unwrap();
    assert_eq!(begin.len() as u64, bytes);
    signal(running.pid(), "INT");
    let mut done = running.finish();
    done.stdout.insert_str(0, &begin);
    done
}

#[test]
fn ctrl_c_stops_in_order_and_the_rest_follows_later() {
    let folder = tempfile::tempdir().unwrap();
    let text = repeated(TURNS);
    let expected = totals(&text);
    let inputs =
        [plain(folder.path(), "many.csv", &text), packed(folder.path(), "many.csv.gz", &text)];
    let shapes = [("pool", "1", "3"), ("pool", "4", "1"), ("threads", "2", "5")];
    for (number, (scheduler, before, after)) in shapes.into_iter().enumerate() {
        for (which, input) in inputs.iter().enumerate() {
            let state = folder.path().join(format!("state-{number}-{which}"));
            // The only checkpoint is the one that a stop makes.
            let mut more = vec!["--checkpoint-interval", "1h", "--scheduler", scheduler];
            let shape = [&more[..], &["--parallelism", before]].concat();
            let first = stopped(&arguments(input, &state, &shape), 100_000);
            assert_eq!(first.code, Some(130), "{}", first.stderr);
            assert_eq!(first.news(), "stopped\nlast checkpoint: 1\n");
            assert!(first.stdout.ends_with('\n'), "what was in flight is whole");
            let lines = first.stdout.lines().count() as u64;
            let (stopped, all) = (last_lines(&first.stdout), departed(&expected));
            assert_eq!(departed(&stopped), lines, "each record that was counted was printed");
            assert!(lines < all, "it was stopped in the middle");

            more.extend(["--restore", "latest", "--parallelism", after]);
            let rest = run(&arguments(input, &state, &more));
            assert_eq!(rest.code, Some(0), "{}", rest.stderr);
            assert_eq!(rest.news(), "restored from checkpoint 1\nfinished\nlast checkpoint: 2\n");
            assert_eq!(rest.stdout.lines().count() as u64, all - lines, "no record comes twice");
            let mut together = stopped;
            together.extend(last_lines(&rest.stdout));
            assert_totals(&together, &expected, &format!("{scheduler} {before} then {after}"));
        }
    }
}

fn departed(totals: &crate::input::Totals) -> u64 {
    totals.values().map(|(flights, _)| flights).sum()
}

#[test]
fn ctrl_c_without_checkpoints_stops_in_order_too() {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "many.csv", &repeated(TURNS));
    for scheduler in ["pool", "threads", "simulation"] {
        let arguments = ["--input", input.to_str().unwrap(), "--scheduler", scheduler];
        let done = stopped(&arguments, 1_000);
        assert_eq!(done.code, Some(130), "{scheduler}: {}", done.stderr);
        assert_eq!(done.news(), "stopped\n");
        let lines = done.stdout.lines().count() as u64;
        assert_eq!(departed(&last_lines(&done.stdout)), lines, "{scheduler}");
    }
}

#[test]
fn sigterm_is_the_same_as_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "many.csv", &repeated(TURNS));
    let mut running = Running::start(&["--input", input.to_str().unwrap()]);
    running.line();
    signal(running.pid(), "TERM");
    let done = running.finish();
    assert_eq!(done.code, Some(130), "{}", done.stderr);
    assert_eq!(done.news(), "stopped\n");
}

#[test]
fn quiet_says_nothing_of_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "many.csv", &repeated(TURNS));
    let done = stopped(&["--quiet", "--input", input.to_str().unwrap()], 1_000);
    assert_eq!((done.code, done.stderr.as_str()), (Some(130), ""));
}

/// The pipe is full and nobody reads it: whoever writes into it waits.
fn check_twice(scheduler: &str, more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "many.csv", &repeated(TURNS));
    let state = folder.path().join("state");
    let mut arguments = vec!["--input", input.to_str().unwrap(), "--scheduler", scheduler];
    if !more.is_empty() {
        arguments.extend(["--checkpoint-dir", state.to_str().unwrap()]);
        arguments.extend(more);
    }
    let mut running = Running::start(&arguments);
    running.line();
    running.wait_until_blocked();
    let done = running.interrupt();
    assert_eq!(done.code, Some(130), "{arguments:?}: {}", done.stderr);
}

#[test]
fn ctrl_c_twice_ends_now_though_the_output_is_blocked_in_a_pool() {
    check_twice("pool", &[]);
}

#[test]
fn ctrl_c_twice_ends_now_though_the_output_is_blocked_in_threads() {
    check_twice("threads", &["--parallelism", "3"]);
}

#[test]
fn ctrl_c_twice_ends_now_though_the_output_is_blocked_while_saving() {
    check_twice("pool", &["--parallelism", "4", "--checkpoint-interval", "5ms"]);
}

#[test]
fn ctrl_c_twice_ends_now_though_the_output_is_blocked_in_a_simulation() {
    check_twice("simulation", &[]);
}

#[test]
fn a_file_that_was_changed_since_the_stop_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let text = repeated(TURNS);
    let input = plain(folder.path(), "many.csv", &text);
    let state = folder.path().join("state");
    stopped(&arguments(&input, &state, &[]), 1_000);
    let again = arguments(&input, &state, &["--restore", "latest"]);
    let keep = text.lines().next().unwrap().len() + 1;
    plain(folder.path(), "many.csv", &text[..keep]);
    let done = run(&again);
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    assert!(done.stderr.contains("many.csv: it should go on to byte "), "{}", done.stderr);
    // As long as before, but its records end elsewhere.
    plain(
        folder.path(),
        "many.csv",
        &format!("{}{}", &text[..keep], "x".repeat(text.len() - keep)),
    );
    let done = run(&again);
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    assert!(done.stderr.contains("many.csv: no record ends at byte "), "{}", done.stderr);
    plain(folder.path(), "many.csv", &text);
    assert_eq!(run(&again).code, Some(0));
}
