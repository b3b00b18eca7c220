//! Runs graphs whose output meets a reader that leaves, and a disk that is full.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

/// What a shell command with the program in it said on stderr.
fn told(folder: &Path, command: &str) -> String {
    let command = command.replace("clink ", concat!(env!("CARGO_BIN_EXE_clink"), " "));
    let done = Command::new("sh").current_dir(folder).args(["-c", &command]).output().unwrap();
    String::from_utf8(done.stderr).unwrap()
}

fn folder(sink: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let graph = r#"{"ops":[
        {"id":"in","type":"int64_range_source","out_channel":"int64",
         "params":{"count":"1000000"}},
        {"id":"out","out_channel":"int64","inputs":["in"],SINK}]}"#;
    std::fs::write(folder.path().join("graph.json"), graph.replace("SINK", sink)).unwrap();
    folder
}

#[test]
fn a_reader_that_leaves_ends_the_job_with_1_and_a_sentence() {
    let folder = folder(r#""type":"print""#);
    let command = "{ clink run graph.json --quiet; echo code $? >&2; } | head -n 1";
    let told = told(folder.path(), command);
    let expected = "error: operator `print` (out), subtask 0: write to standard output: its reader \
                    has closed it\ncode 1\n";
    assert_eq!(told, expected);
}

#[test]
fn a_full_disk_ends_the_job_with_1_and_names_the_file_i18() {
    for name in ["out.txt", "out.txt.gz"] {
        let sink = format!(r#""type":"file_int64_sink","params":{{"path":"{name}"}}"#);
        let folder = folder(&sink);
        let command = "trap '' XFSZ; ulimit -f 64; clink run graph.json --quiet; echo code $? >&2";
        let told = told(folder.path(), command);
        assert!(told.contains(&format!("write {name}: file too large")), "{told}");
        assert!(told.ends_with("code 1\n"), "{told}");
    }
}
