//! Plans of the reference's worked examples and of shapes that the reference plans wrongly.

use std::collections::BTreeMap;

use clink_plan::descriptor::ConnectorDescriptor;
use clink_plan::graph::JobGraphSpec;
use clink_plan::planner::{
    ChainOpKind, JobPlan, OperatorChainSpec, OutputRouting, PlanOptions, PlannedTask, RegistryView,
    RoutingMode, plan_job,
};
use clink_plan::validate::ValidateFacts;

use crate::support::{OperatorExt, facts, graph, op, plan};

/// A plan as the lines in which the reference's worked examples are written.
fn shown(plan: &JobPlan) -> Vec<String> {
    plan.tasks.iter().map(shown_task).collect()
}

fn shown_task(task: &PlannedTask) -> String {
    let chain = &task.chain;
    let ops: Vec<&str> = chain.ops.iter().map(|op| op.id.as_str()).collect();
    let mut line = format!("#{} {}[{}]", task.subtask_idx, ops.join("+"), task.subtask_idx_in_op);
    for end in [&chain.fused_source, &chain.fused_sink].into_iter().flatten() {
        line += &format!(" fused {}", end.id);
    }
    for edge in &chain.input_edges {
        line += &format!(" in {}/{}", edge.peer_subtask_idx, edge.input_index);
        if let Some(op) = &edge.upstream_op_id {
            line += &format!("!{op}");
        }
        if edge.upstream_max_parallelism > 0 {
            line += &format!(" max {}", edge.upstream_max_parallelism);
        }
    }
    for group in &chain.output_groups {
        let tag = match group.side_output_tag.as_str() {
            "" => String::new(),
            tag => format!("{}::{tag} ", group.upstream_op_id),
        };
        let peers: Vec<u32> = group.edges.iter().map(|edge| edge.peer_subtask_idx).collect();
        line += &format!(" out {tag}{}->{}{peers:?}", group.mode, group.downstream_op_id);
    }
    line
}

fn check(graph: JobGraphSpec, expect: &[&str]) {
    assert_eq!(shown(&plan(&graph)), expect);
}

fn check_fused(graph: JobGraphSpec, expect: &[&str]) {
    let options = PlanOptions { fuse_par1: true, ..PlanOptions::default() };
    let plan = plan_job(&graph, &options, &ValidateFacts::default()).unwrap();
    assert_eq!(shown(&plan), expect);
}

#[test]
fn e2_rebalance() {
    check(
        graph([op("in", &[]).parallelism(2), op("out", &["in"]).parallelism(3)]),
        &[
            "#0 in[0] out rebalance->out[2, 3, 4]",
            "#1 in[1] out rebalance->out[2, 3, 4]",
            "#2 out[0] in 0/0!in in 1/0!in",
            "#3 out[1] in 0/0!in in 1/0!in",
            "#4 out[2] in 0/0!in in 1/0!in",
        ],
    );
}

#[test]
fn e5_keyed_with_bounds() {
    let agg = op("agg", &["in"]).keyed().parallelism(2).bounds(1, 8);
    let plan = plan(&graph([op("in", &[]), agg, op("out", &["agg"])]));
    assert_eq!(
        shown(&plan),
        [
            "#0 in[0] out hash->agg[1, 2]",
            "#1 agg[0] in 0/0!in out rebalance->out[3]",
            "#2 agg[1] in 0/0!in out rebalance->out[3]",
            "#3 out[0] in 1/0!agg max 8 in 2/0!agg max 8",
        ]
    );
    assert_eq!(plan.tasks[2].key_groups.to_string(), "64..128");
    let group = &plan.tasks[0].chain.output_groups[0];
    assert_eq!(
        (group.key_extractor_fn.as_str(), group.downstream_max_parallelism),
        ("identity", 8)
    );
    assert_eq!(plan.tasks[1].chain.ops[0].key_by, "identity");
}

#[test]
fn a_chain_spec_is_written_as_the_reference_writes_it() {
    let agg = op("agg", &["rd"]).parallelism(2);
    let plan = plan(&graph([op("rd", &[]), agg, op("out", &["agg"])]));
    let expect = concat!(
        r#"{"subtask_idx":1,"subtask_idx_in_op":0,"ops":[{"id":"agg","type":"identity_int64","#,
        r#""kind":"operator","in_channel":"int64","out_channel":"int64","parallelism":2,"#,
        r#""params":{}}],"input_edges":[{"peer_role":"__clink_subtask","peer_subtask_idx":0,"#,
        r#""channel_type":"int64","input_index":0,"upstream_op_id":"rd"}],"#,
        r#""output_routing":"broadcast","output_selector_fn":"","output_groups":["#,
        r#"{"mode":"rebalance","downstream_op_id":"out","edges":[{"peer_role":"__clink_subtask","#,
        r#""peer_subtask_idx":3,"channel_type":"int64"}]}]}"#,
    );
    assert_eq!(plan.tasks[1].chain.to_json(), expect);
}

