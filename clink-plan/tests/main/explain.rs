//! What people see of a graph and its plan.

use clink_plan::explain::{explain_graph, explain_plan, plan_to_json};
use clink_plan::graph::{JobGraphSpec, OperatorSpec};
use clink_plan::planner::{PlanOptions, plan_job};
use clink_plan::validate::ValidateFacts;

use crate::support::{OperatorExt, compare_golden, graph, op};

/// A job with something of everything.
fn flights() -> JobGraphSpec {
    let mut job = graph([
        OperatorSpec::new("flights", "clink::files::csv", "Flight").param("path", "flights.csv.gz"),
        OperatorSpec::new("times", "_inline_map_0", "Flight")
            .with(|spec| spec.inputs.push("flights".to_owned())),
        OperatorSpec::new("mean-delay", "delays::MeanDelay", "Delay")
            .uid("mean-delay")
            .bounds(1, 16)
            .side("late", "Flight")
            .with(|spec| {
                spec.inputs.push("times".to_owned());
                spec.key_by = "_inline_key_0".to_owned();
            }),
        OperatorSpec::new("round", "_inline_map_1", "Delay")
            .with(|spec| spec.inputs.push("mean-delay".to_owned())),
        OperatorSpec::new("print", "clink::print", "Delay")
            .with(|spec| spec.inputs.push("round".to_owned())),
        OperatorSpec::new("late-file", "clink::files::gzip", "Flight")
            .param("forced_singleton", "gzip is one stream: it cannot be split")
            .with(|spec| spec.inputs.push("mean-delay::late".to_owned())),
    ]);
    job.name = "delays".to_owned();
    job.override_parallelism(4);
    job
}

fn warned() -> ValidateFacts<'static> {
    ValidateFacts { stateful: ["round".to_owned()].into(), ..ValidateFacts::default() }
}

#[test]
fn a_graph_reads_well() {
    compare_golden("graph", &explain_graph(&flights()));
}

#[test]
fn a_plan_reads_well() {
    let graph = flights();
    let plan = plan_job(&graph, &PlanOptions::default(), &warned()).unwrap();
    let text = explain_plan(&graph, &plan);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    compare_golden("plan", &text);
}

#[test]
fn a_fused_plan_reads_well() {
    let graph = graph([op("in", &[]), op("a", &["in"]), op("b", &["a"]), op("out", &["b"])]);
    let options = PlanOptions { fuse_par1: true, ..PlanOptions::default() };
    let plan = plan_job(&graph, &options, &ValidateFacts::default()).unwrap();
    compare_golden("fused", &explain_plan(&graph, &plan));
}

#[test]
fn the_json_of_a_plan_carries_warnings_and_reasons() {
    let plan = plan_job(&flights(), &PlanOptions::default(), &warned()).unwrap();
    let json: serde_json::Value = serde_json::from_str(&plan_to_json(&plan)).unwrap();
    assert_eq!(json["tasks"].as_array().unwrap().len(), plan.tasks.len());
    assert_eq!(json["warnings"][0]["code"], "P0030");
    assert_eq!(json["decisions"][3]["routing"], "hash");
    assert_eq!(json["decisions"][3]["reason"], "hash: `mean-delay` is keyed by `_inline_key_0`");
}

#[test]
fn an_empty_graph_can_be_shown() {
    assert_eq!(explain_graph(&JobGraphSpec::default()), "graph: 0 operators\n");
}
