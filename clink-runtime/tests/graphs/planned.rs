//! What the planner makes of ends that are fused: one subtask, seen as the operators it runs.

use clink_runtime::plan::planner::PlanOptions;
use clink_runtime::registry::Registry;

use crate::support::{Files, PLANS, Way, plan, sorted};

const CHAIN: &str = r#"{"ops":[
    {"id":"src","type":"int64_range_source","out_channel":"int64","params":{"count":"700"}},
    {"id":"a","type":"even_filter_int64","out_channel":"int64","inputs":["src"]},
    {"id":"b","type":"int64_to_string","out_channel":"string","inputs":["a"]},
    {"id":"snk","type":"file_text_sink","out_channel":"string","inputs":["b"],
     "params":{"path":"@/out"}}]}"#;

#[test]
fn the_plans_differ_in_how_many_subtasks_they_make() {
    let (registry, graph) = (Registry::with_builtins(), Files::new().graph(CHAIN));
    let subtasks =
        |options| plan(&registry, &graph, &Way { plan: options, ..Way::default() }).tasks.len();
    assert_eq!(PLANS.map(subtasks), [3, 1, 4]);
}

#[test]
fn every_plan_counts_the_same_records_at_the_same_operators() {
    let counts = |plan: PlanOptions| {
        let files = Files::new();
        let way = Way { plan, ..Way::default() };
        let report = files.run(&Registry::with_builtins(), CHAIN, way).unwrap();
        assert_eq!(files.lines("out"), sorted((1..=350).map(|n| n * 2)));
        let mut counts: Vec<_> = (report.view.instances.iter())
            .map(|one| {
                let done = one.progress.as_ref().map(|progress| progress.get());
                let metrics = &one.metrics;
                (one.operator.clone(), metrics.records_in(), metrics.records_out(), done)
            })
            .collect();
        counts.sort();
        counts
    };
    let found = PLANS.map(counts);
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
    let of = |id: &str| found[0].iter().find(|one| one.0 == id).unwrap().clone();
    assert_eq!(of("src"), ("src".to_owned(), 0, 700, Some((700, 700))));
    assert_eq!(of("snk"), ("snk".to_owned(), 350, 0, None));
}
