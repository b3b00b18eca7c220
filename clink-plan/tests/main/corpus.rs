//! Replays what fuzzing found worth keeping, on any compiler.
//!
//! To look for more: `cargo +nightly fuzz run graph_json` in `clink-plan`, and so for each target.

use std::path::Path;

#[expect(unreachable_pub, reason = "the fuzz targets are another crate")]
#[path = "../../fuzz/src/lib.rs"]
mod laws;

/// Calls `law` with every file of a corpus; says how many there were.
#[expect(clippy::disallowed_methods, reason = "a test reads its own corpus")]
fn replay(target: &str, law: impl Fn(&[u8])) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|file| law(&std::fs::read(file).unwrap())).count()
}

#[test]
fn the_corpus_of_graphs_holds_the_laws() {
    assert!(replay("graph_json", laws::graph_json) > 10);
}

#[test]
fn the_corpus_of_lines_holds_the_laws() {
    assert!(replay("line_format", laws::line_format) > 3);
}

#[test]
fn the_corpus_of_references_holds_the_laws() {
    assert!(replay("input_ref", laws::input_ref) > 10);
}

#[test]
fn the_corpus_of_chains_holds_the_laws() {
    assert!(replay("chain_json", laws::chain_json) > 5);
}
