//! Keeps files short, opened by a sentence, and free of what is not meant to stay.

use crate::lexer::{item_end, words};
use crate::modules::reached;
use crate::workspace::{LIBRARIES, Source, Violations, files, is_fixture, read, root, rust_files};

/// Lines a file may have, tests not counted.
const FILE_LINES_MAX: usize = 600;

/// Lines a function may have, from its `fn` to its last brace.
const FUNCTION_LINES_MAX: usize = 70;

/// Columns a line may have.
const COLUMNS_MAX: usize = 100;

#[test]
fn every_file_opens_with_what_it_is_for() {
    let mut violations = Violations::default();
    for path in rust_files() {
        if !read(&path).starts_with("//! ") {
            let help = "open the file with `//!` and one sentence with a verb";
            violations.add(&path, 1, "opening line", help);
        }
    }
    violations.assert_none();
}

#[test]
fn files_functions_and_lines_are_short() {
    let reached = reached();
    let mut violations = Violations::default();
    for path in rust_files() {
        let source = Source::read(&path);
        let test = reached.get(&path).is_none_or(|module| module.test);
        let lines = source.product_lines();
        if !test && lines > FILE_LINES_MAX {
            let help = format!("{lines} lines, at most {FILE_LINES_MAX}: split it by what it does");
            violations.add(&path, 1, "file length", &help);
        }
        for (at, name, lines) in functions(&source) {
            if lines > FUNCTION_LINES_MAX {
                let help = format!("`{name}` has {lines} lines, at most {FUNCTION_LINES_MAX}");
                violations.add(&path, source.line(at), "function length", &help);
            }
        }
        for (index, line) in source.text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > COLUMNS_MAX {
                let help = format!("{columns} columns, at most {COLUMNS_MAX}: break the line");
                violations.add(&path, index + 1, "line length", &help);
            }
        }
    }
    violations.assert_none();
}

/// Every function with a body: where it starts, its name, its lines.
fn functions(source: &Source) -> Vec<(usize, &str, usize)> {
    let code = &source.masked.code;
    let function = |at: usize| {
        let rest = code[at..].strip_prefix("fn ")?;
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        let end = item_end(code, at);
        let lines = code[at..end].lines().count();
        (length > 0).then_some((at, &rest[..length], lines))
    };
    words(code, "fn").filter_map(function).collect()
}

/// The rooms of the house and the papers by its door.
const TOP: [&str; 20] = [
    ".ci",
    ".gitignore",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "SAFETY.md",
    "book",
    "clink",
    "clink-macros",
    "clink-plan",
    "clink-runtime",
    "clippy.toml",
    "deny.toml",
    "examples",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "ui-tests",
];

#[test]
fn the_top_level_tells_the_story() {
    let mut violations = Violations::default();
    for path in files() {
        let top = path.split('/').next().unwrap_or_default();
        if !TOP.contains(&top) {
            let help = "put it into a room, or give it a place in TOP with a reason";
            violations.add(&path, 1, "top level", help);
        }
    }
    for name in TOP.iter().filter(|name| !root().join(name).exists()) {
        violations.add(name, 1, "top level", "it is missing");
    }
    violations.assert_none();
}

/// What nobody means to leave behind, wherever it stands.
const LEFT_BEHIND: [(&str, &str); 6] = [
    ("dbg!", "remove it"),
    ("todo!", "write it, or leave the function out until it can be written"),
    ("unimplemented!", "write it, or leave the function out until it can be written"),
    ("#[ignore", "assert what happens today and link the issue"),
    ("#[should_panic", "assert on the error instead"),
    ("thread::sleep", "wait for the event instead, or move a simulated clock"),
];

#[test]
fn nothing_is_left_behind() {
    let mut violations = Violations::default();
    for path in rust_files() {
        let source = Source::read(&path);
        for (what, help) in LEFT_BEHIND {
            for at in words(&source.masked.code, what) {
                violations.add(&path, source.line(at), &format!("`{what}`"), help);
            }
        }
        for at in words(&source.masked.comments, "TODO") {
            if !source.masked.comments[at..].starts_with("TODO(#") {
                violations.add(&path, source.line(at), "`TODO`", "name an open issue: TODO(#12)");
            }
        }
    }
    violations.assert_none();
}

#[test]
fn libraries_do_not_print() {
    let mut violations = Violations::default();
    for library in LIBRARIES {
        for (_, source) in crate::modules::product(library) {
            for what in ["println!", "print!", "eprintln!", "eprint!"] {
                for at in words(&source.product, what) {
                    let help = "write to a stream that the caller named, or return an error";
                    violations.add(&source.path, source.line(at), &format!("`{what}`"), help);
                }
            }
        }
    }
    violations.assert_none();
}

#[test]
fn comments_point_at_pages_that_are_there() {
    let files = files();
    let mut violations = Violations::default();
    for path in rust_files().into_iter().filter(|path| !path.starts_with("clink/tests/house/")) {
        let source = Source::read(&path);
        let comments = &source.masked.comments;
        for (at, _) in comments.match_indices(".md") {
            let start = comments[..at].rfind(|c: char| !c.is_alphanumeric() && !"/_-.".contains(c));
            let page = &comments[start.map_or(0, |start| start + 1)..at + ".md".len()];
            if !files.iter().any(|file| file == page || file.ends_with(&format!("/{page}"))) {
                let help = format!("`{page}` is not in the repository: say here what it says");
                violations.add(&path, source.line(at), "dead pointer", &help);
            }
        }
    }
    violations.assert_none();
}

/// Starts of paths that exist on one machine only; written in two parts, so that this file does
/// not find itself.
const ONE_MACHINE: [(&str, &str); 5] =
    [("/wo", "rk/"), ("/ro", "ot/"), ("/ho", "me/"), ("/Us", "ers/"), ("/tmp", "/t-")];

#[test]
fn nothing_depends_on_one_machine() {
    let registry = "registry+https://github.com/rust-lang/crates.io-index";
    let mut violations = Violations::default();
    for path in files().iter().filter(|path| !is_fixture(path)) {
        let Ok(text) = std::fs::read_to_string(root().join(path)) else { continue };
        for (index, line) in text.lines().enumerate() {
            for (start, rest) in ONE_MACHINE {
                if line.contains(&format!("{start}{rest}")) {
                    let help = "a path of one machine: make it relative to the repository";
                    violations.add(path, index + 1, "one machine", help);
                }
            }
            let source = line.strip_prefix("source = ").map(|source| source.trim_matches('"'));
            if path == "Cargo.lock" && source.is_some_and(|source| source != registry) {
                let help = "a registry of one machine: lock against the public one";
                violations.add(path, index + 1, "one machine", help);
            }
        }
        if path.ends_with(".cargo/config.toml") && text.contains("[source") {
            violations.add(path, 1, "one machine", "registries are configured outside the tree");
        }
    }
    violations.assert_none();
}
