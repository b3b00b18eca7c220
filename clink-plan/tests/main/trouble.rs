//! Repeats faults that other systems had with the shapes of graphs; a name ends in its number.

use std::cell::Cell;
use std::collections::BTreeSet;

use clink_plan::descriptor::Locations;
use clink_plan::explain::{
    DiagramLanguage, draw_graph, draw_plan, explain_graph, explain_plan, plan_to_json,
};
use clink_plan::graph::{JobGraphSpec, OperatorSpec};
use clink_plan::id::OperatorId;
use clink_plan::planner::{JobPlan, OperatorChainSpec, PlanOptions, RoutingMode, plan_job};
use clink_plan::validate::{RegistryView, ValidateFacts, validate};

use crate::naive;
use crate::scale::line;
use crate::support::{FakeRegistry, OperatorExt, facts, graph, op, plan};

const OPTIONS: [PlanOptions; 3] = [
    PlanOptions { chaining: true, fuse_par1: false },
    PlanOptions { chaining: false, fuse_par1: false },
    PlanOptions { chaining: true, fuse_par1: true },
];

/// The plan of a graph that must be right by all rules.
fn checked(graph: &JobGraphSpec, options: &PlanOptions) -> JobPlan {
    plan_job(graph, options, &facts()).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// The code and the message of each problem.
fn problems(graph: &JobGraphSpec) -> Vec<(&'static str, String)> {
    let found = validate(graph, &facts()).into_iter();
    found.map(|problem| (problem.code, problem.message)).collect()
}

/// What the subtasks of `reader` receive: sender, receiver, input.
fn received(plan: &JobPlan, reader: &str) -> Vec<(u32, u32, u32)> {
    let tasks = plan.tasks.iter().filter(|task| task.op_id == reader);
    tasks
        .flat_map(|task| {
            let edges = task.chain.input_edges.iter();
            edges.map(|edge| (edge.peer_subtask_idx, task.subtask_idx, edge.input_index))
        })
        .collect()
}

/// What the subtasks of `sender` send, in the same form.
fn sent(plan: &JobPlan, sender: &str) -> BTreeSet<(u32, u32, u32)> {
    let tasks = plan.tasks.iter().filter(|task| task.op_id == sender);
    tasks
        .flat_map(|task| {
            let edges = task.chain.output_groups.iter().flat_map(|group| &group.edges);
            edges.map(|edge| (task.subtask_idx, edge.peer_subtask_idx, edge.input_index))
        })
        .collect()
}

#[test]
fn a_stream_that_meets_itself_has_an_edge_for_each_time_p01() {
    let meets = |reader: OperatorSpec| {
        let split = op("in", &[]).param("selector_fn", "int64_even_odd");
        let job = graph([split, reader, op("out", &["m"])]);
        for options in &OPTIONS {
            let plan = checked(&job, options);
            let received = received(&plan, "m");
            let inputs = job.operators[1].inputs.len();
            let once: BTreeSet<_> = received.iter().copied().collect();
            assert_eq!(received.len(), once.len(), "an edge is there twice");
            let ordinals: BTreeSet<u32> = once.iter().map(|edge| edge.2).collect();
            assert_eq!(ordinals.len(), inputs, "{received:?}");
            assert_eq!(once, sent(&plan, "in"));
        }
    };
    meets(op("m", &["in", "in"]));
    meets(op("m", &["in", "in", "in"]).parallelism(3));
    meets(op("m", &["in", "in"]).keyed().parallelism(2));
    meets(op("m", &["in.0", "in.0"]));
    meets(op("m", &["in", "in.0"]));
    meets(op("m", &["in", "in"]).of_type("int64_int64_match_join").parallelism(2));
}

/// A line whose last operator is a split; two of its operators have side outputs.
fn split_with_sides() -> JobGraphSpec {
    let text_sink = |id, input| op(id, &[input]).of_type("file_line_sink").emits("string");
    graph([
        op("in", &[]),
        op("a", &["in"]).side("late", "string"),
        op("s", &["a"])
            .param("selector_fn", "int64_even_odd")
            .side("late", "int64")
            .side("bad", "string"),
        text_sink("out_bad", "s::bad"),
        op("out_1", &["s.1"]),
        op("out_late", &["s::late"]),
        op("out_0", &["s.0"]),
        text_sink("out_first", "a::late"),
    ])
}

#[test]
fn a_split_has_two_side_outputs_chained_and_not_p04() {
    for options in &OPTIONS {
        let plan = checked(&split_with_sides(), options);
        let last = |task: &&clink_plan::planner::PlannedTask| {
            task.chain.ops.last().is_some_and(|op| op.id == "s")
        };
        let groups = &plan.tasks.iter().find(last).unwrap().chain.output_groups;
        let shown: Vec<String> = groups
            .iter()
            .map(|group| {
                let branch = group.branch.map(|branch| format!(".{branch}")).unwrap_or_default();
                let side = format!("{}::{}", group.upstream_op_id, group.side_output_tag);
                let port = if branch.is_empty() { side } else { branch };
                format!("{port} {} {}", group.edges[0].channel_type, group.downstream_op_id)
            })
            .collect();
        let mut expect = vec![
            ".0 int64 out_0",
            ".1 int64 out_1",
            "s::bad string out_bad",
            "s::late int64 out_late",
            "a::late string out_first",
        ];
        if !options.chaining {
            expect.pop();
        }
        assert_eq!(shown, expect, "{options:?}");
    }
}

#[test]
fn one_tag_with_two_types_is_refused_or_told_apart_p05() {
    let twice = op("a", &["in"]).side("late", "int64").side("late", "string");
    let one = graph([op("in", &[]), twice, op("out", &["a"]), op("out2", &["a::late"])]);
    let message = "side output `late` is declared 2 times: of int64, of string";
    assert_eq!(problems(&one), [("P0019", message.to_owned())]);

    // On two operators of one chain the tag means two outputs, each with its own type.
    for options in &OPTIONS {
        let plan = checked(&split_with_sides(), options);
        let reads = |id: &str| {
            let task = plan.tasks.iter().find(|task| task.op_id == id).unwrap();
            task.chain.input_edges[0].channel_type.to_string()
        };
        assert_eq!((reads("out_late"), reads("out_first")), ("int64".into(), "string".into()));
    }

    // They do not meet without a word.
    let mut mixed = split_with_sides();
    mixed.operators[5].inputs.push("a::late".to_owned());
    let message = "its inputs carry different types: `s::late` int64, `a::late` string";
    assert_eq!(problems(&mixed), [("P0025", message.to_owned())]);
}

#[test]
fn every_plan_of_every_shape_prints_p06() {
    let nowhere = Locations::new();
    for seed in 0..150 {
        let job = JobGraphSpec::from_json(&naive::graph(seed).to_string()).unwrap();
        let mut texts = vec![explain_graph(&job, &nowhere)];
        texts.extend(
            [DiagramLanguage::Mermaid, DiagramLanguage::Dot]
                .map(|lang| draw_graph(&job, &nowhere, lang)),
        );
        for options in &OPTIONS {
            let plan = checked(&job, options);
            texts.push(explain_plan(&job, &plan));
            texts.push(draw_plan(&job, &plan, DiagramLanguage::Mermaid));
            texts.push(draw_plan(&job, &plan, DiagramLanguage::Dot));
            texts.push(plan_to_json(&plan));
            for task in plan.tasks {
                assert_eq!(OperatorChainSpec::from_json(&task.chain.to_json()), Ok(task.chain));
            }
        }
        for spec in &job.operators {
            for text in &texts {
                assert!(text.contains(&spec.id), "seed {seed}: no `{}` in\n{text}", spec.id);
            }
        }
    }
}

/// Asserts that every subtask of `from` reaches every one of `to`, and that both ends know.
fn assert_spread(plan: &JobPlan, from: (&str, u32), to: (&str, u32)) {
    let edges = received(plan, to.0);
    assert_eq!(edges.len() as u32, from.1 * to.1, "{from:?} to {to:?}");
    assert_eq!(edges.into_iter().collect::<BTreeSet<_>>(), sent(plan, from.0));
    let routes = plan.tasks.iter().filter(|task| task.op_id == from.0);
    for group in routes.flat_map(|task| &task.chain.output_groups) {
        assert_eq!(group.mode, RoutingMode::Rebalance, "{from:?} to {to:?}");
    }
}

#[test]
fn no_forward_edge_outlives_a_change_of_parallelism_p07() {
    let mut job = graph([op("in", &[]), op("a", &["in"]), op("b", &["a"]), op("out", &["b"])]);
    job.override_parallelism(2);
    assert_eq!(plan(&job).tasks.len(), 6);
    // One operator changes; the JSON of the graph carries nothing of the plan before.
    job.operators[2].parallelism = 3;
    let mut job = JobGraphSpec::from_json(&job.to_json()).unwrap();
    let wider = plan(&job);
    assert_spread(&wider, ("a", 2), ("b", 3));
    assert_spread(&wider, ("b", 3), ("out", 2));
    // The job changes, but for an operator that stays single.
    job.operators[2].params.insert("forced_singleton".to_owned(), String::new());
    job.operators[2].parallelism = 1;
    job.override_parallelism(4);
    let single = plan(&job);
    assert_spread(&single, ("a", 4), ("b", 1));
    assert_spread(&single, ("b", 1), ("out", 4));
    // And back: what was spread is forward again.
    job.operators[2].parallelism = 4;
    let modes: BTreeSet<_> = plan(&job)
        .tasks
        .iter()
        .flat_map(|task| task.chain.output_groups.iter().map(|group| group.mode.as_str()))
        .collect();
    assert_eq!(modes, BTreeSet::from(["forward"]));
}

#[test]
fn between_unequal_parallelisms_everyone_reaches_everyone_p08() {
    for from in 1..=5 {
        for to in (1..=5).filter(|&to| to != from) {
            let job = [op("in", &[]).parallelism(from), op("out", &["in"]).parallelism(to)];
            for options in &OPTIONS {
                assert_spread(&checked(&graph(job.clone()), options), ("in", from), ("out", to));
            }
        }
    }
    // Nobody can ask for anything else: the format has no word for it.
    let asked = r#"{"ops":[{"id":"out","type":"file_int64_sink","out_channel":"int64",
        "inputs":["in"],"routing":"forward"}]}"#;
    let refused = JobGraphSpec::from_json(asked).unwrap_err().to_string();
    assert!(refused.contains("routing"), "{refused}");
}

