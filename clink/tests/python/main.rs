//! Reads what Python's csv, json, gzip and pyarrow write, and lets them read what clink writes.
//!
//! Each value must be the same on both sides, to the bit. A program of its own: a child that is
//! being started holds the locks of its parent for a moment, and no other job may want one then.
//!
//! Python is `CLINK_PYTHON`, or `python3`; without pyarrow these tests say so and pass.
//!
//! Where clink differs on purpose:
//! - Python's json writes and reads the bare words `NaN`, `Infinity` and `-Infinity`, which are no
//!   JSON: clink refuses them, and has strings in their place.
//! - Python's csv tells `""` from an empty cell in one mode of its own only; to clink both are no
//!   text where the field is an `Option`.
//! - Python keeps microseconds, clink milliseconds; what is below them is cut towards the past.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that panics says where; it prepares files on a real disk"
)]

#[expect(dead_code, reason = "here it is Python that reads")]
#[path = "../jobs/forms.rs"]
mod forms;
#[path = "../jobs/rows.rs"]
mod rows;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use clink::files::Rotation;
use clink::prelude::*;
use clink::run::BadRecordPolicy;
use clink::{Job, RunOptions};
use clink_runtime::operator::OperatorFields;
use serde_json::{Value, json};

use forms::{COMPRESSIONS, Form, Format, write};
use rows::{Deep, Flat, Random, canonical, same};

/// Longest record in the cases of lines, in bytes.
const RECORD_BYTES_MAX: usize = 1_024;

