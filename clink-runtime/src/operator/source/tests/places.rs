//! Folders and patterns, files that vanish, frames of zstd, delimiters, null tokens, no header.

use crate::operator::Services;
use crate::operator::contract::{Produced, Source};
use crate::operator::emitter::Emitter;
use crate::operator::{OperatorFields, Params};
use crate::sys::files;

use super::super::super::context::SourceContext;
use super::super::{CsvSource, NdjsonSource, csv, ndjson};
use super::flight::Flight;
use super::{Input, Limits, context, drain, gzip, read_with_restarts, run};

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(bytes, 1).unwrap()
}

fn numbers(range: std::ops::Range<i64>) -> String {
    range.map(|n| format!("{n}\n")).collect()
}

#[test]
fn all_frames_of_a_zstd_file_are_read_and_a_broken_one_is_an_error_i09() {
    let lines = numbers(0..2_000);
    let (head, tail) = lines.as_bytes().split_at(1_001);
    let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"xyz"].concat();
    let parts = [skipped, zstd(head), zstd(b""), zstd(tail)].concat();
    let input = Input::new("x.ndjson", &parts);
    let expected: Vec<i64> = (0..2_000).collect();
    assert_eq!(input.read::<NdjsonSource<i64>>().unwrap(), expected);
    let found = read_with_restarts::<NdjsonSource<i64>>(&input.path, Limits::default(), 300);
    assert_eq!(found, expected);
    let whole = zstd(lines.as_bytes());
    let cut = whole[..whole.len() / 2].to_vec();
    for broken in [cut, [&whole[..], b"garbage"].concat()] {
        let error = Input::new("x.zst", broken).error::<NdjsonSource<i64>>();
        assert!(error.starts_with("read x.zst: after byte "), "{error}");
    }
}

#[test]
fn a_folder_is_read_file_by_file_each_with_its_own_mark_and_header_i04() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = Vec::new();
    for n in 0..7_u32 {
        let rows = 100 * n..100 * n + 10 * n;
        let mark = if n % 2 == 0 { "\u{feff}" } else { "" };
        let (names, gate_first) = match n % 3 {
            0 => ("gate,carrier,dep_delay", true),
            _ => ("carrier,gate,more,dep_delay", false),
        };
        let row = |gate: u32| match gate_first {
            true => format!("{gate},\u{feff}a,\n"),
            false => format!("\u{feff}a,{gate},x,\n"),
        };
        let text = format!("{mark}{names}\n{}", rows.clone().map(row).collect::<String>());
        let bytes = match n % 4 {
            1 => gzip(text.as_bytes()),
            2 => zstd(text.as_bytes()),
            _ => text.into_bytes(),
        };
        files::write_durable(&folder.path().join(format!("{n}.csv")), &bytes).unwrap();
        expected.extend(rows);
    }
    files::write_durable(&folder.path().join(".hidden"), b"nonsense").unwrap();
    let path = folder.path().to_str().unwrap();
    for path in [path.to_owned(), format!("{path}/*.csv")] {
        for wanted in [1, 2, 5, 30] {
            let source = csv::<Flight>(path.as_str());
            source.check().unwrap();
            let mut found = Vec::new();
            for split in source.splits(wanted).unwrap() {
                let mut source = csv::<Flight>(path.as_str());
                found.extend(run(&mut source, vec![split], None).unwrap().0);
            }
            assert!(found.iter().all(|flight| flight.carrier == "\u{feff}a"));
            let mut found: Vec<u32> = found.into_iter().map(|flight| flight.gate).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{path}, {wanted}");
        }
    }
}

#[test]
fn files_are_shared_out_by_size() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in [("large", 8_000), ("small", 1_000), ("other", 1_000)] {
        let text = numbers(10_000..10_000 + rows);
        files::write_durable(&folder.path().join(name), text.as_bytes()).unwrap();
    }
    let splits = ndjson::<i64>(folder.path().to_str().unwrap()).splits(5).unwrap();
    let large = splits.iter().filter(|split| split.path.ends_with("large")).count();
    assert_eq!((splits.len(), large), (6, 4));
}

