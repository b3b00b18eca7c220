//! Asks of each word of the glossary whether its home still says it.

use crate::workspace::{Violations, files, read, root};

/// Where the glossary stands.
const GLOSSARY: &str = "book/src/glossary.md";

/// One row: the word, its home, and the line.
struct Row {
    word: String,
    home: String,
    line: usize,
}

fn rows() -> Vec<Row> {
    let page = read(GLOSSARY);
    let row = |(index, line): (usize, &str)| {
        let cells: Vec<&str> = line.strip_prefix("| **")?.split('|').map(str::trim).collect();
        let word = cells.first()?.split("**").next()?;
        let first = word.split([' ', '(']).next()?;
        let home = cells.get(2)?.trim_matches('`');
        Some(Row { word: first.to_owned(), home: home.to_owned(), line: index + 1 })
    };
    page.lines().enumerate().filter_map(row).collect()
}

#[test]
fn every_word_is_at_home() {
    let rows = rows();
    assert!(rows.len() > 20, "{GLOSSARY} has rows of the form `| **word** | meaning | `home` |`");
    let files = files();
    let mut violations = Violations::default();
    for Row { word, home, line } in rows {
        if !root().join(&home).exists() {
            let help = format!("`{home}` is not there: move the row to the word's new home");
            violations.add(GLOSSARY, line, "homeless word", &help);
            continue;
        }
        let at_home = files.iter().filter(|path| {
            **path == home || path.starts_with(&format!("{}/", home.trim_end_matches('/')))
        });
        let wanted = word.to_lowercase();
        let said = at_home.into_iter().any(|path| read(path).to_lowercase().contains(&wanted));
        if !said {
            let help = format!("`{home}` does not say `{word}`: rename there, or here");
            violations.add(GLOSSARY, line, "forgotten word", &help);
        }
    }
    violations.assert_none();
}
