//! Laws that hold for every graph: texts read back, plans are consistent, nothing panics.

use std::collections::{BTreeMap, BTreeSet};

use clink_plan::graph::{JobGraphSpec, OperatorSpec};
use clink_plan::planner::{JobPlan, OperatorChainSpec, PlanOptions, plan_job};
use clink_plan::validate::{ValidateFacts, validate};
use proptest::prelude::*;

use crate::support::{OperatorExt, facts, graph, op};

/// What one operator of a random graph is made from.
type Seed = (Vec<(usize, u8)>, u32, bool);

/// Operators that read earlier ones, through any output, at any parallelism; keyed if asked.
pub(crate) fn acyclic() -> impl Strategy<Value = JobGraphSpec> {
    let inputs = prop::collection::vec((0..64usize, 0..8u8), 0..3);
    let seeds = prop::collection::vec((inputs, 1..5u32, any::<bool>()), 1..14);
    seeds.prop_map(|seeds| {
        let operators = seeds.iter().enumerate().map(|(index, seed)| operator(index, seed));
        let source = op("o0", &[]).param("selector_fn", "any").side("late", "int64");
        let reader = |spec: &OperatorSpec| op(&format!("out_{}", spec.id), &[&spec.id]);
        let mut graph = graph([source].into_iter().chain(operators));
        let sinks: Vec<_> = graph.operators.iter().map(reader).collect();
        graph.operators.extend(sinks);
        graph
    })
}

fn operator(index: usize, (inputs, parallelism, keyed): &Seed) -> OperatorSpec {
    let mut references = vec![format!("o{index}")];
    for &(from, port) in inputs {
        let from = from % (index + 1);
        references.push(match port {
            0 => format!("o{from}::late"),
            1 => format!("o{from}.1"),
            _ => format!("o{from}"),
        });
    }
    // Most operators have one input, so that there is something to chain.
    let keep = if index.is_multiple_of(3) { references.len() } else { 1 };
    let references: Vec<&str> = references[..keep].iter().map(String::as_str).collect();
    let spec = op(&format!("o{}", index + 1), &references)
        .parallelism(*parallelism)
        .param("selector_fn", "any")
        .side("late", "int64");
    if *keyed { spec.keyed() } else { spec }
}

/// Every channel has two ends that agree, and every subtask the number of its place.
fn assert_consistent(graph: &JobGraphSpec, plan: &JobPlan) {
    let mut written = BTreeSet::new();
    let mut read = BTreeSet::new();
    let mut homes: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, task) in plan.tasks.iter().enumerate() {
        assert_eq!(task.subtask_idx as usize, place);
        let chain = &task.chain;
        for group in &chain.output_groups {
            for edge in &group.edges {
                let key = (task.subtask_idx, edge.peer_subtask_idx, edge.input_index);
                assert!(written.insert((key, edge.channel_type.clone())), "{key:?} twice");
            }
        }
        for edge in &chain.input_edges {
            let key = (edge.peer_subtask_idx, task.subtask_idx, edge.input_index);
            assert!(read.insert((key, edge.channel_type.clone())), "{key:?} twice");
        }
        for op in chain.ops.iter().chain(&chain.fused_source).chain(&chain.fused_sink) {
            *homes.entry(&op.id).or_default() += 1;
        }
    }
    assert_eq!(written, read);
    for spec in &graph.operators {
        assert_eq!(homes.get(spec.id.as_str()).copied(), Some(spec.parallelism as usize));
    }
}

/// A text that often looks like a reference.
fn reference() -> impl Strategy<Value = String> {
    "[ab]{0,2}(\\.[0-9]{0,2}|::[ab]?)?"
}

fn anything() -> impl Strategy<Value = JobGraphSpec> {
    let params = prop::collection::btree_map("[a-c]", any::<String>(), 0..2);
    let sides = prop::collection::vec(("[ab]?", "int64|string|"), 0..2);
    let inputs = prop::collection::vec(reference(), 0..3);
    let names =
        ("[ab:]{0,2}", "identity_int64|file_int64_sink|[a-z]?", "int64|string|", any::<String>());
    let numbers = (any::<u8>(), 0..4u32, 0..4u32);
    let operator = (names, inputs, params, sides, numbers, "|identity|x").prop_map(
        |((id, type_name, channel, uid), inputs, params, sides, (p, min, max), key_by)| {
            let mut spec = OperatorSpec::new(id, type_name, channel).uid(&uid).bounds(min, max);
            spec.display_name.clone_from(&uid);
            spec.inputs = inputs;
            spec.params = params;
            spec.key_by = key_by;
            sides
                .into_iter()
                .fold(spec, |spec, (tag, channel)| spec.side(&tag, &channel))
                .parallelism(u32::from(p))
        },
    );
    prop::collection::vec(operator, 0..6).prop_map(graph)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn plans_are_consistent(graph in acyclic(), chaining: bool, fuse_par1: bool) {
        let options = PlanOptions { chaining, fuse_par1 };
        let plan = plan_job(&graph, &options, &ValidateFacts::default());
        prop_assert!(plan.is_ok(), "{:#?}", plan);
        let plan = plan.unwrap();
        assert_consistent(&graph, &plan);
        for task in plan.tasks {
            let again = OperatorChainSpec::from_json(&task.chain.to_json());
            prop_assert_eq!(again, Ok(task.chain));
        }
    }

    #[test]
    fn listing_order_changes_no_chain(graph in acyclic()) {
        let chains = |graph: &JobGraphSpec| -> Option<BTreeSet<Vec<String>>> {
            let facts = ValidateFacts::default();
            let plan = plan_job(graph, &PlanOptions::default(), &facts).ok()?;
            let ids = |task: &clink_plan::planner::PlannedTask| {
                task.chain.ops.iter().map(|op| op.id.clone()).collect()
            };
            Some(plan.tasks.iter().map(ids).collect())
        };
        let mut backwards = graph.clone();
        backwards.operators.reverse();
        prop_assert_eq!(chains(&graph), chains(&backwards));
    }

    #[test]
    fn every_graph_reads_back(graph in anything()) {
        let text = graph.to_json();
        let again = JobGraphSpec::from_json(&text);
        prop_assert_eq!(again.as_ref(), Ok(&graph));
        prop_assert_eq!(again.unwrap().to_json(), text);
    }

    #[test]
    fn every_graph_is_judged(graph in anything()) {
        let found = validate(&graph, &facts());
        let planned = plan_job(&graph, &PlanOptions::default(), &facts());
        let refused = found.iter().any(|one| one.severity == clink_plan::validate::Severity::Error);
        prop_assert_eq!(planned.is_err(), refused);
    }

    #[test]
    fn every_text_is_judged(text in "[\\[\\]{}\":,a0-9 ]{0,30}") {
        let _ = JobGraphSpec::from_json(&text);
        let _ = JobGraphSpec::from_json(&format!("{{\"ops\":[{text}]}}"));
    }
}
