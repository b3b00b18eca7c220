//! Holds each lesson of `examples/` to its shape: one idea, one command, output that is there.

use std::collections::BTreeSet;

use crate::workspace::{Violations, files, read};

/// The lessons' folders, as `examples/02_union`.
fn lessons() -> BTreeSet<String> {
    let all = files().into_iter().filter_map(|path| {
        let name = path.strip_prefix("examples/")?.split('/').next()?.to_owned();
        name.starts_with(|c: char| c.is_ascii_digit()).then(|| format!("examples/{name}"))
    });
    all.collect()
}

/// The value of a line `key = "value"`.
fn value<'a>(manifest: &'a str, key: &str) -> &'a str {
    let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
    line.map(|rest| rest.trim_end_matches('"')).unwrap_or_default()
}

#[test]
fn every_lesson_says_its_idea_and_its_command_and_is_on_the_first_page() {
    let mut violations = Violations::default();
    let (files, first_page) = (files(), read("README.md"));
    for lesson in lessons() {
        let page = format!("{lesson}/README.md");
        if !files.contains(&page) {
            violations.add(&page, 1, "lesson", "say the idea, the command and its first output");
            continue;
        }
        let (manifest, text) = (read(&format!("{lesson}/Cargo.toml")), read(&page));
        let package = value(&manifest, "name");
        let command = format!("\ncargo run -p {package}\n");
        let number: String = lesson.chars().filter(char::is_ascii_digit).collect();
        let title = format!("Lesson {}: ", number.trim_start_matches('0'));
        if !text.starts_with(&format!("# {title}")) || !text.contains(&command) {
            let help = format!("open with `# {title}…`, and show `{}`", command.trim());
            violations.add(&page, 1, "lesson", &help);
        }
        if !value(&manifest, "description").starts_with(&title) {
            let help = format!("begin the description with `{title}`");
            violations.add(&format!("{lesson}/Cargo.toml"), 1, "lesson", &help);
        }
        if !first_page.contains(&format!("({page})")) {
            violations.add("README.md", 1, "lesson", &format!("link `{page}`"));
        }
        let main = format!("clink::main!({});", package.replace('-', "_"));
        let main_path = format!("{lesson}/src/main.rs");
        if !read(&main_path).lines().skip(1).eq([main.as_str()]) {
            violations.add(&main_path, 2, "lesson", &format!("one line: `{main}`"));
        }
    }
    violations.assert_none();
}

#[test]
fn what_a_lesson_quotes_is_what_its_test_expects() {
    let mut violations = Violations::default();
    let files = files();
    for lesson in lessons() {
        let places = [format!("{lesson}/tests/expected"), format!("{lesson}/expected")];
        let beside = files.iter().filter(|path| places.iter().any(|place| path.starts_with(place)));
        let expected: String = beside.map(|path| read(path)).collect();
        let page = format!("{lesson}/README.md");
        let quoted = read(&page);
        let quoted = quoted.lines().enumerate().filter(|(_, line)| line.starts_with('{'));
        for (index, line) in quoted.filter(|_| !expected.is_empty()) {
            // A line that differs from run to run is expected up to where it does.
            let is_expected = |known: &str| line.starts_with(known.trim_end_matches('}'));
            if !expected.lines().any(is_expected) {
                violations.add(&page, index + 1, "quote", "the test does not expect this line");
            }
        }
    }
    violations.assert_none();
}