/// Counts how often it is asked.
struct CountingRegistry(Cell<usize>);

impl CountingRegistry {
    fn asked<T>(&self, answer: T) -> T {
        self.0.set(self.0.get() + 1);
        answer
    }
}

impl RegistryView for CountingRegistry {
    fn has_source(&self, type_name: &str, out: &str) -> bool {
        self.asked(FakeRegistry.has_source(type_name, out))
    }

    fn has_operator(&self, type_name: &str, input: &str, out: &str) -> bool {
        self.asked(FakeRegistry.has_operator(type_name, input, out))
    }

    fn has_sink(&self, type_name: &str, input: &str) -> bool {
        self.asked(FakeRegistry.has_sink(type_name, input))
    }

    fn has_join(&self, type_name: &str) -> bool {
        self.asked(FakeRegistry.has_join(type_name))
    }

    fn has_key_extractor(&self, channel: &str, name: &str) -> bool {
        self.asked(FakeRegistry.has_key_extractor(channel, name))
    }

    fn type_names(&self) -> Vec<String> {
        self.asked(FakeRegistry.type_names())
    }

    fn key_extractor_names(&self) -> Vec<String> {
        self.asked(FakeRegistry.key_extractor_names())
    }
}

#[test]
fn a_plan_asks_the_registry_in_proportion_to_its_operators_p10() {
    let asked = |length: usize, doubled: bool| {
        let registry = CountingRegistry(Cell::new(0));
        let facts = ValidateFacts { registry: Some(&registry), ..ValidateFacts::default() };
        let mut job = line(length);
        if doubled {
            // Each operator reads the one before twice: a walk along all paths would not end.
            job.operators.iter_mut().for_each(|spec| spec.inputs.extend(spec.inputs.clone()));
        }
        plan_job(&job, &PlanOptions::default(), &facts).unwrap();
        registry.0.get()
    };
    for doubled in [false, true] {
        let step = asked(201, doubled) - asked(200, doubled);
        assert!(step > 0, "the count counts nothing");
        for length in [2_000, 10_000] {
            assert_eq!(asked(length, doubled), asked(200, doubled) + step * (length - 200));
        }
    }
}

