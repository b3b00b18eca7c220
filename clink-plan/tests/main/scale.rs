//! Graphs of ten thousand operators plan on a small stack, and twice the size takes twice the
//! work.

use clink_plan::descriptor::Locations;
use clink_plan::explain::{
    DiagramLanguage, draw_graph, draw_plan, explain_graph, explain_plan, plan_to_json,
};
use clink_plan::graph::{JobGraphSpec, OperatorSpec};
use clink_plan::planner::{CHAIN_LENGTH_MAX, PlanOptions, plan_job};
use clink_plan::validate::{ValidateFacts, validate};

use crate::support::{OperatorExt, facts, graph, op, plan};

/// Runs `test` with the stack of a spawned thread, which is smaller than that of a main thread.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test);
    thread.unwrap().join().unwrap();
}

/// A line of `length` operators between a source and a sink.
pub(crate) fn line(length: usize) -> JobGraphSpec {
    let middle = (0..length).map(|index| match index {
        0 => op("m0", &["in"]),
        _ => op(&format!("m{index}"), &[&format!("m{}", index - 1)]),
    });
    let last = format!("m{}", length - 1);
    graph([op("in", &[])].into_iter().chain(middle).chain([op("out", &[&last])]))
}

#[test]
fn a_line_of_ten_thousand_operators_plans_and_prints_p11() {
    on_a_small_stack(|| {
        let graph = line(10_000);
        let plan = plan(&graph);
        assert_eq!(plan.tasks.len(), 10_000usize.div_ceil(CHAIN_LENGTH_MAX) + 2);
        assert_eq!(plan.clone(), plan);
        assert!(explain_plan(&graph, &plan).contains("m9998 ↓ m9999"));
        assert!(explain_graph(&graph, &Locations::new()).lines().count() > 10_000);
        assert!(plan_to_json(&plan).len() > 1_000_000);
        assert_eq!(draw_plan(&graph, &plan, DiagramLanguage::Dot).matches(" -> ").count(), 10_001);
        assert_eq!(JobGraphSpec::from_json(&graph.to_json()), Ok(graph));
    });
}

#[test]
fn a_line_listed_backwards_has_the_same_chains_p11() {
    on_a_small_stack(|| {
        let mut graph = line(10_000);
        graph.operators.reverse();
        assert_eq!(plan(&graph).tasks.len(), 10_000usize.div_ceil(CHAIN_LENGTH_MAX) + 2);
    });
}

