//! What a graph may ask for and the engine does not have: planned, named, and not run.

use clink_runtime::plan::planner::{PlanOptions, plan_job};
use clink_runtime::plan::validate::{RegistryView, ValidateFacts};
use clink_runtime::registry::{RULES, Registry};

use crate::support::{Files, Way};

/// Plans a graph, asks what is missing, and runs it all the same.
#[track_caller]
fn check(text: &str, expected: &str) {
    let (files, registry) = (Files::new(), Registry::with_builtins());
    let graph = files.graph(text);
    let facts = ValidateFacts { registry: Some(&registry), ..ValidateFacts::default() };
    let planned = plan_job(&graph, &PlanOptions::default(), &facts);
    planned.unwrap_or_else(|found| panic!("{found:?}"));
    let found = registry.check(&graph);
    assert!(found.iter().all(|one| RULES.iter().any(|rule| rule.code == one.code)));
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found.join("\n"), expected);
    let error = files.run(&registry, text, Way::default()).unwrap_err();
    assert!(error.is_refusal());
    assert_eq!(error.to_string(), expected);
    assert!(files.names("out").is_empty(), "it has run");
}

#[test]
fn joins() {
    check(
        r#"{"ops":[
        {"id":"l","type":"int64_range_source","out_channel":"int64","params":{"count":"10"}},
        {"id":"r","type":"int64_range_source","out_channel":"int64","params":{"count":"10"}},
        {"id":"j","type":"int64_int64_match_join","out_channel":"int64","inputs":["l","r"]},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","inputs":["j"],
         "params":{"path":"@/out"}}]}"#,
        "error[P0800] operator `j`: `int64_int64_match_join` cannot run: the engine has no joins \
         without bounds in time: what would let it forget a record is not known\n  \
         help: write it as an `interval_join` in a job of your own",
    );
}

#[test]
fn side_outputs_and_types_all_at_once() {
    check(
        r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","params":{"count":"10"}},
        {"id":"sp","type":"identity_int64","out_channel":"int64","inputs":["src"],
         "params":{"selector_fn":"int64_even_odd"}},
        {"id":"even","type":"file_int64_sink","out_channel":"int64","inputs":["sp.0"],
         "params":{"path":"@/out"}},
        {"id":"odd","type":"int64_to_string","out_channel":"string","inputs":["sp.1"],
         "side_outputs":[{"tag":"late","channel_type":"string"}]},
        {"id":"f","type":"filter_string_predicate","out_channel":"string","inputs":["odd"]},
        {"id":"two","type":"file_2pc_sink_string","out_channel":"string","inputs":["f"],
         "params":{"dir":"@/out"}},
        {"id":"lk","type":"file_line_sink","out_channel":"string","inputs":["odd::late"],
         "params":{"path":"@/out2"}}]}"#,
        "\
error[P0802] operator `odd`: it has a side output (`lk` reads `odd::late`), and built-in operators \
emit none
  help: write it as an operator of a job of your own
error[P0800] operator `f`: `filter_string_predicate` cannot run: the engine has no predicates that \
a graph can name: the reference looks them up in a table of functions that its host program fills
  help: write the filter as an operator of a job of your own
error[P0800] operator `two`: `file_2pc_sink_string` cannot run: the engine has no sinks that show \
their output only once the checkpoint is complete
  help: `file_text_sink` shows lines at once; after a restore each is in its file once",
    );
}

/// What is missing of a graph that is not even planned.
#[track_caller]
fn check_unplanned(text: &str, expected: &[&str]) {
    let found = Registry::with_builtins().check(&Files::new().graph(text));
    let found: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(found, expected);
}

#[test]
fn families_of_types_and_user_functions() {
    check_unplanned(
        r#"{"ops":[
        {"id":"a","type":"parquet_int64_source","out_channel":"int64"},
        {"id":"d","type":"collecting_int64_sink","out_channel":"int64","inputs":["a"]}],
        "udfs":[{"name":"half","language":"python","arg_names":[],"arg_types":[],
                 "return_type":"int64","definitions":[],"module_b64":""}]}"#,
        &[
            "it has user functions, and the engine runs none yet: `half`",
            "`parquet_int64_source` cannot run: the engine has no sources and sinks of Parquet \
             files",
            "`collecting_int64_sink` cannot run: the engine has no sinks that collect in memory",
        ],
    );
}

