//! Compares what the job prints with what another program computes from the same file.

use std::path::Path;

use crate::input::{FLIGHTS, packed, plain, totals};
use crate::program::{assert_totals, last_lines, run};

#[test]
fn without_arguments_it_prints_the_totals_and_nothing_else() {
    let done = run::<&str>(&[]);
    assert_eq!((done.code, done.news().as_str()), (Some(0), "finished\n"));
    assert_totals(&last_lines(&done.stdout), &totals(&FLIGHTS), "no arguments");
    let departed: u64 = totals(&FLIGHTS).values().map(|(flights, _)| flights).sum();
    assert_eq!(done.stdout.lines().count() as u64, departed, "one line for each departure");
}

#[test]
fn the_verb_run_is_the_same_as_none() {
    let (named, unnamed) = (run(&["run"]), run::<&str>(&[]));
    assert_eq!((named.code, named.news().as_str()), (Some(0), "finished\n"));
    assert!(named.stdout == unnamed.stdout, "at parallelism 1 the lines come in the same order");
}

/// Every scheduler, with three orders of the simulation.
const SCHEDULERS: [&[&str]; 5] = [
    &["--scheduler", "pool"],
    &["--scheduler", "threads"],
    &["--scheduler", "simulation", "--seed", "1"],
    &["--scheduler", "simulation", "--seed", "2"],
    &["--scheduler", "simulation", "--seed", "3"],
];

/// Runs every combination of parallelism, scheduler and channel capacity on one file.
fn check_every_way(input: &Path) {
    let expected = totals(&FLIGHTS);
    for parallelism in ["1", "4"] {
        for scheduler in SCHEDULERS {
            for capacity in ["1", "2048"] {
                let mut arguments = vec!["--input", input.to_str().unwrap()];
                arguments.extend(["--parallelism", parallelism, "--channel-capacity", capacity]);
                arguments.extend(scheduler);
                let what = arguments[2..].join(" ");
                let done = run(&arguments);
                assert_eq!((done.code, done.news().as_str()), (Some(0), "finished\n"), "{what}");
                assert_totals(&last_lines(&done.stdout), &expected, &what);
            }
        }
    }
}

#[test]
fn the_totals_are_the_same_every_way_from_a_gzip_file() {
    let folder = tempfile::tempdir().unwrap();
    check_every_way(&packed(folder.path(), "flights.csv.gz", &FLIGHTS));
}

#[test]
fn the_totals_are_the_same_every_way_from_a_file_that_is_split() {
    let folder = tempfile::tempdir().unwrap();
    check_every_way(&plain(folder.path(), "flights.csv", &FLIGHTS));
}

#[test]
fn more_subtasks_than_rows_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let rows = crate::input::first_rows(5);
    let input = plain(folder.path(), "five.csv", &rows);
    let done = run(&["--input", input.to_str().unwrap(), "--parallelism", "64"]);
    assert_eq!((done.code, done.news().as_str()), (Some(0), "finished\n"));
    assert_totals(&last_lines(&done.stdout), &totals(&rows), "five rows over 64 subtasks");
}
