//! Compares our plans with those of the reference planner, graph by graph.
//!
//! `tests/reference_plans/NAME.json` is a graph, `NAME.plan.json` the reference's plan of it and
//! `NAME.fused.plan.json` its plan with the ends fused, where that differs.

use std::fs;
use std::path::{Path, PathBuf};

use clink_plan::descriptor::Locations;
use clink_plan::explain::{DiagramLanguage, draw_graph, draw_plan, plan_to_json};
use clink_plan::graph::JobGraphSpec;
use clink_plan::planner::{OperatorChainSpec, PlanOptions, plan_job};
use clink_plan::validate::ValidateFacts;
use serde_json::Value;

use crate::support::FakeRegistry;

/// Where the reference's files lie.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference_plans")
}

/// The graphs, by name, in order.
#[expect(clippy::disallowed_methods, reason = "a test lists its own golden files")]
pub(crate) fn names() -> Vec<String> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = files
        .filter_map(|file| file.into_string().unwrap().strip_suffix(".json").map(str::to_owned))
        .filter(|name| !name.ends_with(".plan"))
        .collect();
    names.sort();
    names
}

/// The text of one of the files, if it is there.
pub(crate) fn text(name: &str) -> Option<String> {
    fs::read_to_string(folder().join(format!("{name}.json"))).ok()
}

/// What the reference says about a graph.
fn expected(name: &str) -> Option<Value> {
    text(name).map(|text| serde_json::from_str(&text).unwrap())
}

/// Our tasks for a graph; the messages if there is no plan.
fn planned(name: &str, options: &PlanOptions) -> Result<Value, String> {
    let graph = JobGraphSpec::from_json(&text(name).unwrap()).map_err(|e| e.to_string())?;
    let facts = ValidateFacts { registry: Some(&FakeRegistry), ..ValidateFacts::default() };
    let plan = plan_job(&graph, options, &facts)
        .map_err(|all| all.iter().map(|one| format!("{one}\n")).collect::<String>())?;
    let plan: Value = serde_json::from_str(&plan_to_json(&plan)).unwrap();
    Ok(plan["tasks"].clone())
}

/// Takes out of our tasks what the reference's do not have.
fn without_additions(mut tasks: Value) -> Value {
    for task in tasks.as_array_mut().unwrap() {
        task.as_object_mut().unwrap().remove("parallelism");
        let chain = &mut task["chain"];
        for op in chain["ops"].as_array_mut().unwrap() {
            op.as_object_mut().unwrap().remove("key_by");
        }
        for end in ["fused_source", "fused_sink"] {
            if let Some(op) = chain.get_mut(end) {
                op.as_object_mut().unwrap().remove("key_by");
            }
        }
        for group in chain["output_groups"].as_array_mut().unwrap() {
            group.as_object_mut().unwrap().remove("branch");
            group.as_object_mut().unwrap().remove("upstream_op_id");
            for edge in group["edges"].as_array_mut().unwrap() {
                edge.as_object_mut().unwrap().remove("input_index");
            }
        }
    }
    tasks
}

/// Graphs that meet a fault of the reference's planner, and the fault.
///
/// Only the groups of side outputs differ: the reference loses those of every chain that ends in a
/// split, and takes a tag's channel type from whichever operator of the chain declares it last.
const FAULTS: &[(&str, &str)] = &[
    ("r009", "a side output inside a chain that ends in a split has no group"),
    ("r019", "two operators of a chain declare one tag with different types"),
    ("r044", "a side output inside a chain that ends in a split has no group"),
    ("r055", "a side output inside a chain that ends in a split has no group"),
];

/// Takes out of tasks what the reference gets wrong.
fn without_side_groups(mut tasks: Value) -> Value {
    for task in tasks.as_array_mut().unwrap() {
        task.as_object_mut().unwrap().remove("peer_refs");
        let groups = task["chain"]["output_groups"].as_array_mut().unwrap();
        groups.retain(|group| group.get("side_output_tag").is_none());
    }
    tasks
}

fn first_difference(ours: &Value, theirs: &Value) -> String {
    let (ours, theirs) = (ours.as_array().unwrap(), theirs.as_array().unwrap());
    let differ = ours.iter().zip(theirs).find(|(ours, theirs)| ours != theirs);
    match differ {
        Some((ours, theirs)) => format!("ours:   {ours}\ntheirs: {theirs}"),
        None => format!("we plan {} tasks, the reference {}", ours.len(), theirs.len()),
    }
}