#[test]
fn each_record_of_a_split_goes_to_one_branch() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64",
         "params":{"count":"7","start":"-3"}},
        {"id":"sp","type":"identity_int64","out_channel":"int64","inputs":["src"],
         "params":{"selector_fn":"int64_mod_3"}},
        {"id":"zero","type":"file_int64_sink","out_channel":"int64","inputs":["sp.0"],
         "params":{"path":"@/zero"}},
        {"id":"one","type":"file_int64_sink","out_channel":"int64","inputs":["sp.1"],
         "params":{"path":"@/one"}},
        {"id":"two","type":"file_int64_sink","out_channel":"int64","inputs":["sp.2"],
         "params":{"path":"@/two"}}]}"#;
    let files = Files::new();
    files.run(&Registry::with_builtins(), text, Way::default()).unwrap();
    assert_eq!(files.text("zero"), "-3\n0\n3\n");
    assert_eq!(files.text("one"), "-2\n1\n");
    assert_eq!(files.text("two"), "-1\n2\n");
}

#[test]
fn a_selector_that_names_a_branch_that_nobody_reads_fails_the_job() {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","params":{"count":"7"}},
        {"id":"sp","type":"identity_int64","out_channel":"int64","inputs":["src"],
         "params":{"selector_fn":"int64_mod_3"}},
        {"id":"zero","type":"file_int64_sink","out_channel":"int64","inputs":["sp.0"],
         "params":{"path":"@/zero"}},
        {"id":"one","type":"file_int64_sink","out_channel":"int64","inputs":["sp.1"],
         "params":{"path":"@/one"}}]}"#;
    let error = Files::new().run(&Registry::with_builtins(), text, Way::default()).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("`int64_mod_3` named branch 2") && error.contains("0 to 1"), "{error}");
    assert!(error.contains("(sp)"), "{error}");
}

#[test]
fn a_graph_that_reads_only_the_whole_of_a_split_runs() {
    // `selector_fn` and a declared side output say nothing where nobody reads them.
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","params":{"count":"3"}},
        {"id":"sp","type":"identity_int64","out_channel":"int64","inputs":["src"],
         "params":{"selector_fn":"int64_even_odd"},
         "side_outputs":[{"tag":"late","channel_type":"string"}]},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","inputs":["sp"],
         "params":{"path":"@/out"}}]}"#;
    let files = Files::new();
    files.run(&Registry::with_builtins(), text, Way::default()).unwrap();
    assert_eq!(files.text("out"), "1\n2\n3\n");
}

#[test]
fn what_is_registered_later_takes_the_place_of_a_built_in() {
    use clink_runtime::operator::map::Map;
    use clink_runtime::operator::stage::OperatorStage;
    use std::sync::Arc;

    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","params":{"count":"3"}},
        {"id":"m","type":"multiply_int64","out_channel":"int64","inputs":["src"]},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","inputs":["m"],
         "params":{"path":"@/out"}}]}"#;
    let mut registry = Registry::with_builtins();
    let factory = Registry::inline_stage(|| {
        Box::new(OperatorStage::inline(Map::new(Arc::new(|value: i64| value * 100))))
    });
    registry.add_operator::<i64, i64>("multiply_int64".to_owned(), factory);
    let files = Files::new();
    files.run(&registry, text, Way::default()).unwrap();
    assert_eq!(files.text("out"), "100\n200\n300\n");
}

#[test]
fn an_empty_registry_knows_none_of_it() {
    let registry = Registry::new();
    assert!(!registry.has_join("int64_int64_match_join"));
    assert!(!registry.has_selector("int64", "int64_mod_2"));
    assert!(!registry.has_sink("file_2pc_sink_string", "string"));
    assert!(!registry.has_key_extractor("int64", "identity"));
    assert!(registry.type_names().is_empty());
}

