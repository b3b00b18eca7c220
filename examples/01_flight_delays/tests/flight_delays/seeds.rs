//! Runs the job under many orders of the simulation, each at another shape.

use std::path::Path;

use clink::testing::{for_each_seed, seed_count};

use crate::input::{Totals, first_rows, packed, plain, totals};
use crate::program::{assert_totals, last_lines, run};

/// Rows of input: enough for every carrier to come often and for several batches.
const ROWS: usize = 1_500;

fn check(seed: u64, inputs: [&Path; 2], expected: &Totals) {
    let mut random = fastrand::Rng::with_seed(seed);
    let parallelism = random.u32(1..=6).to_string();
    let capacity = random.choice([1, 2, 7, 64, 2_048]).unwrap().to_string();
    let input = inputs[random.usize(..2)].to_str().unwrap();
    let seed = seed.to_string();
    let arguments = [
        "--scheduler",
        "simulation",
        "--seed",
        &seed,
        "--parallelism",
        &parallelism,
        "--channel-capacity",
        &capacity,
        "--input",
        input,
    ];
    // The rows are the first of the committed file: the command replays the seed without the test.
    let replay = format!("cargo run -p flight-delays -- {}", arguments.join(" "));
    let done = run(&arguments);
    assert_eq!((done.code, done.news().as_str()), (Some(0), "finished\n"), "replay with: {replay}");
    assert_totals(&last_lines(&done.stdout), expected, &format!("replay with: {replay}"));
}

#[test]
fn the_same_seed_is_the_same_order_and_other_seeds_are_others() {
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "rows.csv", &first_rows(ROWS));
    let lines = |seed: &str| {
        let arguments = ["--scheduler", "simulation", "--seed", seed, "--parallelism", "4"];
        run(&[&arguments[..], &["--input", input.to_str().unwrap()]].concat()).stdout
    };
    let mut orders = std::collections::BTreeSet::new();
    for seed in ["0", "1", "2", "3", "18446744073709551615"] {
        let first = lines(seed);
        assert!(first == lines(seed), "seed {seed} has two orders");
        orders.insert(first);
    }
    assert!(orders.len() > 1, "the seed changes nothing");
}

#[test]
fn the_totals_are_the_same_under_many_seeds() {
    let mut folder = tempfile::tempdir().unwrap();
    // The replay of a seed that fails needs the files.
    folder.disable_cleanup(true);
    let rows = first_rows(ROWS);
    let expected = totals(&rows);
    let inputs =
        (plain(folder.path(), "rows.csv", &rows), packed(folder.path(), "rows.csv.gz", &rows));
    for_each_seed(0..seed_count(500), |seed| check(seed, [&inputs.0, &inputs.1], &expected));
    folder.disable_cleanup(false);
}
