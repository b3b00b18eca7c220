//! Compares SAFETY.md with the `unsafe` that is there.

use std::collections::BTreeMap;

use crate::lexer::words;
use crate::workspace::{Source, Violations, line_of, read, rust_files};

/// What each crate root must say about unsafe code.
const ROOTS: [(&str, &str); 4] = [
    ("clink/src/lib.rs", "#![forbid(unsafe_code)]"),
    ("clink-macros/src/lib.rs", "#![forbid(unsafe_code)]"),
    ("clink-plan/src/lib.rs", "#![forbid(unsafe_code)]"),
    ("clink-runtime/src/lib.rs", "#![deny(unsafe_code)]"),
];

/// The folders in which unsafe code may stand at all.
const DOORS: [&str; 3] =
    ["clink-runtime/src/sys/", "clink-runtime/src/plugin/", "clink-runtime/src/host/"];

#[test]
fn every_crate_says_what_it_allows() {
    let mut violations = Violations::default();
    let examples = rust_files()
        .into_iter()
        .filter(|path| path.starts_with("examples/") && path.ends_with("/src/lib.rs"));
    let examples = examples.map(|path| (path, "#![forbid(unsafe_code)]"));
    for (path, attribute) in
        ROOTS.map(|(path, text)| (path.to_owned(), text)).into_iter().chain(examples)
    {
        if !Source::read(&path).masked.code.contains(attribute) {
            violations.add(&path, 1, "unsafe policy", &format!("write `{attribute}`"));
        }
    }
    violations.assert_none();
}

/// A row of SAFETY.md that names a file: `| path | … |`, one row per `unsafe` of the file.
fn listed() -> BTreeMap<String, (usize, usize)> {
    let page = read("SAFETY.md");
    let mut rows: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (index, line) in page.lines().enumerate() {
        let cell = line.strip_prefix("| `").and_then(|rest| rest.split_once('`'));
        if let Some((path, _)) = cell.filter(|(path, _)| path.ends_with(".rs")) {
            let row = rows.entry(path.to_owned()).or_insert((index + 1, 0));
            row.1 += 1;
        }
    }
    rows
}

#[test]
fn every_unsafe_is_listed_with_its_reason() {
    let mut listed = listed();
    let mut violations = Violations::default();
    for path in rust_files() {
        let source = Source::read(&path);
        let found: Vec<usize> = words(&source.masked.code, "unsafe").collect();
        let Some(first) = found.first() else { continue };
        let line = line_of(&source.text, *first);
        if !DOORS.iter().any(|door| path.starts_with(door)) {
            let help = format!("unsafe code stands in {} only", DOORS.join(", "));
            violations.add(&path, line, "unsafe policy", &help);
        }
        let (_, rows) = listed.remove(&path).unwrap_or_default();
        if rows != found.len() {
            let help = format!("{} times unsafe, {rows} rows in SAFETY.md", found.len());
            violations.add(&path, line, "unsafe policy", &help);
        }
    }
    for (path, (line, _)) in listed {
        let help = format!("`{path}` has no unsafe code: remove the row");
        violations.add("SAFETY.md", line, "stale row", &help);
    }
    violations.assert_none();
}