#[test]
fn a_union_of_five_thousand_sources_plans() {
    on_a_small_stack(|| {
        let sources: Vec<OperatorSpec> =
            (0..5_000).map(|index| op(&format!("s{index}"), &[])).collect();
        let names: Vec<String> = sources.iter().map(|spec| spec.id.clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let graph = graph(sources.into_iter().chain([op("u", &names), op("out", &["u"])]));
        assert_eq!(validate(&graph, &facts()), []);
        let plan = plan(&graph);
        assert_eq!(plan.tasks.len(), 5_002);
        assert!(explain_plan(&graph, &plan).contains("s4999 → u"));
        assert!(explain_graph(&graph, &Locations::new()).contains("s4999"));
        assert!(plan_to_json(&plan).len() > 1_000_000);
        let edges = &plan.tasks[5_000].chain.input_edges;
        assert_eq!(edges.len(), 5_000);
        assert!(edges.iter().zip(0..).all(|(edge, index)| edge.input_index == index));
    });
}

#[test]
fn a_fork_to_five_thousand_sinks_plans() {
    on_a_small_stack(|| {
        let sinks = (0..5_000).map(|index| op(&format!("out{index}"), &["a"]));
        let graph = graph([op("in", &[]), op("a", &["in"])].into_iter().chain(sinks));
        assert_eq!(plan(&graph).tasks[1].chain.output_groups.len(), 5_000);
    });
}

/// The picture of a graph, and that of its plan if it has one.
fn pictures(graph: &JobGraphSpec) -> [String; 2] {
    let options = PlanOptions::default();
    let drawn = plan_job(graph, &options, &ValidateFacts::default())
        .map(|plan| draw_plan(graph, &plan, DiagramLanguage::Svg));
    [draw_graph(graph, &Locations::new(), DiagramLanguage::Svg), drawn.unwrap_or_default()]
}

#[test]
fn a_line_of_ten_thousand_operators_is_a_picture() {
    on_a_small_stack(|| {
        for picture in pictures(&line(10_000)) {
            assert_eq!(picture.matches("class=\"box\"").count(), 10_002);
            assert_eq!(picture.matches("data-from=").count(), 10_001);
        }
    });
}

#[test]
fn a_union_of_five_thousand_sources_and_a_fork_to_as_many_sinks_are_pictures() {
    on_a_small_stack(|| {
        let names: Vec<String> = (0..5_000).map(|index| format!("s{index}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let sources = names.iter().map(|name| op(name, &[]));
        let union = graph(sources.chain([op("u", &names), op("out", &["u"])]));
        let sinks = (0..5_000).map(|index| op(&format!("out{index}"), &["a"]));
        let fork = graph([op("in", &[]), op("a", &["in"])].into_iter().chain(sinks));
        for picture in [union, fork].iter().flat_map(pictures) {
            assert_eq!(picture.matches("class=\"box\"").count(), 5_002);
            assert_eq!(picture.matches("data-from=").count(), 5_001);
        }
    });
}

#[test]
fn a_picture_in_which_every_arrow_is_long_does_not_grow_with_its_square() {
    on_a_small_stack(|| {
        // Every operator reads the one before it and the first, and the first reads the last.
        let mut graph = line(5_000);
        for spec in graph.operators.iter_mut().skip(2) {
            spec.inputs.push("m0".to_owned());
        }
        graph.operators[1].inputs.push("m4999".to_owned());
        let [picture, _] = pictures(&graph);
        assert_eq!(picture.matches("data-from=").count(), 5_001 + 5_000 + 1);
        // And operators that nothing joins.
        let alone = self::graph((0..5_000).map(|index| op(&format!("s{index}"), &[])));
        assert_eq!(pictures(&alone)[0].matches("class=\"box\"").count(), 5_000);
    });
}

#[test]
fn a_cycle_of_ten_thousand_operators_is_reported_p11() {
    on_a_small_stack(|| {
        let mut graph = line(10_000);
        graph.operators[1].inputs.push("m9999".to_owned());
        let found = validate(&graph, &ValidateFacts::default());
        assert_eq!(found.len(), 1);
        assert!(found[0].message.ends_with("`m9` → … (9990 more) → `m0`"), "{}", found[0]);
    });
}

#[test]
fn ten_thousand_cycles_are_reported_in_the_time_of_one() {
    on_a_small_stack(|| {
        // Each reads the one before and the one behind it.
        let mut graph = line(20_000);
        for index in (0..20_000).step_by(2) {
            graph.operators[index + 1].inputs.push(format!("m{}", index + 1));
        }
        assert_eq!(validate(&graph, &ValidateFacts::default()).len(), 10_000);
        // All lead back to the first, behind a cycle that is reported already.
        let mut graph = line(20_000);
        graph.operators[2].inputs.push("m2".to_owned());
        let back: Vec<String> = (3..20_000).map(|index| format!("m{index}")).collect();
        graph.operators[1].inputs.extend(back);
        assert_eq!(validate(&graph, &ValidateFacts::default()).len(), 1);
    });
}

#[test]
fn ten_thousand_misspelt_names_are_reported() {
    on_a_small_stack(|| {
        let mut types = line(10_000);
        let mut inputs = types.clone();
        for (index, spec) in types.operators.iter_mut().enumerate() {
            spec.type_name += &format!("{index}");
        }
        assert_eq!(validate(&types, &facts()).len(), 10_002);
        for spec in &mut inputs.operators {
            spec.inputs.iter_mut().for_each(|input| input.push('x'));
        }
        assert_eq!(validate(&inputs, &facts()).len(), 10_001);
    });
}

#[test]
fn wide_shuffles_within_the_limit_plan() {
    let graph = graph([
        op("in", &[]).parallelism(128),
        op("a", &["in"]).keyed().parallelism(128),
        op("out", &["a"]).parallelism(100),
    ]);
    let edges: usize = plan(&graph).tasks.iter().map(|task| task.peer_refs.len()).sum();
    assert_eq!(edges, 128 * 128 + 128 * 100);
}
