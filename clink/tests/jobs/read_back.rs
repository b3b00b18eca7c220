//! Reads what a job has written, whatever its format and compression.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clink::prelude::*;
use clink_runtime::data::from_record_batch;
use flate2::read::MultiGzDecoder;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// What jobs write whose output is read back.
#[derive(Data, Clone, Debug)]
pub(crate) struct Row {
    pub(crate) number: u64,
    pub(crate) text: Option<String>,
}

/// The numbers of all rows in the files that a reader of the folder sees, in order. Panics where a
/// file is not whole.
pub(crate) fn numbers(folder: &Path) -> Vec<u64> {
    let mut numbers = Vec::new();
    for name in visible(folder) {
        numbers.extend(in_file(&folder.join(&name), &name));
    }
    numbers.sort_unstable();
    numbers
}

/// The files that a reader of the folder sees, in order.
pub(crate) fn visible(folder: &Path) -> Vec<String> {
    let mut names = all(folder);
    names.retain(|name| !name.starts_with('.'));
    names
}

/// Every name in the folder, in order; none if it is not there.
pub(crate) fn all(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap);
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn in_file(path: &Path, name: &str) -> Vec<u64> {
    if name.contains(".parquet") {
        return in_parquet(path);
    }
    let bytes = std::fs::read(path).unwrap();
    let mut text = String::new();
    if name.contains(".gz") {
        MultiGzDecoder::new(&*bytes).read_to_string(&mut text).expect(name);
    } else if name.contains(".zst") {
        text = String::from_utf8(zstd::decode_all(&*bytes).expect(name)).unwrap();
    } else {
        text = String::from_utf8(bytes).unwrap();
    }
    assert!(text.is_empty() || text.ends_with('\n'), "{name} ends within a line");
    if name.contains(".ndjson") {
        return text.lines().map(in_json).collect();
    }
    let mut lines = text.lines();
    if name.contains(".csv") {
        assert_eq!(lines.next(), Some("number,text"), "{name}");
    }
    lines.map(|line| line.split(',').next().unwrap().parse().expect(line)).collect()
}

fn in_json(line: &str) -> u64 {
    let row: serde_json::Value = serde_json::from_str(line).expect(line);
    row["number"].as_u64().unwrap()
}

fn in_parquet(path: &Path) -> Vec<u64> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let batches = reader.build().unwrap().map(|batch| from_record_batch::<Row>(&batch.unwrap()));
    let rows: Vec<Row> = batches.flat_map(|batch| batch.unwrap()).collect();
    assert!(!rows.is_empty(), "{} is empty", path.display());
    rows.into_iter().map(|row| row.number).collect()
}
