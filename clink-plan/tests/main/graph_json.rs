//! The submission format: canonical when written, strict when read.

use clink_plan::graph::{
    ColumnLineage, JobGraphSpec, OperatorSpec, StateVersion, StateVersionError, UdfSpec,
    pack_versions, unpack_versions,
};
use clink_plan::id::OperatorId;

use crate::reference_plans::{names, text};
use crate::support::{OperatorExt, graph, op};

fn full() -> JobGraphSpec {
    let mut middle = op("a", &["in", "in::late"])
        .keyed()
        .uid("sum")
        .bounds(1, 8)
        .param("z", "1")
        .param("a", "\u{8}\u{c}\n\"\\/\u{7f}ü")
        .side("late", "string");
    middle.display_name = "Sum".to_owned();
    let operators = graph([op("in", &[]).side("late", "int64"), middle, op("out", &["a"])]);
    JobGraphSpec {
        name: "sums".to_owned(),
        determinism_coverage: "sql-planner".to_owned(),
        expected_state_versions: "7|u64|1|sum".to_owned(),
        udfs: vec![UdfSpec {
            name: "twice".to_owned(),
            language: "wasm".to_owned(),
            arg_names: vec!["x".to_owned()],
            arg_types: vec!["int64".to_owned()],
            return_type: "int64".to_owned(),
            ..UdfSpec::default()
        }],
        column_lineage: ColumnLineage::new(r#"{ "sum": ["x"] }"#),
        ..operators
    }
}

#[test]
fn writing_is_canonical() {
    let expect = concat!(
        r#"{"format":1,"name":"sums","determinism_coverage":"sql-planner","ops":["#,
        r#"{"id":"in","type":"int64_range_source","out_channel":"int64","parallelism":1,"#,
        r#""inputs":[],"params":{},"side_outputs":[{"tag":"late","channel_type":"int64"}]},"#,
        r#"{"id":"a","type":"identity_int64","uid":"sum","display_name":"Sum","#,
        r#""out_channel":"int64","parallelism":1,"min_parallelism":1,"max_parallelism":8,"#,
        r#""inputs":["in","in::late"],"params":{"a":"\u0008\u000c\n\"\\/"#,
        "\u{7f}ü",
        r#"","z":"1"},"key_by":"identity","#,
        r#""side_outputs":[{"tag":"late","channel_type":"string"}]},"#,
        r#"{"id":"out","type":"file_int64_sink","out_channel":"int64","parallelism":1,"#,
        r#""inputs":["a"],"params":{}}],"expected_state_versions":"7|u64|1|sum","#,
        r#""udfs":[{"name":"twice","language":"wasm","arg_names":["x"],"arg_types":["int64"],"#,
        r#""return_type":"int64","definitions":[],"module_b64":""}],"#,
        r#""column_lineage":{"sum":["x"]}}"#,
    );
    assert_eq!(full().to_json(), expect);
    assert_eq!(JobGraphSpec::default().to_json(), r#"{"format":1,"ops":[]}"#);
}

#[test]
fn what_is_written_reads_back() {
    assert_eq!(JobGraphSpec::from_json(&full().to_json()), Ok(full()));
    for name in names() {
        let graph = JobGraphSpec::from_json(&text(&name).unwrap()).unwrap();
        assert_eq!(JobGraphSpec::from_json(&graph.to_json()).unwrap(), graph, "{name}");
    }
}

#[test]
fn a_spec_that_the_reference_rewrote_is_ours_without_the_format() {
    for name in names() {
        let plan: serde_json::Value =
            serde_json::from_str(&text(&format!("{name}.plan")).unwrap()).unwrap();
        let Some(spec) = plan.get("spec") else {
            continue;
        };
        let graph = JobGraphSpec::from_json(&text(&name).unwrap()).unwrap();
        let mut ours: serde_json::Value = serde_json::from_str(&graph.to_json()).unwrap();
        ours.as_object_mut().unwrap().remove("format");
        assert_eq!(&ours, spec, "{name}");
    }
}

#[test]
fn parameters_keep_numbers_as_they_are_written() {
    let text = r#"{"ops":[{"id":"a","type":"t","out_channel":"c","params":
        {"half":0.50,"big":123456789012345678901234567890,"exp":1e400,"yes":true,"s":"x"}}]}"#;
    let graph = JobGraphSpec::from_json(text).unwrap();
    let spec = OperatorSpec::new("a", "t", "c")
        .param("half", "0.50")
        .param("big", "123456789012345678901234567890")
        .param("exp", "1e400")
        .param("yes", "true")
        .param("s", "x");
    assert_eq!(graph.operators, [spec]);
}

