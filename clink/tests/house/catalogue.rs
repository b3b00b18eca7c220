//! Holds every code that an author may read against the file that shows it.

use std::collections::BTreeSet;

use clink_plan::validate::{RULES, Rule};

use crate::workspace::{LIBRARIES, Source, Violations, files, line_of, read, rust_files};

/// Where the macros keep their rules.
const CATALOGUE: &str = "clink-macros/src/catalogue.rs";

/// Where the smallest graph that breaks each rule stands.
const GRAPH_CASES: &str = "clink-plan/tests/main/rules.rs";

/// The rules of the macros: where each stands, its code, its text.
pub(crate) fn macro_rules() -> Vec<(usize, String, String)> {
    let text = read(CATALOGUE);
    let rule = |at: usize| {
        let rest = &text[at + "= \"".len()..];
        let (code, rest) = rest.split_once('"')?;
        let (meaning, _) = rest.strip_prefix(", \"")?.split_once("\";")?;
        is_code(code, 'M').then(|| (line_of(&text, at), code.to_owned(), meaning.to_owned()))
    };
    text.match_indices("= \"").filter_map(|(at, _)| rule(at)).collect()
}

/// True for a letter and four digits.
fn is_code(text: &str, letter: char) -> bool {
    let digits = text.strip_prefix(letter);
    digits.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[test]
fn every_rule_of_the_macros_has_a_mistake_that_shows_it() {
    let rules = macro_rules();
    assert!(!rules.is_empty(), "{CATALOGUE} has the form that this test reads");
    let cases: Vec<String> = ui_mistakes().collect();
    let mut violations = Violations::default();
    for (line, code, _) in &rules {
        let start = format!("/{}-", code.to_lowercase());
        if !cases.iter().any(|path| path.contains(&start)) {
            let help = format!("no ui-tests/ui/<macro>/fail{start}<mistake>.rs shows {code}");
            violations.add(CATALOGUE, *line, "no ui file", &help);
        }
    }
    for path in &cases {
        let name = path.rsplit('/').next().unwrap_or_default();
        let code = name.split('-').next().unwrap_or_default().to_uppercase();
        let known = rules.iter().any(|(_, known, _)| *known == code);
        if is_code(&code, 'M') && !known {
            violations.add(path, 1, "unknown code", &format!("{code} is not in {CATALOGUE}"));
        }
        if !read(path).starts_with("// ") {
            violations.add(path, 1, "ui file", "say in the first line which rule this breaks");
        }
    }
    violations.assert_none();
}

fn ui_mistakes() -> impl Iterator<Item = String> {
    files().into_iter().filter(|path| {
        path.starts_with("ui-tests/ui/") && path.contains("/fail/") && path.ends_with(".rs")
    })
}

#[test]
fn every_mistake_has_what_the_compiler_says() {
    let mut violations = Violations::default();
    let mistakes: BTreeSet<String> = ui_mistakes().collect();
    let files = files();
    for path in &mistakes {
        let expected = path.replace(".rs", ".stderr");
        if !files.contains(&expected) {
            let help = format!("{expected} is missing: bless the ui tests and review");
            violations.add(path, 1, "no expectation", &help);
            continue;
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let code = name.split('-').next().unwrap_or_default().to_uppercase();
        if is_code(&code, 'M') && !read(&expected).contains(&code) {
            let help = format!("the file is named for {code}, and the compiler never says it");
            violations.add(&expected, 1, "wrong code", &help);
        }
    }
    let expectations =
        files.iter().filter(|path| path.starts_with("ui-tests/ui/") && path.ends_with(".stderr"));
    for path in expectations {
        if !mistakes.contains(&path.replace(".stderr", ".rs")) {
            violations.add(path, 1, "stale expectation", "its .rs file is gone: delete it");
        }
    }
    violations.assert_none();
}

#[test]
fn every_graph_rule_has_a_smallest_bad_graph() {
    let cases = read(GRAPH_CASES);
    let mut violations = Violations::default();
    for rule in RULES {
        if !cases.contains(&format!("\"{}\"", rule.code)) {
            let help = format!("no case shows {}: {}", rule.code, rule.meaning);
            violations.add(GRAPH_CASES, 1, "no case", &help);
        }
    }
    violations.assert_none();
}

/// Every rule of a graph: as such, as a document, on slots, in the engine, and while it is built.
pub(crate) fn graph_rules() -> impl Iterator<Item = &'static Rule> {
    let pure = [RULES, clink_plan::graph::RULES, clink_plan::deploy::RULES];
    let tables =
        pure.into_iter().chain([clink_runtime::registry::RULES, clink_runtime::dag::RULES]);
    tables.flatten()
}

#[test]
fn every_code_in_the_source_is_in_a_table() {
    let mut violations = Violations::default();
    let libraries = rust_files().into_iter().filter(|path| {
        LIBRARIES.iter().any(|library| path.starts_with(&format!("{library}/src/")))
    });
    let known: BTreeSet<String> = macro_rules()
        .into_iter()
        .map(|(_, code, _)| code)
        .chain(graph_rules().map(|rule| rule.code.to_owned()))
        .collect();
    for path in libraries {
        let source = Source::read(&path);
        for (at, quoted) in source
            .text
            .match_indices('"')
            .filter_map(|(at, _)| source.text.get(at + 1..at + 6).map(|quoted| (at, quoted)))
        {
            let ends = source.text.as_bytes().get(at + 6) == Some(&b'"');
            let is_any = is_code(quoted, 'M') || is_code(quoted, 'P');
            if ends && is_any && !known.contains(quoted) {
                let help = format!("{quoted} is in no table of rules: add it with its meaning");
                violations.add(&path, source.line(at), "unknown code", &help);
            }
        }
    }
    violations.assert_none();
}
