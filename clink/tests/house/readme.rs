//! Runs what README.md tells a newcomer to run, and compares what it quotes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::workspace::{Violations, compare_part, line_of, read, root};

/// How a command of the README is checked.
enum Check {
    /// It runs, succeeds, and its output has this line.
    Prints(&'static str),
    /// It runs and is killed on purpose, at a moment that nobody knows.
    IsKilled,
    /// It runs and succeeds; what it prints depends on the moment of the kill before.
    Succeeds,
    /// `.ci/run` has this very line; running it here would run this test again.
    IsTheGate,
    /// It takes longer than a test may: `.ci/run` or a person runs it.
    IsLong,
}

/// The last line of a run at parallelism 1, and of the carrier's at any.
const LAST: &str = r#"{"carrier":"B6","flights":4418,"mean_minutes":9.493435943866002}"#;

/// Every command of the README, in its order.
const COMMANDS: &[(&str, Check)] = &[
    ("cargo run -p flight-delays", Check::Prints(LAST)),
    ("cargo test --workspace", Check::IsTheGate),
    (
        "cargo run -p flight-delays -- plan",
        Check::Prints("  op_1 ↓ op_2  chained: one reader, one input, parallelism 1"),
    ),
    ("cargo run -p flight-delays -- --parallelism 4", Check::Prints(LAST)),
    (
        "cargo run -p clink-cli -- plan examples/graphs/evens.json",
        Check::Prints("  even ↓ tenfold      chained: one reader, one input, parallelism 2"),
    ),
    ("cargo run -p clink-cli -- run examples/graphs/evens.json", Check::Prints("10000")),
    ("rm -rf target/delays", Check::Succeeds),
    (
        "timeout -s KILL 0.3 target/debug/flight-delays --checkpoint-dir target/delays \
         --checkpoint-interval 5ms > target/1.ndjson",
        Check::IsKilled,
    ),
    (
        "target/debug/flight-delays --checkpoint-dir target/delays --restore latest \
         --parallelism 4 > target/2.ndjson",
        Check::Succeeds,
    ),
    (
        "cat target/1.ndjson target/2.ndjson | awk -F'\"' '{ last[$4] = $0 } END { for (c in last) \
         print last[c] }' | sort",
        Check::Prints(LAST),
    ),
    ("cargo bench -p clink-runtime --bench limit -- w1 w2", Check::IsLong),
    (".ci/run", Check::IsLong),
];

/// The commands in the blocks marked `sh`, with their lines.
fn commands() -> Vec<(usize, String)> {
    let page = read("README.md");
    let mut commands = Vec::new();
    let mut inside = false;
    for (index, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside && !line.is_empty() {
            let command = line.split(" #").next().unwrap_or(line).trim_end();
            commands.push((index + 1, command.to_owned()));
        }
    }
    commands
}

#[test]
fn every_command_is_known() {
    let mut violations = Violations::default();
    let found = commands();
    for (line, command) in &found {
        if !COMMANDS.iter().any(|(known, _)| known == command) {
            let help = format!("give `{command}` a row in COMMANDS, and say how it is checked");
            violations.add("README.md", *line, "unknown command", &help);
        }
    }
    for (known, _) in COMMANDS {
        if !found.iter().any(|(_, command)| command == known) {
            violations.add("README.md", 1, "lost command", &format!("it no longer has `{known}`"));
        }
    }
    violations.assert_none();
}

#[test]
fn every_command_does_what_the_page_says() {
    let folder = std::env::temp_dir().join(format!("clink-readme-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the system's temporary folder can be written to");
    let gate = read(".ci/run");
    for (command, check) in COMMANDS {
        match check {
            Check::IsTheGate => {
                assert!(gate.lines().any(|line| line.trim() == *command), "{command} in .ci/run");
            }
            Check::IsLong => {}
            Check::Prints(wanted) => {
                let output = run(command, &folder);
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{command}: {complaint}");
                let found = text.lines().any(|line| line == *wanted);
                let first = text.lines().take(40).collect::<Vec<_>>().join("\n");
                assert!(found, "{command} does not print `{wanted}` but\n{first}");
            }
            Check::Succeeds => {
                let output = run(command, &folder);
                let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{command}: {complaint}");
            }
            Check::IsKilled => {
                run(command, &folder);
                // On a busy machine it may have come to nothing yet; then this is the run.
                if !has_checkpoint(&folder) {
                    run(command.trim_start_matches("timeout -s KILL 0.3 "), &folder);
                }
                assert!(has_checkpoint(&folder), "{command} leaves a checkpoint");
            }
        }
    }
    // Whatever the runs left there is of no use to anybody.
    let _ = std::fs::remove_dir_all(folder);
}

fn has_checkpoint(folder: &Path) -> bool {
    let checkpoints = std::fs::read_dir(folder.join("delays/delays"));
    checkpoints.is_ok_and(|mut found| {
        found.any(|entry| entry.is_ok_and(|entry| entry.path().join("manifest.json").exists()))
    })
}

/// Runs a command of the page as a shell would, with what it writes in a folder of this test.
fn run(command: &str, folder: &Path) -> Output {
    let built = target().join("debug/").to_string_lossy().into_owned();
    let command = command.replace("target/debug/", "\0");
    let command = command.replace("target/", &format!("{}/", folder.to_string_lossy()));
    let command = command.replace('\0', &built);
    Command::new("sh")
        .args(["-c", &command])
        .current_dir(root())
        .env("CARGO_TARGET_DIR", target())
        .output()
        .unwrap_or_else(|error| panic!("run {command}: {error}"))
}

/// The target folder that this test was built in: what is built already is not built again.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let target = test.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists());
    target.expect("cargo marks its target folder").to_owned()
}

#[test]
fn the_job_on_the_page_is_the_job_of_the_example() {
    let example = read("examples/01_flight_delays/src/lib.rs");
    let start = example.find("use clink::prelude::*;").expect("the example uses the prelude");
    let listing = format!("```rust\n{}\n```", example[start..].trim_end());
    compare_part("README.md", "job", &listing);
}

#[test]
fn links_lead_somewhere() {
    let mut violations = Violations::default();
    for page in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SAFETY.md"] {
        let text = read(page);
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split([')', '#']).next().unwrap_or_default();
            let outside = target.contains("://") || target.is_empty();
            if !outside && !root().join(target).exists() {
                let help = format!("`{target}` is not there");
                violations.add(page, line_of(&text, at), "dead link", &help);
            }
        }
    }
    violations.assert_none();
}
