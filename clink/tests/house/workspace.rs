//! Finds the files of the workspace and collects what is wrong with them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::lexer::{Masked, item_end, mask};

/// The crates that others build on.
pub(crate) const LIBRARIES: [&str; 4] = ["clink", "clink-macros", "clink-plan", "clink-runtime"];

/// Folders whose files are input or output of tests, not code of the workspace.
const FIXTURES: [&str; 3] =
    ["clink-macros/tests/expanded", "clink-macros/tests/input", "ui-tests/ui"];

/// The folder that holds the workspace.
pub(crate) fn root() -> PathBuf {
    let facade = Path::new(env!("CARGO_MANIFEST_DIR"));
    facade.parent().expect("the facade is a folder of the workspace").to_owned()
}

/// The text of a file, by its path from the root.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("read {path}: {error}"))
}

/// Every file that belongs to the repository, sorted, as paths from the root.
pub(crate) fn files() -> Vec<String> {
    let mut found = Vec::new();
    walk(&root(), "", &mut found);
    found.sort();
    found
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("list {prefix}: {error}"));
    for entry in entries {
        let entry = entry.expect("a folder that was opened can be listed");
        let name = entry.file_name().to_string_lossy().into_owned();
        // `wip` is where trybuild leaves what it has no expectation for.
        if matches!(name.as_str(), ".git" | "target" | "wip") {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            walk(&entry.path(), &format!("{path}/"), found);
        } else {
            found.push(path);
        }
    }
}

/// Every Rust file of the workspace that is code.
pub(crate) fn rust_files() -> Vec<String> {
    let mut files = files();
    files.retain(|path| path.ends_with(".rs") && !is_fixture(path));
    files
}

/// True for a file that tests read instead of compiling it with the workspace.
pub(crate) fn is_fixture(path: &str) -> bool {
    FIXTURES.iter().any(|folder| path.starts_with(folder))
}

/// One Rust file.
pub(crate) struct Source {
    /// Its path from the root.
    pub(crate) path: String,
    /// As it is.
    pub(crate) text: String,
    /// Code and comments apart.
    pub(crate) masked: Masked,
    /// The code without what is compiled for tests only.
    pub(crate) product: String,
    /// Lines that are compiled for tests only.
    test_lines: usize,
}

impl Source {
    /// Reads one.
    pub(crate) fn read(path: &str) -> Self {
        let text = read(path);
        let masked = mask(&text);
        let (product, test_lines) = without_tests(&masked.code);
        Self { path: path.to_owned(), text, masked, product, test_lines }
    }

    /// The line of a byte, counted from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        line_of(&self.text, at)
    }

    /// Lines outside inline tests.
    pub(crate) fn product_lines(&self) -> usize {
        self.text.lines().count().saturating_sub(self.test_lines)
    }
}

/// The line of a byte of a text, counted from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Blanks out every item that stands under `#[cfg(test)]`, and counts the lines of that.
fn without_tests(code: &str) -> (String, usize) {
    let mut kept = code.as_bytes().to_vec();
    let mut lines = 0;
    for (at, attribute) in code.match_indices("#[cfg(test)]") {
        let end = item_end(code, at + attribute.len());
        lines += code[at..end].lines().count();
        let item = kept[at..end].iter_mut().filter(|byte| **byte != b'\n');
        item.for_each(|byte| *byte = b' ');
    }
    (String::from_utf8_lossy(&kept).into_owned(), lines)
}

/// Everything that is wrong, each with its place.
#[derive(Default)]
pub(crate) struct Violations(BTreeSet<(String, usize, String)>);

impl Violations {
    /// Notes one: `rule` names what is broken, `help` says what to do.
    pub(crate) fn add(&mut self, path: &str, line: usize, rule: &str, help: &str) {
        self.0.insert((path.to_owned(), line, format!("{rule}: {help}")));
    }

    /// Fails with all of them.
    #[track_caller]
    pub(crate) fn assert_none(self) {
        let lines = self.0.iter().map(|(path, line, text)| format!("{path}:{line}: {text}"));
        let lines: Vec<String> = lines.collect();
        assert!(lines.is_empty(), "{} places:\n{}\n", lines.len(), lines.join("\n"));
    }
}

/// True if the person at the keyboard wants generated text written instead of compared.
pub(crate) fn blessing() -> bool {
    std::env::var_os("CLINK_BLESS").is_some()
}

/// Compares a generated part of a file with what stands there, or writes it when blessing.
///
/// The part stands between `<!-- begin NAME … -->` and `<!-- end NAME -->`.
#[track_caller]
pub(crate) fn compare_part(path: &str, name: &str, wanted: &str) {
    let text = read(path);
    let begin = text.find(&format!("<!-- begin {name}")).and_then(|at| {
        let line = text[at..].find('\n')?;
        Some(at + line + 1)
    });
    let end = text.find(&format!("<!-- end {name} -->"));
    let (Some(begin), Some(end)) = (begin, end) else {
        panic!("{path}: the markers `begin {name}` and `end {name}` are missing");
    };
    let wanted = format!("\n{}\n\n", wanted.trim_matches('\n'));
    if text[begin..end] == wanted {
        return;
    }
    assert!(
        blessing(),
        "{path}:{}: {name}: out of date; run CLINK_BLESS=1 cargo test -p clink --test house \
         and review\nwanted:{wanted}",
        line_of(&text, begin)
    );
    let blessed = format!("{}{wanted}{}", &text[..begin], &text[end..]);
    fs::write(root().join(path), blessed).unwrap_or_else(|error| panic!("write {path}: {error}"));
}