#[test]
fn a_file_that_vanishes_is_read_to_its_end_or_named() {
    let input = Input::new("x", numbers(0..100_000));
    let mut source = ndjson::<i64>(input.path.as_str());
    let splits = source.splits(1).unwrap();
    source.open(splits.clone(), &context()).unwrap();
    files::remove_file(input.path.as_ref()).unwrap();
    let (mut emitter, mut out, runtime) = (Emitter::<i64>::default(), Vec::new(), context());
    loop {
        let mut ctx = SourceContext {
            emitter: &mut emitter,
            services: &mut Services::default(),
            runtime: &runtime,
        };
        let produced = source.produce(&mut ctx).unwrap();
        emitter.take_all(&mut out);
        if produced == Produced::End {
            break;
        }
    }
    assert_eq!(drain::<i64>(&mut out).count(), 100_000);
    let error = ndjson::<i64>(input.path.as_str()).open(splits, &context()).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with(&format!("open {}: no such file", input.path)), "{text}");
}

#[test]
fn a_file_that_loses_bytes_while_it_is_read_is_an_error() {
    let input = Input::new("x", numbers(0..200_000));
    let mut source = ndjson::<i64>(input.path.as_str());
    source.open(source.splits(1).unwrap(), &context()).unwrap();
    let file = files::open_read_write(input.path.as_ref()).unwrap();
    files::set_len(&file, input.path.as_ref(), 700_000).unwrap();
    let (mut emitter, runtime) = (Emitter::<i64>::default(), context());
    let error = loop {
        let mut ctx = SourceContext {
            emitter: &mut emitter,
            services: &mut Services::default(),
            runtime: &runtime,
        };
        match source.produce(&mut ctx) {
            Ok(produced) => assert_ne!(produced, Produced::End),
            Err(error) => break error.to_string(),
        }
        emitter.take_all(&mut Vec::new());
    };
    let says = "it should go on to byte 1288890 and ends at byte 700000";
    assert!(error.ends_with(says), "{error}");
}

#[test]
fn delimiters_null_tokens_and_missing_headers_are_as_the_job_says() {
    let text = "n;text\n1;NA\n2;\n3;\"NA\"\n4;a,b\n";
    let input = Input::new("x.csv", text);
    let made = || csv::<(i64, Option<String>)>(input.path.as_str()).delimiter(';').null("NA");
    // As it comes back from the graph.
    let mut params = Params::new();
    made().to_params(&mut params).unwrap();
    let mut source = <CsvSource<(i64, Option<String>)>>::from_params(&params).unwrap();
    let splits = source.splits(3).unwrap();
    let found = run(&mut source, splits, None).unwrap().0;
    let ab = Some("a,b".to_owned());
    assert_eq!(found, [(1, None), (2, None), (3, None), (4, ab)]);

    let input = Input::new("x.csv", "NA\nb\n");
    let mut source = csv::<String>(input.path.as_str()).null("NA").no_header();
    let splits = source.splits(1).unwrap();
    assert_eq!(run(&mut source, splits, None).unwrap().0, ["NA", "b"], "no Option: as it stands");

    let input = Input::new("x.tsv", "1\ta\tmore\n2\tb\n3\n");
    let mut source = csv::<(i64, String)>(input.path.as_str()).delimiter('\t').no_header();
    let splits = source.splits(1).unwrap();
    let error = run(&mut source, splits, None).unwrap_err().to_string();
    let says = "x.tsv:3: expected 2 cells at least, one for each field, found 1";
    assert!(error.contains(says), "{error}");

    let error = csv::<i64>(input.path.as_str()).delimiter('§').check().unwrap_err().to_string();
    assert!(error.contains("one character of ASCII"), "{error}");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_left_out_of_a_folder_and_of_a_pattern() {
    let folder = tempfile::tempdir().unwrap();
    files::write_durable(&folder.path().join("a.txt"), b"1\n").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("b.txt")).unwrap();
    let path = folder.path().to_str().unwrap();
    for path in [path.to_owned(), format!("{path}/*.txt")] {
        let mut source = ndjson::<i64>(path.as_str());
        source.check().unwrap();
        let splits = source.splits(2).unwrap();
        assert_eq!(run(&mut source, splits, None).unwrap().0, [1], "{path}");
    }
}