/// Python with pyarrow; where there is none, says so past the test's own output.
fn python() -> Option<String> {
    let python = std::env::var("CLINK_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let told = match Command::new(&python).args(["-c", "import pyarrow"]).output() {
        Ok(output) if output.status.success() => return Some(python),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    let reason = told.lines().last().unwrap_or_default();
    let skipped = format!("skipped: `{python}` cannot import pyarrow: {reason}\n");
    std::io::stderr().write_all(skipped.as_bytes()).unwrap();
    None
}

/// Runs the script beside this file where local time is far from that of UTC.
fn run_script(python: &str, verb: &str, folder: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/formats.py");
    let mut command = Command::new(python);
    command.arg(script).arg(verb).arg(folder).env("TZ", "America/St_Johns");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{verb}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Lines of a file, in order.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut lines: Vec<_> = text.split_terminator('\n').map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Files that Python has written, each in a folder of the name of its case.
struct Inputs {
    folder: tempfile::TempDir,
    seen: BTreeSet<String>,
    wrong: String,
}

impl Inputs {
    fn check<T: Random, S: Source<Out = T> + OperatorFields>(
        &mut self,
        name: &str,
        source: impl Fn(String) -> S,
    ) {
        let canonical = |record: &T| record.canonical();
        self.check_with(name, &RunOptions::default(), source, canonical);
    }

    /// Reads a case by one, three and eight readers; wrong are all that find something else.
    fn check_with<T: Data, S: Source<Out = T> + OperatorFields>(
        &mut self,
        name: &str,
        options: &RunOptions,
        source: impl Fn(String) -> S,
        canonical: impl Fn(&T) -> Value,
    ) {
        self.seen.insert(name.to_owned());
        let expected = lines(&self.folder.path().join(format!("{name}.expected")));
        let path = self.folder.path().join(name);
        for readers in [1, 3, 8] {
            let mut collected = None;
            let job = Job::build_with("read", Some(readers), |pipeline| {
                collected =
                    Some(pipeline.source(source(path.to_str().unwrap().to_owned())).collect());
                Ok(())
            });
            let mut found = match job.unwrap().run(options) {
                Ok(_) => {
                    collected.unwrap().take().iter().map(|r| canonical(r).to_string()).collect()
                }
                Err(error) if expected == ["\"damaged\""] => {
                    assert!(error.to_string().contains("a.txt.gz"), "{error}");
                    expected.clone()
                }
                Err(error) => vec![format!("error: {error}")],
            };
            found.sort();
            if found != expected {
                let lost = expected.iter().find(|line| !found.contains(line));
                let more = found.iter().find(|line| !expected.contains(line));
                let (counts, wanted) = (found.len(), expected.len());
                writeln!(self.wrong, "{name}, {readers} readers: {counts} of {wanted} records")
                    .unwrap();
                writeln!(self.wrong, "  lost {lost:?}\n  new  {more:?}").unwrap();
            }
        }
    }
}

#[derive(Data, Clone, Debug)]
struct Cell {
    value: String,
}

/// Fields whose columns have other types in the file.
#[derive(Data, Clone, Debug)]
struct Sale {
    #[data(decimal)]
    amount: String,
    large: String,
    #[data(decimal)]
    small: Option<String>,
    day: String,
    whole: i64,
    count: u16,
    narrow: i32,
    ratio: f64,
    code: Vec<u8>,
    text: String,
    seen: Vec<u8>,
    none: Option<bool>,
}

impl Sale {
    fn canonical(&self) -> Value {
        let digits =
            |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        json!({
            "amount": self.amount, "large": self.large, "small": self.small, "day": self.day,
            "whole": self.whole, "count": self.count, "narrow": self.narrow,
            "ratio": format!("{:016x}", self.ratio.to_bits()), "code": digits(&self.code),
            "text": self.text, "seen": digits(&self.seen), "none": self.none,
        })
    }
}

const CSV: [&str; 9] = [
    "csv-crlf",
    "csv-lf",
    "csv-quoted",
    "csv-nonnumeric",
    "csv-bom",
    "csv-bom-quoted",
    "csv-bom-gzip",
    "csv-members",
    "csv-zstd",
];

const JSON: [&str; 9] = [
    "json-ascii",
    "json-wide",
    "json-crlf",
    "json-bom",
    "json-blank",
    "json-tight",
    "json-loose",
    "json-gzip",
    "json-unended",
];

const PARQUET: [&str; 12] = [
    "none",
    "snappy",
    "gzip",
    "zstd",
    "lz4",
    "checked",
    "small-pages",
    "us",
    "ns",
    "zone",
    "unmarked",
    "deltas",
];

const GZIP: [&str; 13] = [
    "two",
    "empty-first",
    "empty-between",
    "only-empty",
    "zeros-behind",
    "garbage-behind",
    "plain-behind",
    "no-trailer",
    "half-trailer",
    "torn",
    "torn-header",
    "wrong-checksum",
    "wrong-length",
];

const LINES: [&str; 8] = ["lf", "crlf", "bom", "bytes", "torn", "utf-16", "long", "endless"];

/// Row borders, marks, blank lines, numbers, members of gzip, long lines, bytes and instants.
#[test]
fn what_python_writes_is_read_i02_i03_i04_i05_i06_i09_i11_i12_i16() {
    let Some(python) = python() else { return };
    let mut inputs = Inputs {
        folder: tempfile::tempdir().unwrap(),
        seen: BTreeSet::new(),
        wrong: String::new(),
    };
    run_script(&python, "write", inputs.folder.path());
    CSV.iter().for_each(|name| inputs.check(name, files::csv::<Flat>));
    inputs.check("csv-folder", files::csv::<Flat>);
    inputs.check("csv-semicolon", |path| files::csv::<Flat>(path).delimiter(';'));
    inputs.check("csv-tab", |path| files::csv::<Flat>(path).delimiter('\t'));
    inputs.check("csv-null", |path| files::csv::<Flat>(path).null("NULL"));
    inputs.check("csv-headless", |path| files::csv::<Flat>(path).no_header());
    JSON.iter().for_each(|name| inputs.check(name, files::ndjson::<Deep>));
    for name in PARQUET {
        inputs.check(&format!("parquet-{name}"), files::parquet::<Deep>);
    }
    for name in ["parquet-local", "parquet-int96"] {
        inputs.check(name, |path| files::parquet::<Deep>(path).assume_utc());
    }
    inputs.check_with("sales", &RunOptions::default(), files::parquet::<Sale>, Sale::canonical);
    GZIP.iter().for_each(|name| inputs.check(&format!("gzip-{name}"), files::text));
    let skipping = RunOptions {
        bad_records: BadRecordPolicy::Skip,
        record_bytes_max: RECORD_BYTES_MAX,
        ..RunOptions::default()
    };
    for name in LINES {
        inputs.check_with(&format!("text-{name}"), &skipping, files::text, String::canonical);
    }
    inputs.check_with("text-long-json", &skipping, files::ndjson, String::canonical);
    let bits = |float: &f64| json!(format!("{:016x}", float.to_bits()));
    inputs.check_with("text-words-json", &skipping, files::ndjson, bits);
    for name in ["one-lf", "one-crlf", "three-lf", "three-crlf", "bytes"] {
        let cell = |cell: &Cell| json!(cell.value);
        inputs.check_with(&format!("cells-{name}"), &skipping, files::csv::<Cell>, cell);
    }
    assert!(inputs.wrong.is_empty(), "\n{}", inputs.wrong);
    let written = fs::read_dir(inputs.folder.path()).unwrap().map(|entry| entry.unwrap());
    let names = written.map(|entry| entry.file_name().into_string().unwrap());
    let names: BTreeSet<_> = names.filter(|name| !name.ends_with(".expected")).collect();
    assert_eq!(inputs.seen, names, "each case is read");
}

/// Writes records of a type in every form, and what Python should find.
fn write_all<T: Random>(kind: &str, out: &Path) {
    let mut random = fastrand::Rng::with_seed(9);
    for format in T::FORMATS {
        let parquet = *format == Format::Parquet;
        for compression in if parquet { &COMPRESSIONS[..1] } else { &COMPRESSIONS } {
            for rotation in [None, Some(Rotation::bytes(2_000))] {
                // Python does not keep which of the NaNs it is: there is one, as in JSON.
                let record = |_| T::random(&mut random).through(Format::Json).through(*format);
                let records: Vec<T> = (0..100).map(record).collect();
                let form = Form { format: *format, compression: *compression, rotation };
                let name = format!("{kind}-{form:?}").replace([' ', '{', '}', ':'], "");
                let expected: String = canonical(records.iter().cloned())
                    .into_iter()
                    .map(|line| line + "\n")
                    .collect();
                fs::write(out.join(format!("{name}.expected")), expected).unwrap();
                write(records, form, &out.join(name), 2);
            }
        }
    }
}

#[test]
fn what_clink_writes_python_reads_i05_i06_i09_i16() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    write_all::<Flat>("flat", folder.path());
    write_all::<Deep>("deep", folder.path());
    write_all::<String>("text", folder.path());
    run_script(&python, "read", folder.path());
    let mut checked = 0;
    for entry in fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "expected") {
            let found = lines(&path.with_extension("found"));
            same(&found, &lines(&path), &format!("{path:?}"));
            checked += 1;
        }
    }
    // A format of lines has three compressions, and each is in a file or in parts.
    assert_eq!(checked, 2 * ((3 + 3 + 1) + (3 + 1) + (3 + 3 + 3 + 1)));
}