#[test]
fn e6_keyed_in_the_middle() {
    let cnt = op("cnt", &["pre"]).keyed().bounds(1, 8);
    let mut job = graph([op("in", &[]), op("pre", &["in"]), cnt, op("fmt", &["cnt"])]);
    job.override_parallelism(2);
    job.operators.push(op("out", &["fmt"]));
    check(
        job,
        &[
            "#0 in[0] out forward->pre[2]",
            "#1 in[1] out forward->pre[3]",
            "#2 pre[0] in 0/0 out hash->cnt[4, 5]",
            "#3 pre[1] in 1/0 out hash->cnt[4, 5]",
            "#4 cnt+fmt[0] in 2/0!pre in 3/0!pre out rebalance->out[6]",
            "#5 cnt+fmt[1] in 2/0!pre in 3/0!pre out rebalance->out[6]",
            "#6 out[0] in 4/0!fmt in 5/0!fmt",
        ],
    );
}

#[test]
fn e7_keyed_is_chained_at_parallelism_1() {
    let job = [op("in", &[]), op("pre", &["in"]), op("cnt", &["pre"]).keyed(), op("out", &["cnt"])];
    check(
        graph(job),
        &[
            "#0 in[0] out forward->pre[1]",
            "#1 pre+cnt[0] in 0/0 out forward->out[2]",
            "#2 out[0] in 1/0",
        ],
    );
}

#[test]
fn e9_union_of_unequal_inputs() {
    let job = graph([
        op("r1", &[]),
        op("r2", &[]).parallelism(2),
        op("m", &["r1", "r2"]).parallelism(2),
        op("out", &["m"]).parallelism(2),
    ]);
    check(
        job,
        &[
            "#0 r1[0] out rebalance->m[3, 4]",
            "#1 r2[0] out forward->m[3]",
            "#2 r2[1] out forward->m[4]",
            "#3 m[0] in 0/0!r1 in 1/1 out forward->out[5]",
            "#4 m[1] in 0/0!r1 in 2/1 out forward->out[6]",
            "#5 out[0] in 3/0",
            "#6 out[1] in 4/0",
        ],
    );
}

#[test]
fn e11_branches_are_in_order_of_their_numbers() {
    let job = graph([
        op("in", &[]),
        op("par", &["in"]).param("selector_fn", "int64_even_odd"),
        op("hi", &["par.1"]).parallelism(2),
        op("lo", &["par.0"]),
        op("out_hi", &["hi"]).parallelism(2),
        op("out_lo", &["lo"]),
    ]);
    let plan = plan(&job);
    let split = &plan.tasks[1].chain;
    assert_eq!(split.output_routing, OutputRouting::Split);
    assert_eq!(split.output_selector_fn, "int64_even_odd");
    let groups: Vec<_> = split
        .output_groups
        .iter()
        .map(|group| (group.branch, group.mode, group.downstream_op_id.as_str()))
        .collect();
    assert_eq!(
        groups,
        [(Some(0), RoutingMode::Forward, "lo"), (Some(1), RoutingMode::Rebalance, "hi"),]
    );
    assert_eq!(shown(&plan)[1], "#1 par[0] in 0/0 out forward->lo[4] out rebalance->hi[2, 3]");
}

#[test]
fn e12_a_side_output_inside_a_chain() {
    let job = graph([
        op("in", &[]),
        op("val", &["in"]).side("bad", "string"),
        op("dlq", &["val::bad"]),
        op("enr", &["val"]),
        op("out", &["enr"]),
    ]);
    check(
        job,
        &[
            "#0 in[0] out forward->val[1]",
            "#1 val+enr[0] in 0/0 out val::bad forward->dlq[2] out forward->out[3]",
            "#2 dlq[0] in 1/0",
            "#3 out[0] in 1/0",
        ],
    );
}

