//! Gzip, pipes, missing files, progress, parameters.

use std::io::Write;

use crate::data::{ColumnBuilder, ColumnView, Data};
use crate::operator::Services;
use crate::operator::context::SourceContext;
use crate::operator::contract::{Produced, Progress, Source};
use crate::operator::emitter::Emitter;
use crate::operator::{OperatorFields, Params};
use crate::sys::files;

use super::super::split::UNKNOWN_END;
use super::super::{CsvSource, FileSplit, NdjsonSource, csv, ndjson};
use super::{Input, Limits, context, gzip, read_with_restarts, run};

fn numbers(range: std::ops::Range<i64>) -> String {
    range.map(|n| format!("{n}\n")).collect()
}

#[test]
fn all_members_of_a_gzip_file_are_read_i09() {
    let lines = numbers(0..2_000);
    let (head, tail) = lines.as_bytes().split_at(1_001);
    let expected: Vec<i64> = (0..2_000).collect();
    let parts = [gzip(head), gzip(b""), gzip(tail)].concat();
    // The magic bytes count, the name does not.
    for name in ["x.ndjson.gz", "x.ndjson"] {
        let input = Input::new(name, &parts);
        assert_eq!(input.read::<NdjsonSource<i64>>().unwrap(), expected);
        assert_eq!(input.splits::<NdjsonSource<i64>>(8).unwrap().len(), 1);
        let found = read_with_restarts::<NdjsonSource<i64>>(&input.path, Limits::default(), 300);
        assert_eq!(found, expected);
    }
    let text = format!("\u{feff}n\n{}", numbers(0..2_000));
    let input = Input::new("x.csv.gz", gzip(text.as_bytes()));
    let found = read_with_restarts::<CsvSource<i64>>(&input.path, Limits::default(), 300);
    assert_eq!(found, expected);
    let empty = Input::new("x.csv.gz", gzip(b""));
    assert!(empty.error::<CsvSource<i64>>().contains("expected a header line"));
}

#[test]
fn a_broken_gzip_file_is_an_error_and_no_half_record_i09() {
    let whole = gzip(numbers(0..2_000).as_bytes());
    let cut = whole[..whole.len() / 2].to_vec();
    for broken in [cut, [&whole[..], b"garbage"].concat(), [&whole[..], &[0, 1]].concat()] {
        let error = Input::new("x.gz", broken).error::<NdjsonSource<i64>>();
        assert!(error.starts_with("read x.gz: after byte "), "{error}");
    }
    let padded = [&whole[..], &[0; 512]].concat();
    let found = Input::new("x.gz", padded).read::<NdjsonSource<i64>>().unwrap();
    assert_eq!(found.len(), 2_000, "zeros behind the data are padding");
}

#[test]
fn gzip_is_known_to_be_one_split_by_its_name() {
    let reason = "gzip is one stream: a reader cannot start in its middle";
    assert_eq!(csv::<i64>("a/x.csv.GZ").unsplittable().as_deref(), Some(reason));
    assert_eq!(ndjson::<i64>("x.gz").unsplittable().as_deref(), Some(reason));
    assert_eq!(ndjson::<i64>("x.ndjson").unsplittable(), None);
    assert!(csv::<i64>("x").is_bounded() && ndjson::<i64>("x").is_bounded());
}

#[test]
fn a_missing_file_and_a_folder_are_named() {
    let folder = std::env::current_dir().unwrap();
    let error = csv::<i64>("no/such.csv").splits(1).unwrap_err().to_string();
    let expected = format!(
        "open no/such.csv: no such file or directory (the current folder is {})",
        folder.display()
    );
    assert_eq!(error, expected);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let error = ndjson::<i64>(path).splits(1).unwrap_err().to_string();
    assert_eq!(error, format!("read {path}: the folder holds no file (hidden ones do not count)"));
}

#[test]
fn progress_counts_bytes() {
    let lines = numbers(10_000..20_000);
    let runtime = context();
    for bytes in [lines.clone().into_bytes(), gzip(lines.as_bytes())] {
        let stored = bytes.len() as u64;
        let input = Input::new("x", bytes);
        let mut source = ndjson::<i64>(input.path.as_str());
        source.open(source.splits(2).unwrap(), &runtime).unwrap();
        let (mut emitter, mut last) = (Emitter::default(), Progress::default());
        loop {
            let mut ctx = SourceContext {
                emitter: &mut emitter,
                services: &mut Services::default(),
                runtime: &runtime,
            };
            let produced = source.produce(&mut ctx).unwrap();
            emitter.take_all(&mut Vec::new());
            let progress = source.progress().unwrap();
            assert!(progress.done <= progress.total && progress.done >= last.done);
            assert!(progress.bytes >= last.bytes);
            last = progress;
            if produced == Produced::End {
                break;
            }
        }
        assert_eq!(last.done, last.total);
        assert_eq!((last.total, last.bytes), (stored, stored));
    }
}

#[test]
fn a_split_is_a_row_of_five_columns() {
    let splits = ["a", "ü"].map(|path| FileSplit {
        path: path.to_owned(),
        start: 1,
        end: UNKNOWN_END,
        position: 3,
        file: 4,
    });
    let mut builder = <FileSplit as Data>::Builder::default();
    splits.iter().for_each(|split| builder.append(split));
    let array = builder.finish();
    assert_eq!(*array.data_type(), FileSplit::data_type());
    let view = <FileSplit as Data>::View::of(&array).unwrap();
    for (row, split) in splits.iter().enumerate() {
        assert_eq!(view.get(row).unwrap(), *split);
        let json = serde_json::to_string(&crate::data::AsSerialize(split)).unwrap();
        let mut json = serde_json::Deserializer::from_str(&json);
        assert_eq!(<FileSplit as Data>::deserialize(&mut json).unwrap(), *split);
    }
}

#[test]
fn the_path_is_the_parameter() {
    let mut params = Params::new();
    csv::<i64>("a b.csv").to_params(&mut params).unwrap();
    assert_eq!(params, Params::from([("path".to_owned(), "a b.csv".to_owned())]));
    let source = <NdjsonSource<i64>>::from_params(&params).unwrap();
    assert_eq!(source.path(), "a b.csv");
    assert!(<CsvSource<i64>>::from_params(&Params::new()).is_err());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_one_split_and_is_not_touched_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let name = path.to_str().unwrap().to_owned();
    let splits = ndjson::<i64>(name.as_str()).splits(8).unwrap();
    assert_eq!(splits, [FileSplit::whole(&name)]);
    for bytes in [b"1\n2\n".to_vec(), gzip(b"1\n2\n")] {
        let target = path.clone();
        let writer = std::thread::spawn(move || {
            files::open_append(&target).unwrap().write_all(&bytes).unwrap();
        });
        let mut source = ndjson::<i64>(name.as_str());
        let (values, _) = run(&mut source, splits.clone(), None).unwrap();
        writer.join().unwrap();
        assert_eq!(values, [1, 2]);
    }
}