fn refused(text: &str, expect: &[&str]) {
    let problems = JobGraphSpec::from_json(text).unwrap_err().problems;
    let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(shown, expect, "{text}");
}

fn refused_op(fields: &str, expect: &[&str]) {
    let op = format!(r#"{{"id":"a","type":"t","out_channel":"c",{fields}}}"#);
    refused(&format!(r#"{{"ops":[{op}]}}"#), expect);
}

#[test]
fn numbers_that_the_reference_bends_are_refused() {
    let whole = "expected a whole number from 0 to 4294967295, found";
    for number in ["-1", "1.5", "4294967296", "\"2\"", "1e2", "null"] {
        refused_op(
            &format!(r#""parallelism":{number}"#),
            &[&format!("`ops[0].parallelism`: {whole} {number}")],
        );
    }
}

#[test]
fn keys_that_would_be_lost_are_refused_with_the_nearest_name() {
    refused_op(
        r#""paralellism":2"#,
        &["`ops[0].paralellism`: expected one of id, type, uid, display_name, out_channel, \
         parallelism, min_parallelism, max_parallelism, inputs, params, key_by, side_outputs, \
         found an unknown key (did you mean `parallelism`?)"],
    );
    refused_op(r#""uid":"x","uid":"y""#, &["`ops[0].uid`: expected one value, found several"]);
    refused_op(
        r#""params":{"a":"1","a":"2"}"#,
        &["`ops[0].params.a`: expected one value, found several"],
    );
}

#[test]
fn a_tolerant_reader_keeps_what_a_newer_release_said() {
    let newer = concat!(
        r#"{"format":1,"ops":[{"id":"a","type":"t","out_channel":"c","parallelism":1,"#,
        r#""inputs":[],"params":{},"side_outputs":[{"tag":"s","channel_type":"c","ttl":1e400}],"#,
        r#""lane":{"b":[0.50,"x y"],"a":null},"zone":"n"}],"#,
        r#""udfs":[{"name":"f","language":"l","arg_names":[],"arg_types":[],"return_type":"","#,
        r#""definitions":[],"module_b64":"","pure":true}],"region":12345678901234567890123}"#,
    );
    let spaced = newer
        .replace(
            ":{", " : {
",
        )
        .replace("0.50,", "0.50 ,	");
    for text in [newer, &spaced] {
        let graph = JobGraphSpec::from_json_tolerant(text).unwrap();
        assert_eq!(graph.to_json(), newer);
        let again = JobGraphSpec::from_json_tolerant(&graph.to_json()).unwrap();
        assert_eq!(again, graph);
    }
    let strict = JobGraphSpec::from_json(newer).unwrap_err().problems;
    let paths: Vec<&str> = strict.iter().map(|problem| problem.path.as_str()).collect();
    let mut expect =
        ["ops[0].lane", "ops[0].zone", "ops[0].side_outputs[0].ttl", "udfs[0].pure", "region"];
    expect.sort_unstable();
    let mut paths = paths;
    paths.sort_unstable();
    assert_eq!(paths, expect);
}

#[test]
fn a_tolerant_reader_is_tolerant_of_unknown_keys_only() {
    let text = r#"{"ops":[{"id":"a","type":"t","out_channel":"c","parallelism":-1,"x":1,"x":2,
        "inputs":7}]}"#;
    let problems = JobGraphSpec::from_json_tolerant(text).unwrap_err().problems;
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["ops[0].x", "ops[0].parallelism", "ops[0].inputs"]);
    assert!(JobGraphSpec::from_json_tolerant(r#"{"format":2,"ops":[]}"#).is_err());
}

#[test]
fn values_of_the_wrong_shape_are_refused_all_at_once() {
    refused_op(
        r#""inputs":["x",3],"params":{"p":null},"side_outputs":[{"tag":"t"}],"uid":7"#,
        &[
            "`ops[0].uid`: expected a string, found 7",
            "`ops[0].inputs[1]`: expected a string, found 3",
            "`ops[0].params.p`: expected a string, a number or a boolean, found null (write \
         structured values as a string of JSON)",
            "`ops[0].side_outputs[0].channel_type`: expected a string, found nothing",
        ],
    );
    refused(
        r#"{"ops":[{}, 1]}"#,
        &[
            "`ops[0].id`: expected a string, found nothing",
            "`ops[0].type`: expected a string, found nothing",
            "`ops[0].out_channel`: expected a string, found nothing",
            "`ops[1]`: expected an object, found 1",
        ],
    );
    refused("{}", &["`ops`: expected a list of operators, found nothing"]);
    refused("[]", &["expected an object, found []"]);
    refused(
        r#"{"ops":{},"column_lineage":[]}"#,
        &[
            "`ops`: expected a list of operators, found {}",
            "`column_lineage`: expected an object, found []",
        ],
    );
    refused(
        r#"{"ops":[],"udfs":[{"name":"f"}]}"#,
        &["`udfs[0].language`: expected a string, found nothing"],
    );
    refused(
        r#"{"ops":[]"#,
        &["expected JSON, found EOF while parsing an object at line 1 column 9"],
    );
    refused_op(r#""uid":"\ud800""#, &[r#"`ops[0].uid`: expected a string, found "\ud800""#]);
}

#[test]
fn a_newer_format_says_what_to_do_and_nothing_else() {
    refused(
        r#"{"format":2,"ops":[],"lanes":4}"#,
        &["`format`: expected a format from 1 to 1, found 2 (a newer clink wrote this graph: \
             read it with that release, or write it again with this one)"],
    );
    refused(r#"{"format":0,"ops":[]}"#, &["`format`: expected a format from 1 to 1, found 0"]);
    refused(
        r#"{"format":"1","ops":[]}"#,
        &["`format`: expected a whole number from 0 to 4294967295, found \"1\""],
    );
}

#[test]
fn several_problems_are_shown_one_a_line() {
    let error = JobGraphSpec::from_json(r#"{"ops":1,"name":2}"#).unwrap_err();
    let lines = [
        "read job graph:",
        "  `name`: expected a string, found 2",
        "  `ops`: expected a list of operators, found 1",
    ];
    assert_eq!(error.to_string(), lines.join("\n"));
}

#[test]
fn a_job_wide_parallelism_passes_over_forced_singletons() {
    let mut job = graph([op("in", &[]), op("zip", &["in"]).param("forced_singleton", "")]);
    job.override_parallelism(4);
    assert_eq!(job.operators[0].parallelism, 4);
    assert_eq!(job.operators[1].parallelism, 1);
    job.override_parallelism(0);
    assert_eq!(job.operators[0].parallelism, 4);
    job.override_parallelism(1);
    assert_eq!(job.operators[0].parallelism, 1);
}

fn version(operator: u64, state_type: &str, version: u32, slot: &str) -> StateVersion {
    StateVersion {
        operator: OperatorId(operator),
        state_type: state_type.to_owned(),
        version,
        slot: slot.to_owned(),
    }
}

#[test]
fn state_versions_pack_sorted_and_unpack() {
    let versions = [version(10, "b", 2, ""), version(9, "z", 1, "sum"), version(10, "a", 3, "")];
    let packed = pack_versions(&versions).unwrap();
    assert_eq!(packed, "9|z|1|sum\n10|a|3\n10|b|2");
    assert_eq!(unpack_versions(&packed).unwrap().len(), 3);
    assert_eq!(pack_versions(&unpack_versions(&packed).unwrap()).unwrap(), packed);
    assert_eq!(unpack_versions("\n\n").unwrap(), []);
}

#[test]
fn state_versions_that_cannot_be_packed_are_refused() {
    let clash = [version(1, "a", 1, "x"), version(1, "a", 2, "y")];
    let operator = OperatorId(1);
    let slots = StateVersionError::Slots { operator, state_type: "a".to_owned() };
    assert_eq!(pack_versions(&clash), Err(slots));
    let later = [version(1, "a", 1, ""), version(1, "a", 2, "y")];
    assert_eq!(pack_versions(&later).unwrap(), "1|a|2|y");
    assert!(pack_versions(&[version(1, "a|b", 1, "")]).is_err());
    for line in ["1|a", "1|a|2|s|t", "x|a|1", "1|a|-1"] {
        assert!(unpack_versions(line).is_err(), "{line}");
    }
}
