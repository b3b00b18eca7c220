//! Restored splits: gone on with only in the file they were saved of.

use crate::error::{Error, Retry};
use crate::operator::RuntimeContext;
use crate::operator::contract::{Progress, Source};
use crate::sys::files;

use super::super::split::UNKNOWN_END;
use super::super::{FileSplit, ndjson};
use super::{Input, context, gzip, run};

fn split(input: &Input, position: u64, end: u64) -> FileSplit {
    FileSplit { path: input.path.clone(), start: 0, end, position, file: 0 }
}

/// The message of a refusal, the path left out.
fn refusal(input: &Input, error: &Error) -> String {
    assert!(error.is_refusal() && error.retry() == Retry::Never, "{error}");
    error.to_string().replace(&input.path, "x")
}

/// Opens a split of a file that now holds `bytes`.
fn reopen(input: &Input, bytes: &[u8], position: u64, end: u64) -> String {
    files::write_durable(input.path.as_ref(), bytes).unwrap();
    let splits = vec![split(input, position, end)];
    match run(&mut ndjson::<i64>(input.path.as_str()), splits, None) {
        Ok((values, _)) => format!("{values:?}"),
        Err(error) => refusal(input, &error),
    }
}

#[test]
fn a_file_that_changed_since_the_checkpoint_is_refused() {
    let input = Input::new("x", "");
    assert_eq!(reopen(&input, b"1\n2\n3\n", 4, 6), "[3]");
    // Grown: what was there when it was divided is read.
    assert_eq!(reopen(&input, b"1\n2\n3\n4\n", 4, 6), "[3]");
    let shorter = "read x: it should go on to byte 6 and ends at byte 4";
    assert_eq!(reopen(&input, b"1\n2\n", 4, 6), shorter);
    assert_eq!(reopen(&input, b"1\n2\n", 2, 6), shorter);
    let changed = "read x: no record ends at byte 4, where the checkpoint left off: it is another \
                   file, or has been changed";
    assert_eq!(reopen(&input, b"11111\n", 4, 6), changed);
    // A finished split needs no file at all.
    assert_eq!(reopen(&input, b"", 6, 6), "[]");
    let shorter = "read x: it should go on to byte 8 and ends at byte 4";
    assert_eq!(reopen(&input, &gzip(b"1\n2\n"), 9, UNKNOWN_END), shorter);
    assert_eq!(reopen(&input, &gzip(b"11111\n"), 4, UNKNOWN_END), changed);
}

#[test]
fn the_end_of_a_gzip_file_without_a_newline_can_be_restored() {
    let input = Input::new("x.gz", gzip(b"1\n2"));
    for position in [2, 3] {
        let mut source = ndjson::<i64>(input.path.as_str());
        let splits = vec![split(&input, position, UNKNOWN_END)];
        let (values, splits) = run(&mut source, splits, None).unwrap();
        assert_eq!(values.len(), usize::from(position == 2));
        assert!(splits[0].is_finished() && splits[0].end == 3);
    }
}

#[test]
fn another_path_is_refused() {
    let expected = "restore new: the checkpoint covers the input file x; give the source the path \
                    it had, or start without the checkpoint (--restore none)";
    let input = Input::new("x", "1\n2\n");
    // Begun, not begun, used up: what was not read of `x` would be missed, or all of `new`.
    for position in [2, 0, 4] {
        let runtime = RuntimeContext { restored: true, ..context() };
        let splits = vec![split(&input, position, 4)];
        let error = ndjson::<i64>("new").open(splits, &runtime).unwrap_err();
        assert_eq!(refusal(&input, &error), expected);
    }
}

#[test]
fn a_later_split_is_refused_before_anything_is_read() {
    let input = Input::new("x", "1\n2\n3\n");
    let runtime = RuntimeContext { restored: true, ..context() };
    let open = |position, end| {
        let splits = vec![split(&input, 6, 6), split(&input, 2, 4), split(&input, position, end)];
        ndjson::<i64>(input.path.as_str()).open(splits, &runtime)
    };
    open(4, 6).unwrap();
    let shorter = open(4, 8).unwrap_err();
    let expected = "read x: it should go on to byte 8 and ends at byte 6";
    assert_eq!(refusal(&input, &shorter), expected);
    assert!(refusal(&input, &open(5, 6).unwrap_err()).contains("no record ends at byte 5"));
}

#[test]
fn progress_adds_up_over_thousands_of_files_and_at_a_restore() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..2_000 {
        let path = folder.path().join(n.to_string());
        files::write_durable(&path, b"1\n22\n").unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let mut source = ndjson::<i64>(path);
    let splits = source.splits(1).unwrap();
    let (found, splits) = run(&mut source, splits, Some(2_501)).unwrap();
    // The last one stopped behind its first line.
    let bytes = 1_250 * 5 + 2;
    let Progress { done, total, bytes: counted } = source.progress().unwrap();
    assert_eq!((found.len(), done, total, counted), (2_501, bytes, 10_000, bytes));
    let mut source = ndjson::<i64>(path);
    run(&mut source, splits, None).unwrap();
    let Progress { done, total, bytes: counted } = source.progress().unwrap();
    assert_eq!((done, total, counted), (10_000, 10_000, 10_000 - bytes));
}

#[test]
fn a_restored_source_counts_the_bytes_that_it_reads_itself() {
    let (plain, gzip) = (b"1\n2\n3\n".to_vec(), gzip(b"1\n2\n3\n"));
    let (rest, all) = (2, gzip.len() as u64);
    for (bytes, position, end, expected) in [
        (plain.clone(), 4, 6, rest),
        (plain, 6, 6, 0),
        // The decompressor has to begin at the beginning.
        (gzip.clone(), 4, UNKNOWN_END, all),
        (gzip, 6, 6, 0),
    ] {
        let input = Input::new("x", bytes);
        let mut source = ndjson::<i64>(input.path.as_str());
        run(&mut source, vec![split(&input, position, end)], None).unwrap();
        assert_eq!(source.progress().unwrap().bytes, expected, "from {position} to {end}");
    }
}