fn compare(suffix: &str, options: &PlanOptions) -> usize {
    let mut compared = 0;
    let mut failures = String::new();
    for name in names() {
        let Some(theirs) = expected(&format!("{name}.{suffix}")) else {
            continue;
        };
        if theirs["ok"] != Value::Bool(true) {
            continue;
        }
        compared += 1;
        match planned(&name, options) {
            Ok(tasks) => {
                let mut ours = without_additions(tasks);
                let mut theirs = theirs["tasks"].clone();
                if FAULTS.iter().any(|(faulty, _)| *faulty == name) {
                    assert_ne!(ours, theirs, "{name} meets no fault");
                    (ours, theirs) = (without_side_groups(ours), without_side_groups(theirs));
                }
                if ours != theirs {
                    failures += &format!("{name}\n{}\n", first_difference(&ours, &theirs));
                }
            }
            Err(messages) => failures += &format!("{name}: refused\n{messages}"),
        }
    }
    assert!(failures.is_empty(), "{failures}");
    compared
}

#[test]
fn plans_are_the_references() {
    assert_eq!(compare("plan", &PlanOptions::default()), 80);
}

#[test]
fn fused_plans_are_the_references() {
    let options = PlanOptions { fuse_par1: true, ..PlanOptions::default() };
    assert!(compare("fused.plan", &options) > 20);
}

#[test]
fn diagrams_show_every_operator_and_every_input_p06() {
    let mut planned = 0;
    for name in names() {
        let Ok(graph) = JobGraphSpec::from_json(&text(&name).unwrap()) else { continue };
        let inputs: usize = graph.operators.iter().map(|spec| spec.inputs.len()).sum();
        let drawn = draw_graph(&graph, &Locations::new(), DiagramLanguage::Mermaid);
        assert_eq!(drawn.matches("-->").count(), inputs, "{name}:\n{drawn}");
        let Ok(plan) = plan_job(&graph, &PlanOptions::default(), &ValidateFacts::default()) else {
            continue;
        };
        planned += 1;
        let drawn = draw_plan(&graph, &plan, DiagramLanguage::Dot);
        assert_eq!(drawn.matches(" -> ").count(), inputs, "{name}:\n{drawn}");
        for spec in &graph.operators {
            let label = format!("[label=\"{}\\n", spec.id);
            assert_eq!(drawn.matches(&label).count(), 1, "{name}: {}:\n{drawn}", spec.id);
        }
    }
    assert!(planned >= 80, "only {planned} plans were drawn");
}

/// What is said of each graph that the reference refuses: all of it, by code and operator.
const REFUSED: &[(&str, &[(&str, &str)])] = &[
    ("e01_unknown_type", &[("P0027", "a")]),
    ("e02_dangling", &[("P0015", "snk")]),
    ("e03_cycle", &[("P0016", "a")]),
    ("e04_dup_id", &[("P0003", "src")]),
    ("e05_split_no_selector", &[("P0022", "sp")]),
    ("e06_isolated", &[("P0017", "src")]),
    ("e07_par0", &[("P0009", "src")]),
    ("e08_join_one_input", &[("P0026", "j")]),
    ("e09_bad_bounds", &[("P0012", "a")]),
    ("e10_undeclared_side", &[("P0018", "lk")]),
];

#[test]
fn what_the_reference_refuses_is_refused_with_its_cause_and_nothing_else() {
    for name in names() {
        if expected(&format!("{name}.plan")).unwrap()["ok"] == Value::Bool(true) {
            continue;
        }
        let (_, wanted) = REFUSED.iter().find(|(refused, _)| *refused == name).expect(&name);
        let graph = JobGraphSpec::from_json(&text(&name).unwrap()).unwrap();
        let facts = ValidateFacts { registry: Some(&FakeRegistry), ..ValidateFacts::default() };
        let found = plan_job(&graph, &PlanOptions::default(), &facts).unwrap_err();
        let codes: Vec<(&str, &str)> =
            found.iter().map(|one| (one.code, one.operator.as_deref().unwrap_or(""))).collect();
        assert_eq!(codes, *wanted, "{name}: {found:#?}");
    }
}

/// Whether a chain of the reference reads here, and is written again with nothing lost.
fn assert_chain_reads(name: &str, chain: &Value) {
    let read = OperatorChainSpec::from_json(&chain.to_string());
    let read = read.unwrap_or_else(|error| panic!("{name}: {error}"));
    for group in read.output_groups.iter().filter(|group| !group.side_output_tag.is_empty()) {
        let owner = read.ops.iter().find(|op| op.id == group.upstream_op_id).unwrap();
        let declared = owner.side_outputs.iter().any(|one| one.tag == group.side_output_tag);
        assert!(declared, "{name}: {} declares no {}", owner.id, group.side_output_tag);
    }
    let written: Value = serde_json::from_str(&read.to_json()).unwrap();
    let mut written = serde_json::json!([{ "chain": written, "parallelism": 1 }]);
    written = without_additions(written);
    assert_eq!(written[0]["chain"], *chain, "{name}");
}

#[test]
fn chain_specs_of_the_reference_read_here() {
    for name in names() {
        for suffix in ["plan", "fused.plan"] {
            let Some(plan) = expected(&format!("{name}.{suffix}")) else {
                continue;
            };
            for task in plan["tasks"].as_array().into_iter().flatten() {
                assert_chain_reads(&name, &task["chain"]);
            }
        }
    }
}