#[test]
fn e13_a_co_operator_tells_its_inputs_apart() {
    let rules = op("rules", &[]).of_type("string_lines_source").emits("string");
    let apply = op("ap", &["ev", "rules"]).of_type("apply_rules").parallelism(2);
    let events = op("ev", &[]).parallelism(2);
    let job = graph([rules, events, apply, op("out", &["ap"]).parallelism(2)]);
    let plan = plan_job(&job, &PlanOptions::default(), &facts()).unwrap();
    assert_eq!(plan.tasks[3].chain.ops[0].kind, ChainOpKind::CoOperator);
    assert_eq!(shown(&plan)[3], "#3 ap[0] in 1/0 in 0/1!rules out forward->out[5]");
    let mut swapped = job;
    swapped.operators[2].inputs.reverse();
    let plan = plan_job(&swapped, &PlanOptions::default(), &facts()).unwrap();
    assert_eq!(plan.tasks[3].chain.ops[0].kind, ChainOpKind::CoOperator);
    assert_eq!(plan.tasks[3].chain.ops[0].in_channel, "string");
}

#[test]
fn e14_to_e16_fusion() {
    let line = |p| {
        let ends = [op("in", &[]), op("a", &["in"]), op("b", &["a"])];
        graph(ends.into_iter().chain([op("out", &["b"]).parallelism(p)]))
    };
    check_fused(line(1), &["#0 a+b[0] fused in fused out"]);
    check_fused(
        line(2),
        &[
            "#0 a+b[0] fused in out rebalance->out[1, 2]",
            "#1 out[0] in 0/0!b",
            "#2 out[1] in 0/0!b",
        ],
    );
    let val = op("val", &["in"]).side("bad", "int64");
    check_fused(
        graph([op("in", &[]), val, op("out1", &["val::bad"]), op("out2", &["val"])]),
        &[
            "#0 val[0] fused in out val::bad forward->out1[1] out forward->out2[2]",
            "#1 out1[0] in 0/0",
            "#2 out2[0] in 0/0",
        ],
    );
}

#[test]
fn e17_a_split_keeps_its_side_outputs_apart_from_its_branches_p04() {
    let job = graph([
        op("in", &[]),
        op("s", &["in"]).param("selector_fn", "int64_even_odd").side("t", "string"),
        op("a", &["s.0"]),
        op("out_d", &["s::t"]),
        op("b", &["s.1"]),
    ]);
    let plan = plan(&job);
    let groups = &plan.tasks[1].chain.output_groups;
    let kinds: Vec<_> =
        groups.iter().map(|group| (group.branch, group.side_output_tag.as_str())).collect();
    assert_eq!(kinds, [(Some(0), ""), (Some(1), ""), (None, "t")]);
    assert_eq!(&*groups[2].edges[0].channel_type, "string");
}

#[test]
fn a_chain_that_ends_in_a_split_keeps_the_side_outputs_of_its_members_p04() {
    let job = graph([
        op("in", &[]),
        op("a", &["in"]).side("late", "string"),
        op("s", &["a"]).param("selector_fn", "int64_even_odd"),
        op("out1", &["s.0"]),
        op("out2", &["a::late"]),
    ]);
    assert_eq!(
        shown(&plan(&job))[1],
        "#1 a+s[0] in 0/0 out forward->out1[2] out a::late forward->out2[3]"
    );
}

#[test]
fn e18_a_fused_union_keeps_all_inputs() {
    let job = graph([op("r1", &[]), op("r2", &[]), op("u", &["r1", "r2"]), op("out", &["u"])]);
    check_fused(
        job,
        &[
            "#0 r1[0] out forward->u[2]",
            "#1 r2[0] out forward->u[2]",
            "#2 u[0] fused out in 0/0 in 1/1",
        ],
    );
    let two = graph([op("r1", &[]), op("a", &["r1"]), op("r2", &[]), op("out", &["a", "r2"])]);
    check_fused(
        two,
        &[
            "#0 a[0] fused r1 out forward->out[2]",
            "#1 r2[0] out forward->out[2]",
            "#2 out[0] in 0/0 in 1/1",
        ],
    );
}

#[test]
fn e20_one_upstream_may_be_read_twice_p01() {
    let job = graph([op("in", &[]).side("late", "int64"), op("out", &["in", "in::late", "in"])]);
    let plan = plan(&job);
    assert_eq!(
        shown(&plan),
        [
            "#0 in[0] out in::late forward->out[1] out forward->out[1] out forward->out[1]",
            "#1 out[0] in 0/0 in 0/1 in 0/2",
        ]
    );
    let ordinals: Vec<_> =
        plan.tasks[0].chain.output_groups.iter().map(|group| group.edges[0].input_index).collect();
    assert_eq!(ordinals, [1, 0, 2]);
}

#[test]
fn e22_a_long_line_starts_a_second_chain() {
    let middle = (0..66).map(|index| match index {
        0 => op("o0", &["in"]),
        _ => op(&format!("o{index}"), &[&format!("o{}", index - 1)]),
    });
    let plan = plan(&graph([op("in", &[])].into_iter().chain(middle).chain([op("out", &["o65"])])));
    let lengths: Vec<_> = plan.tasks.iter().map(|task| task.chain.ops.len()).collect();
    assert_eq!(lengths, [1, 64, 2, 1]);
}

