//! Looks at graphs: every form in every format, and what is said of a graph that is none.

use serde_json::Value;

use crate::program::{clink, clink_fed, clink_in, root};

const EVENS: &str = "examples/graphs/evens.json";

/// A graph of a source and a sink, with more in its sink.
fn pair(more: &str) -> String {
    format!(
        r#"{{"ops":[{{"id":"in","type":"int64_range_source","out_channel":"int64",
            "params":{{"count":"3"}}}},
            {{"id":"out","type":"blackhole","out_channel":"int64","inputs":["in"]{more}}}]}}"#
    )
}

#[test]
fn every_form_is_there_in_every_format() {
    for form in ["graph", "plan", "placement"] {
        for (format, part) in [
            ("text", "by-value"),
            ("mermaid", "flowchart TB"),
            ("dot", "digraph "),
            ("svg", "<svg"),
        ] {
            let text = clink(&["plan", EVENS, "--form", form, "--format", format]).text();
            assert!(text.contains(part), "{form} {format}: {text}");
            assert!(text.contains("evens") && text.contains("tenfold"), "{form} {format}: {text}");
        }
        let json = clink(&["plan", EVENS, "--form", form, "--format", "json"]).json();
        assert!(json.is_object(), "{form}");
    }
}

#[test]
fn a_printed_graph_reads_back() {
    let printed = clink(&["plan", EVENS, "--form", "graph", "--format", "json"]).text();
    let again =
        clink_fed(&root(), &["plan", "-", "--form", "graph", "--format", "json"], &[], &printed);
    assert_eq!(again.text(), printed);
}

#[test]
fn chaining_and_fusion_are_chosen_by_flag_and_by_variable() {
    let tasks = |arguments: &[&str], variables: &[(&str, &str)]| {
        let arguments =
            [&["plan", EVENS, "--format", "json", "--parallelism", "1"], arguments].concat();
        let plan = clink_in(&root(), &arguments, variables).json();
        plan["tasks"].as_array().unwrap().len()
    };
    assert_eq!(tasks(&[], &[]), 3);
    assert_eq!(tasks(&["--no-chaining"], &[]), 5);
    assert_eq!(tasks(&["--fuse-par1"], &[]), 1);
    assert_eq!(tasks(&[], &[("CLINK_PLAN_FUSE_PAR1", "1")]), 1);
    assert_eq!(tasks(&[], &[("CLINK_PLAN_FUSE_PAR1", "0")]), 3);
    let both = clink(&["plan", EVENS, "--fuse-par1", "--no-chaining"]);
    assert_eq!(both.code, Some(2));
    assert!(both.stderr.contains("give one of them"), "{}", both.stderr);
}

#[test]
fn a_placement_uses_the_workers_that_are_named_or_says_what_is_missing() {
    let placement = ["plan", EVENS, "--form", "placement"];
    let text = clink(&placement).text();
    assert!(text.contains("here: 9 of 9 slots"), "{text}");
    let named = [&placement[..], &["--workers", "alpha=5,beta=4"]].concat();
    let text = clink(&named).text();
    assert!(text.contains("alpha: 5 of 5 slots") && text.contains("beta: 4 of 4 slots"), "{text}");
    let few = [&placement[..], &["--workers", "alpha=4"]].concat();
    let done = clink(&few);
    assert_eq!(done.code, Some(3));
    assert!(done.stderr.starts_with("error[P0750] graph: the plan needs 9 slots"), "{done:?}");
    let json: Value =
        serde_json::from_str(&clink(&[&few[..], &["--format", "json"]].concat()).stdout).unwrap();
    assert_eq!(json["diagnostics"][0]["code"], "P0750");
    for (workers, said) in [("alpha", "NAME=SLOTS"), ("a=0", "NAME=SLOTS"), ("=1", "NAME=SLOTS")] {
        let done = clink(&[&placement[..], &["--workers", workers]].concat());
        assert_eq!(done.code, Some(2), "{workers}");
        assert!(done.stderr.contains(said), "{}", done.stderr);
    }
    let idle = clink(&["plan", EVENS, "--workers", "alpha=9"]);
    assert_eq!(idle.code, Some(2));
    assert!(idle.stderr.contains("--workers needs --form placement"), "{}", idle.stderr);
}

#[test]
fn all_problems_of_a_graph_are_told_at_once() {
    let bad = r#"{"ops":[{"id":"in","type":"int64_range_sauce","out_channel":"int64"},
        {"id":"in","type":"blackhole","out_channel":"int64","inputs":["inn"],"parallelism":0}]}"#;
    let done = clink_fed(&root(), &["plan", "-"], &[], bad);
    assert_eq!((done.code, done.stdout.as_str()), (Some(3), ""));
    for code in ["P0003", "P0009", "P0015"] {
        assert!(done.stderr.contains(&format!("error[{code}] operator `in`")), "{}", done.stderr);
    }
    assert!(done.stderr.contains("help: the graph has `in`"), "{}", done.stderr);
}

