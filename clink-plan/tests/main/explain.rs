//! What people see of a graph and its plan.

use clink_plan::descriptor::{Locations, SourceLocation};
use clink_plan::explain::{
    DiagramLanguage, draw_graph, draw_plan, explain_graph, explain_plan, plan_to_json,
};
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
    ValidateFacts {
        locations: places(),
        stateful: ["round".to_owned()].into(),
        ..ValidateFacts::default()
    }
}

/// Where the author wrote some of the operators.
fn places() -> Locations {
    let at = |line| SourceLocation { file: "src/lib.rs", line, column: 10 };
    let written = [("flights", 40), ("times", 41), ("mean-delay", 43), ("print", 45)];
    written.into_iter().map(|(id, line)| (id.to_owned(), at(line))).collect()
}

#[test]
fn a_graph_reads_well() {
    compare_golden("graph.txt", &explain_graph(&flights(), &places()));
}

#[test]
fn a_plan_reads_well() {
    let graph = flights();
    let plan = plan_job(&graph, &PlanOptions::default(), &warned()).unwrap();
    let text = explain_plan(&graph, &plan);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    compare_golden("plan.txt", &text);
}

#[test]
fn a_fused_plan_reads_well() {
    let graph = graph([op("in", &[]), op("a", &["in"]), op("b", &["a"]), op("out", &["b"])]);
    let options = PlanOptions { fuse_par1: true, ..PlanOptions::default() };
    let plan = plan_job(&graph, &options, &ValidateFacts::default()).unwrap();
    compare_golden("fused.txt", &explain_plan(&graph, &plan));
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
fn diagrams_read_well() {
    let graph = flights();
    let plan = plan_job(&graph, &PlanOptions::default(), &warned()).unwrap();
    compare_golden("graph.mermaid", &draw_graph(&graph, &places(), DiagramLanguage::Mermaid));
    compare_golden("graph.dot", &draw_graph(&graph, &places(), DiagramLanguage::Dot));
    compare_golden("plan.mermaid", &draw_plan(&graph, &plan, DiagramLanguage::Mermaid));
    compare_golden("plan.dot", &draw_plan(&graph, &plan, DiagramLanguage::Dot));
    compare_golden("graph.svg", &draw_graph(&graph, &places(), DiagramLanguage::Svg));
    compare_golden("plan.svg", &draw_plan(&graph, &plan, DiagramLanguage::Svg));
}

#[test]
fn letters_that_mean_something_to_a_diagram_stay_letters() {
    let mut job = graph([op("`a\"#<&>\\\n|]", &[]), op("b", &["nobody"])]);
    job.name = "\"quoted\"".to_owned();
    let mermaid = draw_graph(&job, &Locations::new(), DiagramLanguage::Mermaid);
    assert!(mermaid.contains("title: \"graph of `\\\"quoted\\\"`\"\n"), "{mermaid}");
    assert!(mermaid.contains("n0[\"#96;a#quot;#35;#lt;#amp;#gt;\\ |]<br>"), "{mermaid}");
    let dot = draw_graph(&job, &Locations::new(), DiagramLanguage::Dot);
    assert!(dot.contains("n0 [label=\"`a\\\"#<&amp;>\\\\ |]\\n"), "{dot}");
    for text in [mermaid, dot] {
        assert!(text.contains("n2"), "the operator that is not there is drawn too: {text}");
        assert!(text.contains("nobody") && text.contains("not an operator"), "{text}");
    }
}

#[test]
fn an_empty_graph_can_be_shown() {
    let empty = JobGraphSpec::default();
    assert_eq!(explain_graph(&empty, &Locations::new()), "graph: 0 operators\n");
    assert!(
        draw_graph(&empty, &Locations::new(), DiagramLanguage::Dot)
            .ends_with("  node [shape=box]\n}\n")
    );
}
