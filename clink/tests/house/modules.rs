//! Follows `mod` lines from each crate root, as rustc does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::lexer::words;
use crate::workspace::{Source, Violations, rust_files};

/// A file that some root reaches.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    /// Its path within its crate, such as `["operator", "sink"]`; empty for a root.
    pub(crate) names: Vec<String>,
    /// Compiled for tests only.
    pub(crate) test: bool,
}

/// Every file that the roots of the workspace reach.
pub(crate) fn reached() -> &'static BTreeMap<String, Module> {
    static REACHED: LazyLock<BTreeMap<String, Module>> = LazyLock::new(reach);
    &REACHED
}

fn reach() -> BTreeMap<String, Module> {
    let files: BTreeSet<String> = rust_files().into_iter().collect();
    let mut reached = BTreeMap::new();
    for root in files.iter().filter(|path| is_root(path)) {
        let test = !root.contains("/src/") && root.contains('/');
        let module = Module { names: Vec::new(), test };
        follow(root, &module, &files, &mut reached);
    }
    reached
}

/// The files of one library that its users get, with what rules look at.
pub(crate) fn product(library: &str) -> Vec<(Module, Source)> {
    let sources = format!("{library}/src/");
    let own = reached().iter().filter(|(path, module)| {
        path.starts_with(&sources) && !module.test && !path.ends_with("/main.rs")
    });
    own.map(|(path, module)| (module.clone(), Source::read(path))).collect()
}

/// True for a file that cargo compiles by itself: a library, a program, a test, a bench.
fn is_root(path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return true };
    if matches!(name, "lib.rs" | "main.rs" | "build.rs" | "pages.rs") {
        return true;
    }
    let kind = folder.rsplit('/').next().unwrap_or_default();
    matches!(kind, "tests" | "benches" | "bin" | "fuzz_targets") && !folder.contains("/src/")
}

fn follow(
    path: &str,
    module: &Module,
    files: &BTreeSet<String>,
    reached: &mut BTreeMap<String, Module>,
) {
    let before = reached.get(path).map(|known| known.test);
    if before == Some(false) || before == Some(module.test) {
        return;
    }
    reached.insert(path.to_owned(), module.clone());
    let source = Source::read(path);
    let folder = folder_of(path, module);
    for at in words(&source.masked.code, "mod") {
        let Some(name) = declared(&source.masked.code[at + "mod".len()..]) else { continue };
        let test = module.test || source.product.as_bytes()[at] == b' ';
        let names = module.names.iter().cloned().chain([name.clone()]).collect();
        let candidates = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")];
        if let Some(file) = candidates.iter().find(|file| files.contains(*file)) {
            follow(file, &Module { names, test }, files, reached);
        }
    }
}

/// Where the children of a file stand.
fn folder_of(path: &str, module: &Module) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if module.names.is_empty() || name == "mod.rs" {
        folder.to_owned()
    } else {
        format!("{folder}/{}", name.trim_end_matches(".rs"))
    }
}

/// The name in ` name;`, what follows the word `mod`.
fn declared(rest: &str) -> Option<String> {
    let (name, _) = rest.split_once(';')?;
    let name = name.strip_prefix(' ')?.trim_start_matches("r#");
    let word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (word && !name.is_empty()).then(|| name.to_owned())
}

#[test]
fn every_file_is_named_by_a_module() {
    let reached = reached();
    let mut violations = Violations::default();
    for path in rust_files() {
        if !reached.contains_key(&path) {
            violations.add(&path, 1, "dead file", "no module names it: name it or delete it");
        }
    }
    violations.assert_none();
}

/// Words that say nothing about what is inside.
const BANNED: [&str; 9] =
    ["util", "utils", "common", "misc", "helper", "helpers", "manager", "types", "v2"];

#[test]
fn every_module_is_named_for_what_it_does() {
    let mut violations = Violations::default();
    for path in rust_files() {
        let parts = path.trim_end_matches(".rs").split('/');
        for word in parts.filter(|part| BANNED.contains(part)) {
            let help = format!("`{word}` names a drawer: name what is inside");
            violations.add(&path, 1, "module name", &help);
        }
    }
    violations.assert_none();
}
