//! Runs graphs of built-in operators.

use std::path::Path;

use crate::program::{Done, clink_fed, clink_in, root};

/// The example, its numbers in a file instead of on the screen.
fn evens() -> String {
    let text = std::fs::read_to_string(root().join("examples/graphs/evens.json")).unwrap();
    let printed = r#""type": "print","#;
    assert!(text.contains(printed));
    let file = r#""type": "file_int64_sink", "uid": "file", "params": {"path": "evens.txt"},"#;
    text.replace(printed, file)
}

fn run(folder: &Path, flags: &[&str], graph: &str) -> Done {
    clink_fed(folder, &[&["run", "-"], flags].concat(), &[], graph)
}

/// The numbers in all files that begin with `name`, sorted.
fn numbers(folder: &Path, name: &str) -> Vec<i64> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().starts_with(name) {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            numbers.extend(text.lines().map(|line| line.parse::<i64>().unwrap()));
        }
    }
    numbers.sort_unstable();
    numbers
}

#[test]
fn a_graph_runs_the_same_however_it_is_planned_and_stepped() {
    let expect: Vec<i64> = (1..=1_000).filter(|n| n % 2 == 0).map(|n| n * 10).collect();
    for flags in [
        &[][..],
        &["--no-chaining"],
        &["--parallelism", "1"],
        &["--parallelism", "1", "--fuse-par1"],
        &["--parallelism", "3"],
        &["--channel-capacity", "1", "--scheduler", "threads"],
        &["--channel-capacity", "1", "--scheduler", "simulation", "--seed", "7"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(run(folder.path(), flags, &evens()).results(), "", "{flags:?}");
        assert_eq!(numbers(folder.path(), "evens.txt"), expect, "{flags:?}");
    }
}

#[test]
fn the_example_prints_its_numbers() {
    let printed = clink_in(&root(), &["run", "examples/graphs/evens.json"], &[]).results();
    let mut numbers: Vec<i64> = printed.lines().map(|line| line.parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!((numbers.len(), numbers.first(), numbers.last()), (500, Some(&20), Some(&10_000)));
}

#[test]
fn a_finished_run_is_restored_without_writing_anything_twice() {
    let folder = tempfile::tempdir().unwrap();
    let saving = ["--checkpoint-dir", "state", "--quiet"];
    assert_eq!(run(folder.path(), &saving, &evens()).code, Some(0));
    let before = numbers(folder.path(), "evens.txt");
    let forgotten = run(folder.path(), &saving, &evens());
    assert_eq!(forgotten.code, Some(3), "{forgotten:?}");
    let restored = run(folder.path(), &[&saving[..], &["--restore", "latest"]].concat(), &evens());
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert_eq!(numbers(folder.path(), "evens.txt"), before);
}

#[test]
fn what_the_engine_does_not_have_is_refused_by_name_all_of_it() {
    let graph = r#"{"ops":[
        {"id":"in","type":"int64_range_source","out_channel":"int64","params":{"count":"9"},
         "side_outputs":[{"tag":"late","channel_type":"int64"}]},
        {"id":"split","type":"identity_int64","out_channel":"int64","inputs":["in"],
         "params":{"selector_fn":"int64_even_odd"}},
        {"id":"join","type":"int64_int64_match_join","out_channel":"int64",
         "inputs":["split.0","split.1"]},
        {"id":"out","type":"blackhole","out_channel":"int64","inputs":["join"]},
        {"id":"late","type":"blackhole","out_channel":"int64","inputs":["in::late"]}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let done = run(folder.path(), &[], graph);
    assert_eq!((done.code, done.stdout.as_str()), (Some(3), ""));
    for said in [
        "error[P0802] operator `in`: it has a side output",
        "error[P0800] operator `join`: `int64_int64_match_join` cannot run",
    ] {
        assert!(done.stderr.contains(said), "{said}\n{}", done.stderr);
    }
    let wrong = graph.replace("\"inputs\":[\"join\"]", "\"inputs\":[\"joint\"]");
    let done = run(folder.path(), &[], &wrong);
    assert!(done.stderr.contains("error[P0015] operator `out`"), "{}", done.stderr);
    assert!(done.stderr.contains("error[P0802] operator `in`"), "{}", done.stderr);
}

#[test]
fn a_parameter_can_come_from_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("g.json"), evens().replace("evens.txt", "env://OUT"))
        .unwrap();
    let done = clink_in(folder.path(), &["run", "g.json"], &[("OUT", "here.txt")]);
    assert_eq!(done.results(), "");
    assert_eq!(numbers(folder.path(), "here.txt").len(), 500);
    let unset = clink_in(folder.path(), &["run", "g.json"], &[]);
    assert_eq!(unset.code, Some(3));
    assert!(unset.stderr.contains("error[P0805] operator `print`"), "{}", unset.stderr);
    assert!(unset.stderr.contains("OUT"), "{}", unset.stderr);
}

#[test]
fn a_job_that_fails_ends_with_1_and_says_where() {
    let graph = r#"{"ops":[
        {"id":"in","type":"string_lines_source","out_channel":"string","params":{"lines":"1\nx"}},
        {"id":"parse","type":"string_to_int64","out_channel":"int64","inputs":["in"]},
        {"id":"out","type":"blackhole","out_channel":"int64","inputs":["parse"]}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let done = run(folder.path(), &[], graph);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.stderr.contains("(parse), subtask 0") && done.stderr.contains("found `x`"),
        "{}",
        done.stderr
    );
}

#[test]
fn a_thread_for_each_of_very_many_subtasks_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let flags = ["--scheduler", "threads", "--parallelism", "128"];
    assert_eq!(run(folder.path(), &flags, &evens()).code, Some(0));
    let graph = r#"{"ops":[{"id":"in","type":"int64_range_source","out_channel":"int64",
        "uid":"in","parallelism":8192,"params":{"count":1}},{"id":"out","type":"blackhole",
        "out_channel":"int64","inputs":["in"]}]}"#;
    let done = run(folder.path(), &flags[..2], graph);
    assert_eq!((done.code, done.stdout.as_str()), (Some(3), ""));
    assert!(done.stderr.contains("use `--scheduler pool`"), "{}", done.stderr);
}

#[test]
fn a_graph_of_a_newer_release_runs_where_its_keys_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let newer = evens().replace(r#""id": "even","#, r#""id": "even", "lane": 7,"#);
    assert_eq!(run(folder.path(), &[], &newer).code, Some(3));
    let kept = run(folder.path(), &["--unknown-keys", "keep"], &newer);
    assert_eq!(kept.code, Some(0), "{kept:?}");
    assert_eq!(numbers(folder.path(), "evens.txt").len(), 500);
}

#[test]
fn a_misspelt_input_costs_no_output_of_the_run_before() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("kept.txt"), "old\n").unwrap();
    let graph = r#"{"ops":[
        {"id":"in","type":"file_text_source","out_channel":"string","params":{"path":"nope.txt"}},
        {"id":"out","type":"file_text_sink","out_channel":"string","inputs":["in"],
         "params":{"path":"kept.txt"}}]}"#;
    let done = run(folder.path(), &[], graph);
    assert_eq!(done.code, Some(3), "{done:?}");
    let says = "error[P0808] operator `in`: open nope.txt: no such file or directory";
    assert!(done.stderr.contains(says), "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("kept.txt")).unwrap(), "old\n");
    assert_eq!(run(folder.path(), &[], &graph.replace("nope.txt", ".")).code, Some(3));
}
