//! The smallest graph that breaks each rule, and what its author is told.

use clink_plan::descriptor::SourceLocation;
use clink_plan::graph::JobGraphSpec;
use clink_plan::id::OperatorId;
use clink_plan::validate::{RULES, Severity, ValidateFacts, validate};

use crate::support::{OperatorExt, compare_golden, facts, graph, op};

/// A rule, and a graph that breaks it and no other.
struct Case {
    code: &'static str,
    graph: JobGraphSpec,
    facts: ValidateFacts<'static>,
}

fn case(code: &'static str, graph: JobGraphSpec) -> Case {
    Case { code, graph, facts: facts() }
}

fn cases() -> Vec<Case> {
    let mut cases = identity_cases();
    cases.extend(parallelism_cases());
    cases.extend(input_cases());
    cases.extend(port_cases());
    cases.extend(registry_cases());
    cases.extend(state_cases());
    cases.extend(kept_cases());
    cases
}

fn identity_cases() -> Vec<Case> {
    vec![
        case("P0001", graph([])),
        case("P0002", graph([op("in", &[]), op("", &["in"]), op("out", &["in"])])),
        case("P0003", graph([op("in", &[]), op("in", &["in"]), op("out", &["in"])])),
        case("P0004", graph([op("in", &[]), op("out:a", &["in"])])),
        case("P0004", graph([op("in", &[]), op("out\n2", &["in"])])),
        case("P0005", graph([op("in", &[]).of_type(""), op("out", &["in"])])),
        case("P0006", graph([op("in", &[]), op("out", &["in"]).emits("")])),
        case("P0006", graph([op("in", &[]).emits(""), op("out", &["in"])])),
        case("P0007", {
            let twins = [op("a", &["in"]).uid("sum"), op("b", &["a"]).uid("sum")];
            graph([op("in", &[])].into_iter().chain(twins).chain([op("out", &["b"])]))
        }),
        case("P0007", {
            let named = op("out", &["in"]).uid(&OperatorId::of(0, "", "in").to_string());
            graph([op("in", &[]), named])
        }),
        case("P0007", graph([op("in", &[]).uid("Sum"), op("out", &["in"]).uid("sum")])),
        case("P0008", graph([op("in", &[]).uid("a/b"), op("out", &["in"]).uid(".hidden")])),
    ]
}

fn parallelism_cases() -> Vec<Case> {
    let middle = |change: fn(clink_plan::graph::OperatorSpec) -> _| {
        graph([op("in", &[]), change(op("a", &["in"])), op("out", &["a"])])
    };
    vec![
        case("P0009", middle(|a| a.parallelism(0))),
        case("P0010", middle(|a| a.keyed().parallelism(129))),
        case("P0009", middle(|a| a.parallelism(0).bounds(1, 4))),
        case("P0010", middle(|a| a.keyed().bounds(1, 4096))),
        case("P0011", middle(|a| a.bounds(0, 4))),
        case("P0011", middle(|a| a.bounds(1, 0))),
        case("P0012", middle(|a| a.parallelism(2).bounds(3, 4))),
        case("P0012", middle(|a| a.parallelism(5).bounds(3, 4))),
        case("P0013", middle(|a| a.parallelism(3).bounds(4, 2))),
        case("P0014", middle(|a| a.parallelism(u32::MAX))),
        case(
            "P0014",
            graph([op("in", &[]).parallelism(3000), op("out", &["in"]).parallelism(3001)]),
        ),
    ]
}

fn input_cases() -> Vec<Case> {
    vec![
        case("P0015", graph([op("in", &[]), op("a", &["in"]), op("out", &["in", "ab"])])),
        case("P0015", graph([op("in", &[]), op("out", &["in", "far.7"])])),
        case("P0015", graph([op("in", &[]), op("v.1", &["in"]), op("out", &["in", "v.1"])])),
        case("P0015", graph([op("in", &[]), op("out", &["inn"])])),
        case("P0015", graph([op("in", &[]).side("late", "int64"), op("out", &["in:late"])])),
        case("P0015", graph([op("in", &[]), op("outs", &["in"]), op("out", &["out1"])])),
        case("P0016", {
            let cycle = [op("a", &["in", "c"]), op("b", &["a"]), op("c", &["b"])];
            graph([op("in", &[])].into_iter().chain(cycle).chain([op("out", &["c"])]))
        }),
        case("P0016", graph([op("in", &[]), op("a", &["in", "a"]), op("out", &["a"])])),
        case("P0017", graph([op("in", &[]), op("out", &["in"]), op("alone", &[])])),
    ]
}