#[test]
fn the_registry_answers_for_what_can_only_be_planned() {
    let registry = Registry::with_builtins();
    assert!(registry.has_join("int64_int64_match_join"));
    assert!(registry.join_takes("int64_int64_match_join", "int64", "int64", "int64"));
    assert!(!registry.join_takes("int64_int64_match_join", "int64", "string", "int64"));
    for (channel, name) in [
        ("int64", "int64_even_odd"),
        ("int64", "int64_mod_2"),
        ("int64", "int64_mod_3"),
        ("string", "string_first_char_parity"),
    ] {
        assert!(registry.has_selector(channel, name), "{name}");
        assert!(!registry.has_selector("bool", name), "{name}");
    }
    assert!(registry.has_sink("file_2pc_sink_string", "string"));
    assert!(!registry.has_sink("file_2pc_sink_string", "int64"));
    assert!(registry.has_operator("filter_string_predicate", "string", "string"));
    for channel in ["int64", "string"] {
        assert!(registry.has_key_extractor(channel, "identity"));
    }
    let mut names = registry.type_names();
    assert!(names.contains(&"int64_int64_match_join".to_owned()));
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "each name is listed once");
}

/// Runs a copy from one file to another, the sink at a parallelism; says how it was refused.
fn copied(from: &str, to: &str, parallelism: u32) -> (Files, String) {
    let (files, registry) = (Files::new(), Registry::with_builtins());
    files.write("in", "1\n");
    files.write("out.part-0", "2\n");
    let text = r#"{"ops":[
        {"id":"src","type":"file_text_source","out_channel":"string","params":{"path":"FROM"}},
        {"id":"snk","type":"file_line_sink","out_channel":"string","inputs":["src"],
         "parallelism":PAR,"params":{"path":"TO"}}]}"#;
    let text = text.replace("FROM", from).replace("TO", to);
    let text = text.replace("PAR", &parallelism.to_string());
    let told = files.run(&registry, &text, Way::default()).map_or_else(
        |error| {
            assert!(error.is_refusal(), "{error}");
            files.shown(&error)
        },
        |_| "it has run".to_owned(),
    );
    (files, told)
}

#[test]
fn a_file_that_is_read_and_written_is_refused_however_it_is_spelled() {
    for (from, to, parallelism) in [
        ("@/in", "@/in", 1),
        ("@/./in", "@//in", 1),
        ("@/./././in", "@/in", 3),
        ("@/out.part-0", "@/out", 2),
        ("@/out.part-0", "@/out", 1),
    ] {
        let (files, told) = copied(from, to, parallelism);
        assert!(told.starts_with("error[P0807] operator `src`: it reads "), "{from} {to}: {told}");
        assert_eq!((files.text("in").as_str(), files.text("out.part-0").as_str()), ("1\n", "2\n"));
    }
    let (files, told) = copied("@/in", "@/other", 2);
    assert_eq!((told.as_str(), files.text("in").as_str()), ("it has run", "1\n"));
}

#[test]
fn two_sinks_at_one_file_are_refused_before_it_is_touched() {
    let (files, registry) = (Files::new(), Registry::with_builtins());
    files.write("w", "old\n");
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","params":{"count":"3"}},
        {"id":"one","type":"file_int64_sink","out_channel":"int64","inputs":["src"],
         "parallelism":2,"params":{"path":"@/w"}},
        {"id":"two","type":"file_int64_sink","out_channel":"int64","inputs":["src"],
         "params":{"path":"@/./w.part-0"}}]}"#;
    let error = files.run(&registry, text, Way::default()).unwrap_err();
    assert!(error.is_refusal());
    assert_eq!(
        files.shown(&error),
        "error[P0806] operator `two`: it writes to @/./w.part-0, and so does `one`\n  help: give \
         each its own"
    );
    assert_eq!(files.names("w"), ["w"]);
}