#[test]
fn e24_listing_order_only_changes_numbers() {
    let job = graph([
        op("in", &[]),
        op("b", &["a"]),
        op("a", &["in"]),
        op("c", &["b"]),
        op("out", &["c"]),
    ]);
    check(
        job,
        &[
            "#0 in[0] out forward->a[1]",
            "#1 a+b+c[0] in 0/0 out forward->out[2]",
            "#2 out[0] in 1/0",
        ],
    );
}

#[test]
fn two_readers_of_a_branch_both_name_it() {
    let job = graph([
        op("in", &[]),
        op("s", &["in"]).param("selector_fn", "int64_even_odd"),
        op("out1", &["s.1"]),
        op("out2", &["s.0"]),
        op("out3", &["s.1"]),
    ]);
    let plan = plan(&job);
    let groups = plan.tasks[1].chain.output_groups.iter();
    let groups: Vec<_> = groups.map(|group| (group.branch, &*group.downstream_op_id)).collect();
    assert_eq!(groups, [(Some(0), "out2"), (Some(1), "out1"), (Some(1), "out3")]);
}

#[test]
fn inline_operators_are_chained_like_any_other() {
    let inline = [op("in", &[]), op("f", &["in"]).of_type("_inline_map_0"), op("g", &["f"])];
    let plan = plan(&graph(inline.into_iter().chain([op("out", &["g"])])));
    assert_eq!(plan.tasks[1].chain.ops.len(), 2);
}

#[test]
fn without_chaining_every_operator_has_its_own_subtasks() {
    let job = graph([op("in", &[]), op("a", &["in"]), op("b", &["a"]), op("out", &["b"])]);
    let options = PlanOptions { chaining: false, fuse_par1: true };
    let plan = plan_job(&job, &options, &ValidateFacts::default()).unwrap();
    assert_eq!(plan.tasks.len(), 4);
}

#[test]
fn each_obstacle_to_a_chain_is_named() {
    let job = graph([
        op("in", &[]).parallelism(2),
        op("a", &["in"]).parallelism(2).side("late", "int64"),
        op("count", &["a"]).keyed().parallelism(2),
        op("wide", &["count"]).parallelism(4),
        op("x", &["wide"]).parallelism(4),
        op("y", &["wide"]).parallelism(4),
        op("u", &["x", "y"]).parallelism(4),
        op("s", &["u"]).parallelism(4).param("selector_fn", "int64_even_odd"),
        op("l", &["a::late"]).parallelism(2),
        op("m", &["s.0"]).parallelism(4),
        op("out1", &["m"]).parallelism(4),
        op("out2", &["l"]).parallelism(2),
    ]);
    let plan = plan(&job);
    let mut reasons = BTreeMap::new();
    for decision in plan.decisions.iter().filter(|decision| decision.routing.is_none()) {
        let edge = format!("{}-{}", decision.upstream, decision.downstream);
        reasons.insert(edge, decision.reason.as_str());
    }
    for (edge, reason) in [
        ("in-a", "not chained: sources and sinks are not chained"),
        ("a-count", "not chained: `count` is keyed and parallelism is 2"),
        ("count-wide", "not chained: parallelism changes from 2 to 4"),
        ("wide-x", "not chained: `wide` has 2 readers"),
        ("x-u", "not chained: `u` has 2 inputs"),
        ("u-s", "chained: one reader, one input, parallelism 4"),
        ("a-l", "not chained: `l` reads side output `late`"),
        ("s-m", "not chained: `s` is split into branches"),
    ] {
        assert_eq!(reasons.get(edge), Some(&reason), "{edge}");
    }
    let routes = plan.decisions.iter().filter(|decision| decision.routing.is_some());
    let routes: Vec<&str> = routes.map(|decision| decision.reason.as_str()).collect();
    assert!(routes.contains(&"hash: `count` is keyed by `identity`"), "{routes:#?}");
    assert!(routes.contains(&"rebalance: parallelism 2 → 4"), "{routes:#?}");
}