fn port_cases() -> Vec<Case> {
    let split = || op("a", &["in"]).param("selector_fn", "int64_even_odd");
    vec![
        case("P0018", graph([op("in", &[]), op("out", &["in"]), op("out2", &["in::late"])])),
        case("P0018", graph([op("in", &[]).side("late", "int64"), op("out", &["in::lade"])])),
        case("P0019", {
            graph([op("in", &[]).side("late", "int64").side("late", "int64"), op("out", &["in"])])
        }),
        case("P0020", graph([op("in", &[]).side("", "int64"), op("out", &["in"])])),
        case("P0020", graph([op("in", &[]).side("late", ""), op("out", &["in"])])),
        case("P0020", {
            graph([op("in", &[]).side("late", ""), op("out", &["in"]), op("out2", &["in::late"])])
        }),
        case("P0021", graph([op("in", &[]), split(), op("out", &["a.0"]), op("out2", &["a.2"])])),
        case("P0021", graph([op("in", &[]), split(), op("out", &["a.4294967295"])])),
        case("P0021", {
            let sinks = ["a.1", "a.3", "a.5"].map(|input| op(&format!("out{input}"), &[input]));
            graph([op("in", &[]), split()].into_iter().chain(sinks))
        }),
        case("P0022", graph([op("in", &[]), op("a", &["in"]), op("out", &["a.0"])])),
        case("P0023", graph([op("in", &[]), split(), op("out", &["a"]), op("out2", &["a.1"])])),
        case("P0024", graph([op("in", &[]).keyed(), op("out", &["in"])])),
        case("P0024", graph([op("in", &[]).keyed().parallelism(200), op("out", &["in"])])),
        case("P0033", graph([op("in", &[]), split(), op("out", &["a"]), op("out2", &["a"])])),
        case("P0034", {
            let join = op("j", &["in", "in"]).of_type("int64_int64_match_join");
            graph([op("in", &[]), join])
        }),
    ]
}

fn registry_cases() -> Vec<Case> {
    let text = || op("text", &[]).of_type("string_lines_source").emits("string");
    let join = |inputs: &[&str]| op("j", inputs).of_type("int64_int64_match_join");
    let split = || op("a", &["in"]).param("selector_fn", "int64_odd_even");
    vec![
        case("P0025", graph([op("in", &[]), text(), op("a", &["in", "text"]), op("out", &["a"])])),
        case("P0025", graph([op("in", &[]), text(), op("out", &["in", "text", "in"])])),
        case("P0026", graph([op("in", &[]), join(&["in"]), op("out", &["j"])])),
        case("P0026", graph([op("in", &[]), text(), join(&["in", "text"]), op("out", &["j"])])),
        case("P0027", graph([op("in", &[]).of_type("int64_range"), op("out", &["in"])])),
        case("P0027", graph([op("in", &[]), op("a", &["in"]).of_type("gzip"), op("out", &["a"])])),
        case("P0027", graph([text(), op("a", &["text"]), op("out", &["a"])])),
        case("P0027", graph([op("in", &[]), op("a", &["in"])])),
        case("P0027", graph([op("in", &[]), op("out", &["in"]), op("out2", &["out"])])),
        case("P0028", {
            let keyed = op("a", &["in"]).with(|spec| spec.key_by = "identify".to_owned());
            graph([op("in", &[]), keyed, op("out", &["a"])])
        }),
        case("P0029", graph([op("in", &[]), split(), op("out", &["a.0"])])),
    ]
}

fn state_cases() -> Vec<Case> {
    let stateful = |checkpoints| Case {
        code: "P0030",
        graph: graph([op("in", &[]), op("a", &["in"]), op("out", &["a"])]),
        facts: ValidateFacts {
            locations: [("a".to_owned(), location(12))].into(),
            stateful: ["a".to_owned()].into(),
            checkpoints,
            ..facts()
        },
    };
    let mut versions = graph([op("in", &[]), op("out", &["in"])]);
    versions.expected_state_versions = "7|u64".to_owned();
    vec![stateful(false), stateful(true), case("P0031", versions)]
}

