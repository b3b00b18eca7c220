//! Makes input files out of the committed one, and computes what the job must say of them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::program::root;

/// Flights and mean delay by carrier.
pub(crate) type Totals = BTreeMap<String, (u64, f64)>;

/// The committed input, unpacked.
pub(crate) static FLIGHTS: LazyLock<String> = LazyLock::new(|| {
    let packed = File::open(root().join("examples/data/flights-2013-01.csv.gz")).unwrap();
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text
});

/// The header and the first rows of the committed input.
pub(crate) fn first_rows(rows: usize) -> String {
    FLIGHTS.split_inclusive('\n').take(rows + 1).collect()
}

/// The committed input so many times, each time with other carriers.
pub(crate) fn repeated(times: usize) -> String {
    let mut reader = csv::Reader::from_reader(FLIGHTS.as_bytes());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = reader.headers().unwrap().clone();
    writer.write_record(&header).unwrap();
    let carrier = header.iter().position(|name| name == "carrier").unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    for turn in 0..times {
        for row in &rows {
            let cells = row.iter().enumerate().map(|(column, cell)| {
                if column == carrier { format!("{cell}-{turn}") } else { cell.to_owned() }
            });
            writer.write_record(cells).unwrap();
        }
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// What the job must end with, computed by other means: every flight that left counts once.
pub(crate) fn totals(text: &str) -> Totals {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |wanted: &str| header.iter().position(|name| name == wanted).unwrap();
    let (carrier, delay) = (column("carrier"), column("dep_delay"));
    let mut sums: BTreeMap<String, (u64, i64)> = BTreeMap::new();
    for row in reader.records().map(Result::unwrap) {
        if let Ok(minutes) = row[delay].parse::<i64>() {
            let (flights, sum) = sums.entry(row[carrier].to_owned()).or_default();
            (*flights, *sum) = (*flights + 1, *sum + minutes);
        } else {
            assert_eq!(&row[delay], "", "a delay is a whole number of minutes or missing");
        }
    }
    let mean = |(flights, sum): (u64, i64)| (flights, sum as f64 / flights as f64);
    sums.into_iter().map(|(carrier, sums)| (carrier, mean(sums))).collect()
}

/// Writes a plain file.
pub(crate) fn plain(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

/// Writes a gzip file.
pub(crate) fn packed(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    let mut encoder = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap();
    path
}