#[test]
fn a_cycle_is_named_whatever_output_it_runs_through_p12() {
    let cyclic = |a: OperatorSpec, b: OperatorSpec, expect: &str| {
        let job = graph([op("in", &[]), a, b, op("out", &["b"])]);
        let job = JobGraphSpec::from_json(&job.to_json()).unwrap();
        let refused = plan_job(&job, &PlanOptions::default(), &facts()).unwrap_err();
        let found: Vec<_> = refused.iter().filter(|problem| problem.code == "P0016").collect();
        assert_eq!(found.len(), 1, "{refused:#?}");
        assert_eq!(found[0].message, format!("it reads its own output: {expect}"));
    };
    let two = "`a` → `b` → `a`";
    cyclic(op("a", &["in", "b"]), op("b", &["a"]), two);
    cyclic(op("a", &["in", "b::late"]), op("b", &["a"]).side("late", "int64"), two);
    let split = op("b", &["a"]).param("selector_fn", "int64_even_odd");
    cyclic(op("a", &["in", "b.1"]), split, two);
    cyclic(op("a", &["b"]), op("b", &["a", "in"]), two);
    cyclic(op("a", &["in", "a"]), op("b", &["a"]), "`a` → `a`");
    cyclic(op("a", &["a::late", "in"]).side("late", "int64"), op("b", &["a"]), "`a` → `a`");
    let join = op("a", &["in", "b"]).of_type("int64_int64_match_join");
    cyclic(join, op("b", &["a"]), two);
}