fn kept_cases() -> Vec<Case> {
    let newer = r#"{"ops":[{"id":"in","type":"int64_range_source","out_channel":"int64",
        "lane":{"a":[1]},"side_outputs":[{"tag":"t","channel_type":"int64","ttl":3}]},
        {"id":"out","type":"file_int64_sink","out_channel":"int64","inputs":["in"]}],
        "udfs":[{"name":"f","language":"wasm","pure":true}],"region":"north"}"#;
    vec![case("P0032", JobGraphSpec::from_json_tolerant(newer).unwrap())]
}

fn location(line: u32) -> SourceLocation {
    SourceLocation { file: "src/lib.rs", line, column: 4 }
}

#[test]
fn each_case_breaks_its_rule_and_no_other() {
    for Case { code, graph, facts } in cases() {
        let found = validate(&graph, &facts);
        let codes: Vec<_> = found.iter().map(|diagnostic| diagnostic.code).collect();
        assert!(
            !codes.is_empty() && codes.iter().all(|found| *found == code),
            "{code}: {found:#?}"
        );
        assert!(found.iter().all(|diagnostic| diagnostic.help.is_some()), "{found:#?}");
    }
}

#[test]
fn every_rule_has_a_case_and_codes_count_up() {
    let cases = cases();
    for (index, rule) in RULES.iter().enumerate() {
        assert_eq!(rule.code, format!("P{:04}", index + 1));
        assert!(cases.iter().any(|case| case.code == rule.code), "{} has no case", rule.code);
    }
}

#[test]
fn messages_read_well() {
    let mut text = String::new();
    for case in cases() {
        for diagnostic in validate(&case.graph, &case.facts) {
            text += &format!("{diagnostic}\n");
        }
    }
    compare_golden("rules.txt", &text);
}

#[test]
fn all_problems_are_reported_at_once_in_graph_order() {
    let bad = graph([
        op("in", &[]).parallelism(0),
        op("a", &["inn"]).uid("same"),
        op("b", &["a"]).bounds(1, 0).uid("same"),
        op("out", &["b::late"]),
    ]);
    let facts = ValidateFacts {
        locations: [("a".to_owned(), location(3)), ("b".to_owned(), location(4))].into(),
        ..facts()
    };
    let found = validate(&bad, &facts);
    let codes: Vec<_> = found.iter().map(|found| (found.code, found.operator.as_deref())).collect();
    let expect =
        [("P0009", "in"), ("P0015", "a"), ("P0007", "b"), ("P0011", "b"), ("P0018", "out")];
    assert_eq!(codes, expect.map(|(code, id)| (code, Some(id))));
    let shown = found[2].to_string();
    let both = "error[P0007] operator `b` (src/lib.rs:4:4): its uid `same` is that of `a` \
                (src/lib.rs:3:4) too";
    assert!(shown.starts_with(both), "{shown}");
}

#[test]
fn every_knot_of_inputs_is_reported_once_p12() {
    let knots = graph([
        op("in", &[]),
        op("a", &["in", "b"]),
        op("b", &["a", "c"]),
        op("c", &["b"]),
        op("d", &["c", "e"]),
        op("e", &["d"]),
        op("out", &["e"]),
    ]);
    let cycles: Vec<_> = validate(&knots, &facts())
        .into_iter()
        .filter(|found| found.code == "P0016")
        .map(|found| found.message)
        .collect();
    assert_eq!(
        cycles,
        ["it reads its own output: `a` → `b` → `a`", "it reads its own output: `d` → `e` → `d`",]
    );
}

#[test]
fn a_knot_behind_another_is_reported_too() {
    let knots = graph([
        op("in", &[]),
        op("s", &["in", "c"]),
        op("a", &["s", "b"]),
        op("b", &["a"]),
        op("c", &["s"]),
        op("out", &["b"]),
    ]);
    let found = validate(&knots, &facts());
    let cycles: Vec<&str> = found.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(
        cycles,
        ["it reads its own output: `s` → `c` → `s`", "it reads its own output: `a` → `b` → `a`"]
    );
}

