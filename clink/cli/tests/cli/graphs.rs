//! Plans every graph of the reference by the command line, as a program that reads JSON would.

use std::path::PathBuf;

use serde_json::Value;

use crate::program::{clink, root};

/// The graphs, by name, and what the reference says of each.
fn references() -> Vec<(PathBuf, Value)> {
    let folder = root().join("clink-plan/tests/reference_plans");
    let mut graphs: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().contains(".plan."))
        .map(|path| {
            let plan = std::fs::read_to_string(path.with_extension("plan.json")).unwrap();
            (path, serde_json::from_str(&plan).unwrap())
        })
        .collect();
    graphs.sort_by(|(one, _), (other, _)| one.cmp(other));
    graphs
}

/// The fields that every task of the reference has.
const FIELDS: [&str; 8] = [
    "subtask_idx",
    "role",
    "op_id",
    "subtask_idx_in_op",
    "key_group_first",
    "key_group_last",
    "needs_commit_confirmation",
    "peer_refs",
];

#[test]
fn every_graph_of_the_reference_is_planned_or_refused_as_json() {
    let mut counts = (0, 0);
    for (path, theirs) in references() {
        let path = path.to_str().unwrap();
        let done = clink(&["plan", path, "--format", "json"]);
        let ours: Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(ours["ok"], theirs["ok"], "{path}: {}", done.stdout);
        assert_eq!(done.stderr, "", "{path}");
        if ours["ok"] == Value::Bool(true) {
            assert_eq!(done.code, Some(0), "{path}");
            let pairs = ours["tasks"].as_array().unwrap().iter().zip({
                let tasks = theirs["tasks"].as_array().unwrap();
                assert_eq!(tasks.len(), ours["tasks"].as_array().unwrap().len(), "{path}");
                tasks
            });
            for (ours, theirs) in pairs {
                for field in FIELDS.iter().filter(|field| **field != "peer_refs") {
                    assert_eq!(ours[field], theirs[field], "{path}: {field}");
                }
                assert!(ours["peer_refs"].is_array() && ours["chain"].is_object(), "{path}");
            }
            counts.0 += 1;
        } else {
            assert_eq!(done.code, Some(3), "{path}");
            let diagnostics = ours["diagnostics"].as_array().unwrap();
            let errors = diagnostics.iter().filter(|one| one["severity"] == "error");
            for error in errors {
                assert!(error["code"].as_str().unwrap().starts_with('P'), "{path}: {error}");
                assert!(error["message"].is_string() && error["help"].is_string(), "{path}");
            }
            assert!(diagnostics.iter().any(|one| one["severity"] == "error"), "{path}");
            counts.1 += 1;
        }
    }
    assert_eq!(counts, (80, 10));
}
