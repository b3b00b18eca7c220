//! Types what a person types at first, well and badly, and reads how the command answers.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::{clink, clink_fed, clink_in, root};

/// Types each example of help in a folder that has the graph that the examples name.
#[test]
fn every_example_of_help_can_be_typed_as_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(root().join("examples/graphs/evens.json"), folder.path().join("graph.json"))
        .unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_clink")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    for (arguments, count) in
        [(&["--help"][..], 3), (&["run", "--help"], 4), (&["plan", "--help"], 4)]
    {
        let help = clink(arguments).text();
        let examples = help.split("Examples:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        let lines: Vec<&str> = examples.lines().filter(|line| !line.contains("# ")).collect();
        assert_eq!(lines.len(), count, "{help}");
        for line in lines {
            assert!(line.starts_with("  clink "), "{line}");
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(line).current_dir(folder.path()).env("PATH", &path);
            let done = shell.output().unwrap();
            let said = String::from_utf8_lossy(&done.stderr);
            assert_eq!(done.status.code(), Some(0), "{line}\n{said}");
        }
    }
    // The graph that help shows is one.
    let help = clink(&["run", "--help"]).text();
    let graph = help.split("A graph of built-in operators:\n").nth(1).unwrap();
    assert_eq!(clink_fed(folder.path(), &["run", "-"], &[], graph).results(), "2\n4\n6\n8\n10\n");
}

#[test]
fn what_was_meant_is_named() {
    for (line, tip) in [
        ("rum graph.json", "a similar subcommand exists: 'run'"),
        ("graph.json", "to run it: `clink run graph.json`; to look at it: `plan`"),
        ("-", "to run it: `clink run -`"),
        ("--parallelism 4 run graph.json", "'run --parallelism' exists"),
        ("run graph.json --paralelism=4", "a similar argument exists: '--parallelism'"),
        ("run graph.json -parallelism 4", "has two dashes: `--parallelism`"),
        ("list --form plan", "--form is a flag of `plan`"),
        ("run graph.json --unknown-keys kep", "a similar value exists: 'keep'"),
        ("completions bsh", "a similar value exists: 'bash'"),
        ("run nowhere.json", "there is no file nowhere.json: give that of a job graph"),
    ] {
        let done = clink(&line.split(' ').collect::<Vec<_>>());
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{line}");
        assert!(done.stderr.contains(tip), "{line}: {}", done.stderr);
        assert!(!done.stderr.contains('\u{1b}'), "{}", done.stderr);
    }
    for (variable, value) in [("CLINK_PARALLELISM", "0"), ("CLINK_RESTORE", "latest")] {
        let done = clink_in(&root(), &["plan", "examples/graphs/evens.json"], &[(variable, value)]);
        assert_eq!(done.code, Some(2));
        assert!(done.stderr.contains(variable) && done.stderr.contains("--"), "{}", done.stderr);
    }
}

/// Endless for any patience: numbers by the billion, printed.
const ENDLESS: &str = r#"{"ops":[
    {"id":"in","type":"int64_range_source","uid":"in","out_channel":"int64",
     "params":{"count":"1000000000000"}},
    {"id":"out","type":"print","out_channel":"int64","inputs":["in"]}]}"#;

#[test]
fn every_ending_has_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let code =
        |arguments: &[&str], graph: &str| clink_fed(folder.path(), arguments, &[], graph).code;
    let fails = r#"{"ops":[
        {"id":"in","type":"string_lines_source","out_channel":"string","params":{"lines":"x"}},
        {"id":"parse","type":"string_to_int64","out_channel":"int64","inputs":["in"]},
        {"id":"out","type":"blackhole","out_channel":"int64","inputs":["parse"]}]}"#;
    assert_eq!(code(&["plan", "-"], fails), Some(0));
    assert_eq!(code(&["run", "-"], fails), Some(1));
    assert_eq!(code(&["run", "-", "--seed", "1"], fails), Some(2));
    assert_eq!(code(&["run", "-"], "{}"), Some(3));
    std::fs::write(folder.path().join("endless.json"), ENDLESS).unwrap();
    let mut endless = Command::new(env!("CARGO_BIN_EXE_clink"));
    endless.args(["run", "endless.json"]).current_dir(folder.path());
    let mut child = endless.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut results = BufReader::new(child.stdout.take().unwrap());
    results.read_line(&mut String::new()).unwrap();
    let interrupt = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").arg("-c").arg(interrupt).status().unwrap().success());
    std::io::copy(&mut results, &mut std::io::sink()).unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.starts_with("stopped after "), "{said}");
}

#[test]
fn a_refused_graph_is_logged_problem_by_problem() {
    let graph = r#"{"ops":[
        {"id":"in","type":"int64_range_sourc","out_channel":"int64","params":{"count":"9"}},
        {"id":"out","type":"blackhole","out_channel":"int64","inputs":["joint"]}]}"#;
    for verb in ["run", "plan"] {
        let folder = tempfile::tempdir().unwrap();
        let done = clink_fed(folder.path(), &[verb, "-", "--log-format", "json"], &[], graph);
        assert_eq!(done.code, Some(3), "{done:?}");
        let lines: Vec<Value> =
            done.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let unknown = lines.iter().find(|line| line["code"] == "P0015").unwrap();
        assert_eq!((&unknown["level"], &unknown["operator"]), (&"error".into(), &"out".into()));
        assert!(unknown["help"].is_string() && unknown["message"].is_string(), "{unknown}");
        assert!(unknown["shown"].is_null(), "what is for people is not said twice: {unknown}");
        let text = clink_fed(folder.path(), &[verb, "-"], &[], graph).stderr;
        assert!(text.contains("error[P0015] operator `out`"), "{text}");
        let off = clink_fed(folder.path(), &[verb, "-", "--log-level", "off"], &[], graph);
        assert_eq!((off.code, off.stderr.as_str()), (Some(3), ""));
    }
}

#[test]
fn a_shell_completes_the_flags_of_a_verb() {
    let script = clink(&["completions", "bash"]).text();
    let act = format!(
        "{script}\nCOMP_WORDS=(clink plan --wor); COMP_CWORD=2\n_clink clink --wor plan\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    match Command::new("bash").arg("-c").arg(act).output() {
        Ok(done) => assert_eq!(String::from_utf8_lossy(&done.stdout), "--workers\n", "{done:?}"),
        Err(_) => println!("skipped: bash is not installed"),
    }
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        assert!(clink(&["completions", shell]).text().contains("checkpoint-dir"), "{shell}");
    }
}
