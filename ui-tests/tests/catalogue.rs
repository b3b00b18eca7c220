//! Compares the catalogue of the macros with the cases: every code has one, every case is whole.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test of files")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files with that extension in `ui/<macro>/<outcome>`, for every macro.
fn files(outcome: &str, extension: &str) -> Vec<PathBuf> {
    let macros = fs::read_dir(package().join("ui")).unwrap();
    let folders = macros.map(|entry| entry.unwrap().path().join(outcome));
    let entries = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

/// The code in a file's name, such as `M0101` in `m0101-no-uid.rs`.
fn code(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.split('-').next()?.to_uppercase();
    let digits = name.strip_prefix('M')?;
    (digits.len() == 4 && digits.parse::<u16>().is_ok()).then_some(name)
}

#[test]
fn every_code_of_the_catalogue_has_a_case() {
    let catalogue = package().join("../clink-macros/src/catalogue.rs");
    let catalogue = fs::read_to_string(catalogue).unwrap();
    let quoted = catalogue.split('"').filter(|text| code(Path::new(text)).is_some());
    let known: BTreeSet<String> = quoted.map(str::to_owned).collect();
    let tested = files("fail", "rs").iter().filter_map(|path| code(path)).collect();
    assert_eq!(known, tested, "codes of the catalogue, and codes with a case");
}

#[test]
fn every_case_names_its_rule_and_every_message_its_code() {
    for path in [files("fail", "rs"), files("pass", "rs")].concat() {
        let text = fs::read_to_string(&path).unwrap();
        let rule = text.lines().next().unwrap_or_default();
        assert!(rule.starts_with("// ") && rule.ends_with('.'), "{}: {rule}", path.display());
        if let Some(code) = code(&path) {
            assert!(rule.contains(&code), "{}: {rule}", path.display());
        }
    }
    for path in files("fail", "stderr") {
        assert!(path.with_extension("rs").exists(), "{} is stale", path.display());
        let text = fs::read_to_string(&path).unwrap();
        if let Some(code) = code(&path) {
            assert!(text.contains(&format!("[{code}]")), "{}", path.display());
            let errors = text.lines().filter(|line| line.starts_with("error"));
            assert_eq!(errors.count(), 1, "{}: one mistake, one message", path.display());
        }
    }
}