#[test]
fn a_chain_spec_that_could_not_run_is_refused() {
    let text = r#"{"ops":[],"output_routing":"split"}"#;
    let shown = |text: &str| {
        let problems = OperatorChainSpec::from_json(text).unwrap_err().problems;
        problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        shown(text),
        [
            "`ops`: expected at least one operator, found none",
            "`output_selector_fn`: expected the selector of the split, found none",
        ]
    );
    assert_eq!(shown(&text.replace("[]", "[ ]")), shown(text));
    let text = r#"{"ops":[{"id":"a","type":"t","kind":"map","side_outputs":[{"tag":"late",
        "channel_type":"c"}]}],"output_routing":"broadcast","output_groups":[{"mode":"spread",
        "side_output_tag":"late","edges":7}]}"#;
    let paths = OperatorChainSpec::from_json(text).unwrap_err().problems.into_iter();
    let paths: Vec<String> = paths.map(|problem| problem.path).collect();
    let expect = [
        "ops[0].kind",
        "ops[0].in_channel",
        "ops[0].out_channel",
        "output_groups[0].mode",
        "output_groups[0].edges",
    ];
    assert_eq!(paths, expect);
    let text = r#"{"ops":[{"id":"a","type":"t","kind":"operator","in_channel":"c","out_channel":"c",
        "parallelism":2}],"output_routing":"broadcast","output_groups":[{"mode":"hash"},
        {"mode":"forward","side_output_tag":"late"},{"mode":"forward","upstream_op_id":"b"},
        {"mode":"forward","branch":1}]}"#;
    assert_eq!(
        shown(text),
        [
            "`output_groups[0].key_extractor_fn`: expected the extractor of the keys to hash, \
             found none",
            "`output_groups[1].side_output_tag`: expected a side output that an operator of the \
             chain declares, found late",
            "`output_groups[2].upstream_op_id`: expected an operator of the chain that has this \
             output, found b",
            "`output_groups[3].branch`: expected no branch, found one",
        ]
    );
    let idle = shown(&text.replace("\"parallelism\":2", "\"parallelism\":0"));
    assert_eq!(idle[0], "`ops[0].parallelism`: expected a parallelism from 1, found 0");
}

#[test]
fn a_chain_spec_that_would_be_misunderstood_is_refused() {
    let text = r#"{"ops":[{"id":"a","type":"t","kind":"map","in_channel":"c","out_channel":"c"}],
        "output_routing":"broadcast","output_groups":[{"mode":"forward","edges":[
        {"peer_role":"worker","channel_type":"c"}]}],"lanes":1}"#;
    let problems = OperatorChainSpec::from_json(text).unwrap_err().problems;
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["lanes", "ops[0].kind", "output_groups[0].edges[0].peer_role"]);
    assert_eq!(
        problems[1].to_string(),
        "`ops[0].kind`: expected one of source, operator, sink, join, co_operator, found \"map\""
    );
}

/// A registry that has whatever it is asked for, and the connectors of a message broker.
struct Broker;

impl RegistryView for Broker {
    fn has_source(&self, _type_name: &str, _out: &str) -> bool {
        true
    }

    fn has_operator(&self, _type_name: &str, _input: &str, _out: &str) -> bool {
        true
    }

    fn has_sink(&self, _type_name: &str, _input: &str) -> bool {
        true
    }

    fn has_key_extractor(&self, _channel: &str, _name: &str) -> bool {
        true
    }

    fn connectors(&self) -> Vec<ConnectorDescriptor> {
        let of = |name, exactly_once, commit_recoverable| ConnectorDescriptor {
            name,
            exactly_once,
            commit_recoverable,
        };
        vec![of("broker", false, false), of("broker_2pc", true, false), of("file_2pc", true, true)]
    }

    fn type_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn key_extractor_names(&self) -> Vec<String> {
        Vec::new()
    }
}

#[test]
fn a_sink_that_cannot_find_out_about_its_commits_needs_them_confirmed() {
    let job = graph([
        op("in", &[]).of_type("broker_2pc_source"),
        op("a", &["in"]),
        op("b", &["a"]),
        op("out1", &["a"]).of_type("broker_sink"),
        op("out2", &["a"]).of_type("broker_2pc_sink_text"),
        op("out3", &["a"]).of_type("file_2pc_sink"),
        op("out4", &["b"]).of_type("broker_2pc_sink"),
    ]);
    let facts = ValidateFacts { registry: Some(&Broker), ..ValidateFacts::default() };
    let confirmed = |fuse_par1| -> Vec<String> {
        let options = PlanOptions { fuse_par1, ..PlanOptions::default() };
        let tasks = plan_job(&job, &options, &facts).unwrap().tasks;
        let asked = tasks.into_iter().filter(|task| task.needs_commit_confirmation);
        asked.map(|task| task.op_id).collect()
    };
    // The longest name of a connector counts, and sources have nothing to commit.
    assert_eq!(confirmed(false), ["out2", "out4"]);
    assert_eq!(confirmed(true), ["b", "out2"], "`out4` is fused to `b`");
}
