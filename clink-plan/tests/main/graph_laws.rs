//! Laws that hold for every graph: texts read back, plans are consistent, nothing panics.

use std::collections::{BTreeMap, BTreeSet};

use clink_plan::graph::{ColumnLineage, JobGraphSpec, OperatorSpec, UdfSpec};
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

/// What a graph says besides its operators.
fn document() -> impl Strategy<Value = JobGraphSpec> {
    let texts = || prop::collection::vec(any::<String>(), 0..2);
    let udf = (any::<String>(), any::<String>(), texts(), texts(), any::<String>()).prop_map(
        |(name, language, arg_names, definitions, kind)| UdfSpec {
            name,
            language,
            arg_names,
            definitions,
            kind,
            ..UdfSpec::default()
        },
    );
    let lineage = "\\{(\"[a-z]\": ?[1-9][0-9]{0,3}(\\.50)?)?\\}";
    let versions = "([0-9]{1,4}\\|[a-z:]{1,4}\\|[0-9])?";
    let udfs = prop::collection::vec(udf, 0..2);
    (any::<String>(), any::<String>(), versions, udfs, prop::option::of(lineage)).prop_map(
        |(name, determinism_coverage, expected_state_versions, udfs, lineage)| JobGraphSpec {
            name,
            determinism_coverage,
            expected_state_versions,
            udfs,
            column_lineage: lineage.map(|text| ColumnLineage::new(&text).unwrap()),
            ..JobGraphSpec::default()
        },
    )
}

/// A document with a key of a newer release at some of its places.
fn with_newer_keys(text: &str, at: usize) -> String {
    let places: Vec<usize> = text.match_indices("{\"id\"").map(|(place, _)| place + 1).collect();
    let place = *places.get(at % (places.len() + 1)).unwrap_or(&1);
    let (before, behind) = text.split_at(place);
    format!("{before}\"newer\":[1.50,{{\"a\":null}}],{behind}")
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
    (prop::collection::vec(operator, 0..6), document())
        .prop_map(|(operators, document)| JobGraphSpec { operators, ..document })
}

/// A plan in which subtasks have names instead of numbers, and the order of readers is that of
/// their names.
fn by_name(graph: &JobGraphSpec, options: &PlanOptions) -> BTreeSet<String> {
    let plan = plan_job(graph, options, &ValidateFacts::default()).unwrap();
    let name = |number: u32| {
        let task = &plan.tasks[number as usize];
        format!("{}/{}", task.op_id, task.subtask_idx_in_op)
    };
    let task = |task: &clink_plan::planner::PlannedTask| {
        let chain = &task.chain;
        let ops: Vec<_> = chain.operators().map(|op| (&op.id, op.kind, &op.in_channel)).collect();
        let inputs: BTreeSet<_> = (chain.input_edges.iter())
            .map(|edge| {
                let from = (name(edge.peer_subtask_idx), &edge.upstream_op_id);
                (edge.input_index, from, &edge.channel_type, edge.upstream_max_parallelism)
            })
            .collect();
        let outputs: BTreeSet<_> = (chain.output_groups.iter())
            .map(|group| {
                let to: Vec<_> = (group.edges.iter())
                    .map(|edge| (name(edge.peer_subtask_idx), edge.input_index, &edge.channel_type))
                    .collect();
                let output = (&group.upstream_op_id, &group.side_output_tag, group.branch);
                (output, group.mode, &group.downstream_op_id, &group.key_extractor_fn, to)
            })
            .collect();
        let routing = (chain.output_routing, &chain.output_selector_fn);
        let own = (name(task.subtask_idx), task.parallelism, task.key_groups);
        format!("{own:?} {ops:?} {inputs:?} {routing:?} {outputs:?}")
    };
    plan.tasks.iter().map(task).collect()
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
    fn listing_order_only_numbers_subtasks(
        graph in acyclic(), order: u64, chaining: bool, fuse_par1: bool,
    ) {
        let options = PlanOptions { chaining, fuse_par1 };
        let mut shuffled = graph.clone();
        let mut seed = order;
        for at in (1..shuffled.operators.len()).rev() {
            // Any permutation will do; this is Fisher and Yates with a linear congruence.
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.operators.swap(at, (seed >> 33) as usize % (at + 1));
        }
        prop_assert_eq!(by_name(&graph, &options), by_name(&shuffled, &options));
    }

    #[test]
    fn every_graph_reads_back(graph in anything()) {
        let text = graph.to_json();
        let again = JobGraphSpec::from_json(&text);
        prop_assert_eq!(again.as_ref(), Ok(&graph));
        prop_assert_eq!(again.unwrap().to_json(), text);
    }

    #[test]
    fn every_graph_of_a_newer_release_reads_back(graph in anything(), at: usize) {
        let newer = with_newer_keys(&graph.to_json(), at);
        prop_assert!(JobGraphSpec::from_json(&newer).is_err());
        let read = JobGraphSpec::from_json_tolerant(&newer).unwrap();
        prop_assert_ne!(&read, &graph);
        let written = read.to_json();
        prop_assert_eq!(written.len(), newer.len());
        prop_assert_eq!(JobGraphSpec::from_json_tolerant(&written), Ok(read));
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
