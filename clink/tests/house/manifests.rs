//! Reads each Cargo.toml and asks of every dependency why it is there.

use crate::workspace::{LIBRARIES, Violations, files, read};

/// One dependency line.
pub(crate) struct Dependency {
    /// The crate.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) line: usize,
    /// What follows the `=`.
    value: String,
    /// It is there for tests and benches only.
    pub(crate) for_tests: bool,
    /// A comment stands above it, or above the lines it directly follows.
    explained: bool,
}

/// What we look at in a Cargo.toml.
pub(crate) struct Manifest {
    text: String,
    /// Every dependency, for whatever purpose.
    pub(crate) dependencies: Vec<Dependency>,
}

impl Manifest {
    /// Reads one, by its path from the root.
    pub(crate) fn read(path: &str) -> Self {
        let text = read(path);
        let mut dependencies = Vec::new();
        let (mut section, mut explained) = (String::new(), false);
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = name.to_owned();
                explained = false;
            } else if line.starts_with('#') {
                explained = true;
            } else if line.is_empty() {
                explained = false;
            } else if section.ends_with("dependencies") && section != "workspace.dependencies" {
                let (name, value) = line.split_once('=').unwrap_or((line, ""));
                let name = name.trim().trim_end_matches(".workspace").to_owned();
                let value = value.trim().to_owned();
                let (line, for_tests) = (index + 1, section.ends_with("dev-dependencies"));
                dependencies.push(Dependency { name, line, value, for_tests, explained });
            }
        }
        Self { text, dependencies }
    }
}

#[test]
fn every_dependency_of_a_library_earns_a_comment() {
    let mut violations = Violations::default();
    for library in LIBRARIES {
        let path = format!("{library}/Cargo.toml");
        let theirs = Manifest::read(&path).dependencies.into_iter();
        // Why our own crates are there is the first table of `layers.rs`.
        for dependency in theirs.filter(|dependency| !dependency.name.starts_with("clink")) {
            if !dependency.explained {
                let help = format!("say above `{}` what it is for", dependency.name);
                violations.add(&path, dependency.line, "dependency", &help);
            }
        }
    }
    violations.assert_none();
}

#[test]
fn versions_and_lints_stand_in_the_root() {
    let mut violations = Violations::default();
    for path in files().into_iter().filter(|path| path.ends_with("/Cargo.toml")) {
        let manifest = Manifest::read(&path);
        // What needs another compiler is a workspace of its own.
        if manifest.text.lines().any(|line| line == "[workspace]") {
            continue;
        }
        for dependency in &manifest.dependencies {
            if !dependency.value.contains("workspace = true") && dependency.value != "true" {
                let help = format!("take `{}` from the workspace", dependency.name);
                violations.add(&path, dependency.line, "dependency", &help);
            }
        }
        if !manifest.text.contains("[lints]\nworkspace = true") {
            violations.add(&path, 1, "lints", "take the lints of the workspace");
        }
    }
    violations.assert_none();
}

#[test]
fn the_planner_depends_on_almost_nothing() {
    let manifest = Manifest::read("clink-plan/Cargo.toml");
    let names = manifest.dependencies.iter().map(|dependency| dependency.name.as_str());
    let names: Vec<&str> = names.collect();
    assert_eq!(names, ["serde", "serde_json", "proptest"]);
}