#[test]
fn an_operator_whose_id_looks_like_a_branch_is_told_apart() {
    let both = graph([op("in", &[]), op("v", &["in"]), op("v.1", &["in"]), op("out", &["v.1"])]);
    let found = validate(&both, &facts());
    let help = found.iter().find(|found| found.code == "P0022").unwrap().help.as_deref();
    let says = "`v.1` is read as a branch of it: for the operator of that name write `v.1::`";
    assert_eq!(help, Some(says));
    let about = found.iter().map(|found| (found.code, found.operator.as_deref()));
    assert_eq!(about.collect::<Vec<_>>(), [("P0022", Some("v"))]);
    let told = graph([op("in", &[]), op("v", &["in"]), op("v.1", &["in"]), op("out", &["v.1::"])]);
    assert!(validate(&told, &facts()).iter().all(|found| found.operator.as_deref() != Some("v.1")));
}

#[test]
fn one_misspelt_input_hides_no_other_fault() {
    let two = graph([
        op("in", &[]),
        op("a", &["inn"]),
        op("out", &["a"]),
        op("b", &["in"]),
        op("out2", &["b"]).of_type("nope"),
    ]);
    let found = validate(&two, &facts());
    let codes: Vec<_> = found.iter().map(|one| (one.code, one.operator.as_deref())).collect();
    assert_eq!(codes, [("P0015", Some("a")), ("P0027", Some("out2"))]);
    let mut unknown = op("a", &["in"]).of_type("nope").keyed();
    unknown.key_by = "nothing".to_owned();
    for inputs in [vec!["in"], vec!["inn"]] {
        unknown.inputs = inputs.into_iter().map(str::to_owned).collect();
        let found = validate(&graph([op("in", &[]), unknown.clone(), op("out", &["a"])]), &facts());
        let codes: Vec<_> = found.iter().map(|one| one.code).collect();
        assert!(codes.ends_with(&["P0027", "P0028"]), "{found:#?}");
    }
}

#[test]
fn a_type_in_the_wrong_place_says_where_it_may_stand() {
    let help = |graph: JobGraphSpec| {
        let found = validate(&graph, &facts());
        assert_eq!(found.len(), 1, "{found:#?}");
        found[0].help.clone().unwrap()
    };
    let forgotten = graph([
        op("in", &[]),
        op("out", &["in"]),
        op("m", &[]).of_type("identity_int64"),
        op("out2", &["m"]),
    ]);
    assert_eq!(
        help(forgotten),
        "it reads nothing, and `identity_int64` needs an input: give it `inputs`"
    );
    let wrong_output = op("a", &["in"]).of_type("int64_to_string");
    assert_eq!(
        help(graph([op("in", &[]), wrong_output, op("out", &["a"])])),
        "it is registered as an operator from int64 to string"
    );
    let texts = op("text", &[]).of_type("string_lines_source").emits("string");
    let apply = op("ap", &["in", "text"]).of_type("apply_rules").emits("string");
    let sink = op("out", &["ap"]).of_type("file_line_sink").emits("string");
    assert_eq!(
        help(graph([op("in", &[]), texts, apply, sink])),
        "`apply_rules` is registered as a co-operator on int64 and string to int64; as a union it \
         needs inputs of one type"
    );
    let split = op("a", &["in"]).param("selector_fn", "int64_even_od");
    let found = help(graph([op("in", &[]), split, op("out", &["a.0"]), op("out2", &["a.1"])]));
    assert!(found.starts_with("did you mean `int64_even_odd`?"), "{found}");
}

#[test]
fn a_warning_does_not_stop_a_plan_and_an_error_does() {
    use clink_plan::planner::{PlanOptions, plan_job};
    let [warning, error, _] = <[Case; 3]>::try_from(state_cases()).ok().unwrap();
    let plan = plan_job(&warning.graph, &PlanOptions::default(), &warning.facts).unwrap();
    assert_eq!(plan.warnings[0].severity, Severity::Warning);
    let refused = plan_job(&error.graph, &PlanOptions::default(), &error.facts).unwrap_err();
    assert_eq!(refused[0].severity, Severity::Error);
}

#[test]
fn without_a_registry_an_operator_on_two_types_is_a_co_operator() {
    let text = op("text", &[]).emits("string");
    let two = graph([op("in", &[]), text, op("a", &["in", "text"]), op("out", &["a"])]);
    assert_eq!(validate(&two, &ValidateFacts::default()), []);
}
