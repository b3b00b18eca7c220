//! Asks whether the tests that ARCHITECTURE.md leans on are there.

use crate::workspace::{Violations, read, root};

/// A row of the table of invariants: `| what | `test` | `file` |`.
#[test]
fn every_invariant_has_its_test() {
    let page = read("ARCHITECTURE.md");
    let mut violations = Violations::default();
    let mut rows = 0;
    for (index, line) in page.lines().enumerate() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [_, test, file] = cells[..] else { continue };
        let (test, file) = (test.trim_matches('`'), file.trim_matches('`'));
        if !file.ends_with(".rs") {
            continue;
        }
        rows += 1;
        let found = root().join(file).exists() && read(file).contains(&format!("fn {test}("));
        if !found {
            let help = format!("`{file}` has no test `{test}`: name the one that guards this now");
            violations.add("ARCHITECTURE.md", index + 1, "unguarded invariant", &help);
        }
    }
    assert!(rows > 10, "the table of invariants has rows that this test reads");
    violations.assert_none();
}
