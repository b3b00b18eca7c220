//! Compares what `plan` and `list` show with what a person has read and approved.
//!
//! After a change that is meant: `CLINK_BLESS=1 cargo test -p flight-delays`, then read the diff.

use std::path::Path;

use serde_json::Value;

use crate::input::{first_rows, plain};
use crate::program::{finish, program, run};

/// Compares with a file of the folder `golden`, or writes it.
#[track_caller]
fn assert_golden(name: &str, found: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flight_delays/golden");
    let path = folder.join(name);
    if std::env::var_os("CLINK_BLESS").is_some() {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(path, found).unwrap();
        return;
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(wanted == found, "{}:\n{wanted}\nfound:\n{found}", path.display());
}

#[track_caller]
fn shown(arguments: &[&str]) -> String {
    let done = run(arguments);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    done.stdout
}

#[test]
fn the_plan_gives_each_chain_and_edge_with_its_reason() {
    assert_golden("plan.txt", &shown(&["plan"]));
    assert_golden("plan-4.txt", &shown(&["plan", "--parallelism", "4"]));
    let folder = tempfile::tempdir().unwrap();
    let input = plain(folder.path(), "flights.csv", &first_rows(10));
    let input = input.to_str().unwrap();
    let split = shown(&["plan", "--parallelism", "4", "--input", input]);
    assert_golden("plan-4-plain.txt", &split);
}

#[test]
fn every_edge_of_the_plan_has_a_reason() {
    for arguments in [vec!["plan"], vec!["plan", "--parallelism", "4"]] {
        let text = shown(&arguments);
        for line in text.lines().filter(|line| line.contains(['→', '↓']) && line.contains("op_"))
        {
            let reason = ["forward: ", "rebalance: ", "hash: ", "chained: "];
            assert!(reason.iter().any(|word| line.contains(word)), "{line}\n{text}");
        }
        for op in ["op_0", "op_1", "op_2", "op_3"] {
            assert!(text.lines().any(|line| line.trim_start().starts_with(op)), "{op}\n{text}");
        }
    }
}

#[test]
fn the_placement_is_that_of_the_plan() {
    let placement = ["plan", "--form", "placement", "--parallelism", "4"];
    let here = shown(&placement);
    assert!(here.contains("here: 13 of 13 slots"), "{here}");
    let named = shown(&[&placement[..], &["--workers", "alpha=8,beta=8"]].concat());
    assert!(named.contains("alpha: ") && named.contains("beta: "), "{named}");
    let few = run(&[&placement[..], &["--workers", "alpha=8"]].concat());
    assert_eq!(few.code, Some(3), "{few:?}");
    let picture = shown(&[&placement[..], &["--format", "svg"]].concat());
    assert!(picture.starts_with("<svg"), "{picture}");
}

#[test]
fn every_form_is_there_in_every_format() {
    assert_golden("graph.txt", &shown(&["plan", "--form", "graph"]));
    for form in ["graph", "plan"] {
        for parallelism in ["1", "4"] {
            let arguments =
                ["plan", "--form", form, "--format", "json", "--parallelism", parallelism];
            let value: Value = serde_json::from_str(&shown(&arguments)).unwrap();
            assert!(value.is_object(), "{arguments:?}: {value}");
        }
        for (format, opening) in [("mermaid", "flowchart "), ("dot", "digraph "), ("svg", "<svg ")]
        {
            let drawn = shown(&["plan", "--form", form, "--format", format]);
            assert!(drawn.contains(&format!("{form} of `delays`")), "{drawn}");
            assert!(drawn.lines().any(|line| line.starts_with(opening)), "{drawn}");
            assert!(drawn.contains("flight_delays::MeanDelay"), "{drawn}");
        }
    }
    let graph: Value =
        serde_json::from_str(&shown(&["plan", "--form", "graph", "--format", "json"])).unwrap();
    assert_eq!(graph["name"], "delays");
    assert_eq!(graph["format"], 1);
    let types: Vec<_> = graph["ops"].as_array().unwrap().iter().map(|op| &op["type"]).collect();
    assert_eq!(types[0], "csv_source");
    assert_eq!(types[2], "flight_delays::MeanDelay");
    assert_eq!(graph["ops"][2]["uid"], "mean-delay");
    assert_eq!(graph["ops"][0]["params"]["path"], "examples/data/flights-2013-01.csv.gz");
}

#[test]
fn the_plan_with_checkpoints_is_the_same_and_touches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let with = shown(&["plan", "--checkpoint-dir", state.to_str().unwrap()]);
    assert_eq!(with, shown(&["plan"]));
    assert!(!state.exists());
}

#[test]
fn each_flag_has_a_variable_and_the_flag_stands_above_it() {
    let with = |name: &str, value: &str, arguments: &[&str]| {
        finish(program(arguments).env(name, value).spawn().unwrap())
    };
    let four = with("CLINK_PARALLELISM", "4", &["plan"]);
    assert_eq!((four.code, four.stdout), (Some(0), shown(&["plan", "--parallelism", "4"])));
    let one = with("CLINK_PARALLELISM", "4", &["plan", "--parallelism", "1"]);
    assert_eq!((one.code, one.stdout), (Some(0), shown(&["plan"])));
    let wrong = [
        ("CLINK_PARALLELISM", "0"),
        ("CLINK_CHANNEL_CAPACITY", "none"),
        ("CLINK_SCHEDULER", "fair"),
        ("CLINK_SEED", "-1"),
        ("CLINK_SEED", "1"),
        ("CLINK_CHECKPOINT_INTERVAL", "soon"),
        ("CLINK_CHECKPOINT_TIMEOUT", "0s"),
        ("CLINK_RESTORE", "latest"),
        ("CLINK_ALLOW_UNMATCHED_STATE", "1"),
        ("CLINK_NO_CHAINING", "maybe"),
        ("CLINK_LOG_LEVEL", "loud"),
        ("CLINK_LOG_FORMAT", "xml"),
        ("CLINK_QUIET", "very"),
        ("CLINK_ON_BAD_RECORD", "skp"),
        ("CLINK_MAX_RECORD_BYTES", "0"),
        ("CLINK_METRICS_ADDR", "everywhere"),
        ("CLINK_METRICS_ADDR", "0.0.0.0:9"),
    ];
    for (name, value) in wrong {
        let done = with(name, value, &[]);
        assert_eq!(done.code, Some(2), "{name}={value}: {}", done.stderr);
        let flag = name.trim_start_matches("CLINK_").to_lowercase().replace('_', "-");
        for part in [name, &format!("--{flag}")] {
            assert!(done.stderr.contains(part), "{name}={value}: no {part}: {}", done.stderr);
        }
        assert_eq!(done.stdout, "", "{name}={value}");
    }
}

#[test]
fn list_names_the_job_and_its_operators() {
    assert_golden("list.txt", &shown(&["list"]));
}

#[test]
fn help_and_version_go_to_stdout() {
    let help = shown(&["run", "--help"]);
    for flag in ["--parallelism", "--channel-capacity", "--checkpoint-dir", "--restore", "--input"]
    {
        assert!(help.contains(flag), "{flag} is not in:\n{help}");
    }
    assert_eq!(shown(&["--version"]), "delays 1.0.0\n");
    assert!(shown(&["--help"]).contains("Mean departure delay per airline"));
}