#[test]
fn a_text_that_is_no_graph_is_told_place_by_place() {
    for (text, said) in [
        ("{", "error[P0700] graph: expected JSON, found EOF while parsing an object at line 1"),
        (" \n", "expected JSON, found nothing"),
        ("[]", "error[P0700] graph: expected an object, found []"),
        (&pair(r#","parallelism":-1"#), "`ops[1].parallelism`: expected a whole number from 0"),
        (&pair(r#","paralelism":2"#), "help: did you mean `parallelism`?"),
    ] {
        let done = clink_fed(&root(), &["plan", "-"], &[], text);
        assert_eq!(done.code, Some(3), "{text}");
        assert!(done.stderr.contains(said), "{text}: {}", done.stderr);
        let json = clink_fed(&root(), &["plan", "-", "--format", "json"], &[], text);
        let json: Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(json["ok"], Value::Bool(false), "{text}");
        assert_eq!(json["diagnostics"][0]["code"], "P0700", "{text}");
    }
}

#[test]
fn a_key_of_a_newer_release_is_refused_or_kept() {
    let newer = pair(r#","lane":"fast""#);
    let refused = clink_fed(&root(), &["plan", "-"], &[], &newer);
    assert_eq!(refused.code, Some(3));
    assert!(refused.stderr.contains("`ops[1].lane`"), "{}", refused.stderr);
    let keep = ["plan", "-", "--unknown-keys", "keep"];
    let plan = clink_fed(&root(), &keep, &[], &newer).text();
    assert!(plan.contains("warning[P0032] operator `out`: this release does not know `lane`"));
    let as_json = [&keep[..], &["--form", "graph", "--format", "json"]].concat();
    let graph = clink_fed(&root(), &as_json, &[], &newer).json();
    assert_eq!(graph["ops"][1]["lane"], "fast");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let done = clink(&["plan", "nowhere.json"]);
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr.starts_with("error: there is no file nowhere.json: give "),
        "{}",
        done.stderr
    );
    let done = clink(&["plan", "nowhere.json", "--format", "json"]);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!((done.code, done.stderr.as_str()), (Some(2), ""));
    let message = json["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("there is no file nowhere.json"), "{message}");
}

#[test]
fn a_mark_of_the_byte_order_is_no_mistake() {
    let marked = format!("\u{feff}{}", pair(""));
    assert!(clink_fed(&root(), &["plan", "-"], &[], &marked).text().contains("blackhole"));
}

#[test]
fn a_switch_takes_a_word_for_yes_or_no_from_its_variable() {
    let done = clink_in(&root(), &["plan", EVENS], &[("CLINK_NO_CHAINING", "perhaps")]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("perhaps"), "{}", done.stderr);
    let says = "the environment variable CLINK_NO_CHAINING";
    assert!(done.stderr.contains(says), "{}", done.stderr);
    let typed = clink_in(&root(), &["plan", EVENS, "--parallelism", "x"], &[]);
    assert!(!typed.stderr.contains("environment"), "{}", typed.stderr);
}

#[test]
fn what_a_graph_holds_does_not_reach_the_terminal_as_it_is() {
    let named = pair("").replace("\"in\"", "\"in\\u001b[31m\\nerror: fake\"");
    let done = clink_fed(&root(), &["plan", "-"], &[], &named);
    assert_eq!(done.code, Some(3));
    assert!(!done.stderr.contains('\u{1b}') && !done.stderr.contains("\nerror: fake"), "{done:?}");
    let typed = pair("").replace("\"blackhole\"", "\"black\\u001b[31mhole\"");
    let arguments = ["plan", "-", "--form", "graph"];
    let text = clink_fed(&root(), &arguments, &[], &typed).text();
    assert!(text.contains("black\\u{1b}[31mhole"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_an_error_and_a_closed_pipe_is_none() {
    let program = env!("CARGO_BIN_EXE_clink");
    let told = |command: &str| {
        let mut shell = std::process::Command::new("sh");
        let done = shell.current_dir(root()).args(["-c", command]).output().unwrap();
        String::from_utf8(done.stderr).unwrap()
    };
    for verb in [format!("plan {EVENS}"), "list".to_owned()] {
        let full = told(&format!("{program} {verb} > /dev/full"));
        assert!(full.starts_with("error: write to standard output: "), "{verb}: {full}");
    }
    let closed = told(&format!("{program} plan {EVENS} --format json | true"));
    assert_eq!(closed, "");
}

#[test]
fn the_list_names_types_and_their_parameters() {
    let listed = clink(&["list"]).text();
    for part in ["sources\n  int64_range_source", "count: a whole number from 0", "blackhole"] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
}

#[test]
fn help_teaches_by_example_and_verbs_are_guessed() {
    let help = clink(&["--help"]).text();
    assert!(help.contains("clink plan graph.json"), "{help}");
    assert!(clink(&["run", "--help"]).text().contains("int64_range_source"));
    let wrong = clink(&["paln", "x"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("'plan'"), "{}", wrong.stderr);
    assert_eq!(clink(&[]).code, Some(2));
}
