//! Compares what the job prints with what another program computes from the same file.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that panics says where; it reads files of a real disk"
)]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;

/// The folder that holds the workspace: where the default input is found from.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_async-enrichment"));
    command.args(arguments).current_dir(root());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CLINK_") {
            command.env_remove(name);
        }
    }
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Every departure without the name of its airline, and the code of it.
fn departures() -> Vec<(String, String, String)> {
    let file = File::open(root().join("examples/data/flights-2013-01.csv.gz")).unwrap();
    let mut rows = csv::Reader::from_reader(GzDecoder::new(file));
    let departures = rows.deserialize().filter_map(|row| {
        let row: BTreeMap<String, String> = row.unwrap();
        let departed_at = (!row["departed_at"].is_empty()).then(|| row["departed_at"].clone())?;
        let rest = format!(
            "\"flight\":{},\"origin\":\"{}\",\"dest\":\"{}\"}}",
            row["flight"], row["origin"], row["dest"]
        );
        Some((row["carrier"].clone(), format!("{{\"departed_at\":\"{departed_at}\","), rest))
    });
    departures.collect()
}

#[test]
fn each_departure_has_the_name_of_its_airline_in_the_order_of_the_file() {
    let departures = departures();
    for scheduler in ["pool", "threads", "simulation"] {
        let (code, printed, said) = run(&["--scheduler", scheduler]);
        assert_eq!(code, Some(0), "{scheduler}: {said}");
        let mut names: BTreeMap<&str, &str> = BTreeMap::new();
        assert_eq!(printed.lines().count(), departures.len(), "{scheduler}");
        for (line, (carrier, head, tail)) in printed.lines().zip(&departures) {
            let rest = line.strip_prefix(head.as_str()).unwrap_or_else(|| panic!("{line}"));
            let name = rest.strip_suffix(tail.as_str()).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(*names.entry(carrier).or_insert(name), name, "{line}");
        }
        assert_eq!(names["B6"], "\"airline\":\"JetBlue Airways\",");
        assert_eq!(names.len(), 16);
    }
}

#[test]
fn its_first_lines_are_those_of_the_lesson() {
    let (_, printed, _) = run(&[]);
    let expected = include_str!("expected.ndjson");
    let lines = expected.lines().count();
    assert_eq!(
        printed.lines().take(lines).collect::<Vec<_>>(),
        expected.lines().collect::<Vec<_>>()
    );
    assert!(include_str!("../README.md").contains(expected));
}

#[test]
fn a_carrier_that_nobody_knows_is_a_bad_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flights.csv");
    let rows = "carrier,flight,origin,dest,departed_at\n\
                UA,1,EWR,IAH,2013-01-01T10:17:00Z\n\
                ZZ,2,JFK,MIA,2013-01-01T10:18:00Z\n";
    std::fs::write(&path, rows).unwrap();
    let input = path.to_str().unwrap();
    let (code, _, said) = run(&["--input", input]);
    assert_eq!(code, Some(1));
    assert!(said.contains("no airline has the code `ZZ`"), "{said}");
    let (code, printed, _) = run(&["--input", input, "--on-bad-record", "skip"]);
    assert_eq!((code, printed.lines().count()), (Some(0), 1));
}