#[test]
fn a_cycle_without_a_source_or_a_sink_is_named_p12() {
    let found = problems(&graph([op("a", &["c"]), op("b", &["a"]), op("c", &["b"])]));
    assert_eq!(found, [("P0016", "it reads its own output: `a` → `b` → `c` → `a`".to_owned())]);
    let alone = problems(&graph([op("a", &["a"])]));
    assert_eq!(alone, [("P0016", "it reads its own output: `a` → `a`".to_owned())]);
}

#[test]
fn one_uid_in_two_branches_is_refused_with_both_names_p13() {
    let branches = graph([
        op("in", &[]),
        op("a", &["in"]).uid("sum"),
        op("b", &["in"]).uid("sum"),
        op("out1", &["a"]).uid("sum"),
        op("out2", &["b"]),
    ]);
    let found = validate(&branches, &facts());
    let shown: Vec<String> = found.iter().map(|problem| problem.to_string()).collect();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    for (problem, other) in shown.iter().zip(["b", "out1"]) {
        assert!(problem.starts_with("error[P0007]"), "{problem}");
        for name in ["`sum`", "`a`", &format!("`{other}`")] {
            assert!(problem.contains(name), "{problem}");
        }
    }
}

#[test]
fn a_uid_may_be_the_id_of_another_operator_p13() {
    let job = graph([op("in", &[]), op("a", &["in"]), op("b", &["a"]).uid("a"), op("out", &["b"])]);
    assert_eq!(problems(&job), []);
    assert_ne!(OperatorId::from_uid("a"), OperatorId::from_stage(1, "a"));
}
