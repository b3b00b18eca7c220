//! Compares a text with a golden file; `CLINK_BLESS=1` writes the file instead.

use std::path::Path;

/// Compares `text` with `tests/snapshots/NAME`.
pub(crate) fn compare_golden(name: &str, text: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let path = folder.join(name);
    if std::env::var_os("CLINK_BLESS").is_some() {
        bless(&path, text);
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        golden == text,
        "{} differs; if this is right, run CLINK_BLESS=1 cargo test -p clink-plan:\n{text}",
        path.display()
    );
}

#[expect(clippy::disallowed_methods, reason = "blessing writes the golden file")]
fn bless(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}
