//! Readers: each source beside its bare library, which makes the same values of the same file.
//!
//! Ours is a whole job of one subtask, from the source into a blackhole. The bare library is also
//! measured with as many values in memory at once as a batch of ours holds: an allocator gives out
//! again what has just been freed for less than anything else.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::io::{BufRead, BufReader, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use clink::prelude::*;
use clink_runtime::config::BATCH_RECORDS;
use clink_runtime::data::{schema, to_record_batch};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde::{Deserialize, Serialize};

use super::{Workload, run};

/// Records of a case where nothing else is said: 80 to 130 MB of text.
const RECORDS: u64 = 1_000_000;

/// Bytes that a bare library asks for at once: as many as ours.
const BUFFER_BYTES: usize = 256 << 10;

/// A row of every usual kind of field.
#[derive(Data, Clone, Serialize, Deserialize)]
pub(crate) struct Trip {
    id: u64,
    carrier: String,
    destination: String,
    delay: Option<i32>,
    distance: f64,
    at: i64,
}

fn trips(records: u64) -> impl Iterator<Item = Trip> {
    const CARRIERS: [&str; 3] = ["UA", "B6", "9E"];
    const PLACES: [&str; 6] =
        ["Oslo", "São Paulo", "New York, NY", "Saint-Denis", "the \"Old\" Port", "Tōkyō"];
    let any = |random: &mut fastrand::Rng, of: &[&'static str]| {
        *random.choice(of).expect("there are some")
    };
    let mut random = fastrand::Rng::with_seed(2);
    (0..records).map(move |index| Trip {
        id: random.u64(..) >> random.u32(..40),
        carrier: format!("{}{:03}", any(&mut random, &CARRIERS), random.u16(..1_000)),
        destination: any(&mut random, &PLACES).to_owned(),
        delay: (random.u8(..10) > 0).then(|| random.i32(-60..600)),
        distance: f64::from(random.u32(..50_000_000)) / 1_000.0,
        at: 1_700_000_000_000 + index as i64 * 37,
    })
}

/// What a reader makes, and a number that depends on all of it.
pub(crate) trait Item: Data {
    fn digest(&self) -> u64;
}

impl Item for Trip {
    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.id, &self.carrier, &self.destination, self.delay).hash(&mut hasher);
        (self.distance.to_bits(), self.at).hash(&mut hasher);
        hasher.finish()
    }
}

impl Item for String {
    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// A format, as clink reads it and as its library does.
trait Case {
    type Out: Item;
    const NAME: &'static str;
    const FILE: &'static str;

    fn write(file: File, records: u64);
    fn by_hand(path: &Path, take: impl FnMut(Self::Out));
    fn source<'p>(pipeline: &'p Pipeline, path: &str) -> DataStream<'p, Self::Out>;
}

/// A case with its file.
struct Reader<C> {
    path: PathBuf,
    records: u64,
    case: PhantomData<C>,
}

/// Measures one reader after the other.
pub(crate) fn each(folder: &Path, records: Option<u64>, report: impl Fn(&dyn Workload)) {
    let records = records.unwrap_or(RECORDS);
    report(&Reader::<Csv>::new(folder, records));
    report(&Reader::<CsvGzip>::new(folder, records));
    report(&Reader::<CsvZstd>::new(folder, records));
    report(&Reader::<Json>::new(folder, records));
    report(&Reader::<Text>::new(folder, records));
    report(&Reader::<Parquet>::new(folder, records));
}

impl<C: Case> Reader<C> {
    fn new(folder: &Path, records: u64) -> Self {
        let path = folder.join(C::FILE);
        C::write(File::create(&path).expect("a file can be made"), records);
        Self { path, records, case: PhantomData }
    }

    fn path(&self) -> &str {
        self.path.to_str().expect("a temporary path is text")
    }
}

impl<C: Case> Workload for Reader<C> {
    fn title(&self) -> String {
        let megabytes = std::fs::metadata(&self.path).map_or(0, |file| file.len() / 1_000_000);
        format!("Readers: {} rows, {megabytes} MB, {}", self.records, C::NAME)
    }

    fn records(&self) -> u64 {
        self.records
    }

    fn limit(&self) {
        C::by_hand(&self.path, |item| drop(black_box(item)));
    }

    fn limit_in_batches(&self) -> Option<Box<dyn Fn() + '_>> {
        Some(Box::new(|| {
            let mut batch = Vec::with_capacity(BATCH_RECORDS);
            C::by_hand(&self.path, |item| {
                batch.push(item);
                if batch.len() == BATCH_RECORDS {
                    black_box(&mut batch).clear();
                }
            });
        }))
    }

    fn ours(&self, parallelism: u32) {
        run(parallelism, |pipeline| {
            C::source(pipeline, self.path()).sink(blackhole());
            Ok(())
        });
    }

    fn check(&self, parallelism: u32) {
        let (mut count, mut expected) = (0, 0_u64);
        C::by_hand(&self.path, |item| {
            count += 1;
            expected = expected.wrapping_add(item.digest());
        });
        assert_eq!(count, self.records, "the bare library reads every record");
        let found = Arc::new(AtomicU64::new(0));
        let sum = Arc::clone(&found);
        run(parallelism, |pipeline| {
            let items = C::source(pipeline, self.path()).map(move |item| {
                sum.fetch_add(item.digest(), Ordering::Relaxed);
                item
            });
            items.sink(blackhole());
            Ok(())
        });
        assert_eq!(found.load(Ordering::Relaxed), expected, "{}", C::NAME);
    }
}

fn open(path: &Path) -> File {
    File::open(path).expect("the file is there")
}

fn write_csv(to: impl Write, records: u64) {
    let mut writer = csv::Writer::from_writer(to);
    for trip in trips(records) {
        writer.serialize(trip).expect("rows can be written");
    }
    writer.flush().expect("rows can be written");
}

fn read_csv(from: impl Read, mut take: impl FnMut(Trip)) {
    let mut reader = csv::ReaderBuilder::new().buffer_capacity(BUFFER_BYTES).from_reader(from);
    for trip in reader.deserialize() {
        take(trip.expect("a row is a trip"));
    }
}

struct Csv;

impl Case for Csv {
    type Out = Trip;
    const NAME: &'static str = "CSV: csv with serde";
    const FILE: &'static str = "trips.csv";

    fn write(file: File, records: u64) {
        write_csv(file, records);
    }

    fn by_hand(path: &Path, take: impl FnMut(Trip)) {
        read_csv(open(path), take);
    }

    fn source<'p>(pipeline: &'p Pipeline, path: &str) -> DataStream<'p, Trip> {
        pipeline.source(files::csv(path))
    }
}

struct CsvGzip;

impl Case for CsvGzip {
    type Out = Trip;
    const NAME: &'static str = "CSV in gzip: the same over flate2";
    const FILE: &'static str = "trips.csv.gz";

    fn write(file: File, records: u64) {
        let mut writer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        write_csv(&mut writer, records);
        writer.finish().expect("the last bytes can be written");
    }

    fn by_hand(path: &Path, take: impl FnMut(Trip)) {
        let file = BufReader::with_capacity(BUFFER_BYTES, open(path));
        read_csv(flate2::bufread::MultiGzDecoder::new(file), take);
    }

    fn source<'p>(pipeline: &'p Pipeline, path: &str) -> DataStream<'p, Trip> {
        pipeline.source(files::csv(path))
    }
}

struct CsvZstd;

impl Case for CsvZstd {
    type Out = Trip;
    const NAME: &'static str = "CSV in Zstandard: the same over zstd";
    const FILE: &'static str = "trips.csv.zst";

    fn write(file: File, records: u64) {
        let mut writer = zstd::Encoder::new(file, 3).expect("level 3 is known");
        write_csv(&mut writer, records);
        writer.finish().expect("the last bytes can be written");
    }

    fn by_hand(path: &Path, take: impl FnMut(Trip)) {
        let file = BufReader::with_capacity(BUFFER_BYTES, open(path));
        read_csv(zstd::Decoder::with_buffer(file).expect("a decoder can be made"), take);
    }

    fn source<'p>(pipeline: &'p Pipeline, path: &str) -> DataStream<'p, Trip> {
        pipeline.source(files::csv(path))
    }
}

struct Json;

impl Case for Json {
    type Out = Trip;
    const NAME: &'static str = "NDJSON: serde_json line by line over BufRead";
    const FILE: &'static str = "trips.ndjson";

    fn write(file: File, records: u64) {
        let mut writer = std::io::BufWriter::new(file);
        for trip in trips(records) {
            serde_json::to_writer(&mut writer, &trip).expect("lines can be written");
            writer.write_all(b"\n").expect("lines can be written");
        }
        writer.flush().expect("lines can be written");
    }

    fn by_hand(path: &Path, mut take: impl FnMut(Trip)) {
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, open(path));
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).expect("lines can be read") > 0 {
            take(serde_json::from_slice(&line).expect("a line is a trip"));
            line.clear();
        }
    }

    fn source<'p>(pipeline: &'p Pipeline, path: &str) -> DataStream<'p, Trip> {
        pipeline.source(files::ndjson(path))
    }
}

struct Text;

impl Case for Text {
    type Out = String;
    const NAME: &'static str = "text: BufRead::lines";
    const FILE: &'static str = "trips.txt";

    fn write(file: File, records: u64) {
        let mut writer = std::io::BufWriter::new(file);
        for trip in trips(records) {
            let Trip { id, carrier, destination, distance, at, .. } = trip;
            writeln!(writer, "{id} {carrier} to {destination}, {distance} km, at {at}")
                .expect("lines can be written");
        }
        writer.flush().expect("lines can be written");
    }

    fn by_hand(path: &Path, mut take: impl FnMut(String)) {
        for line in BufReader::with_capacity(BUFFER_BYTES, open(path)).lines() {
            take(line.expect("a line is text"));
        }
    }

    fn source<'p>(pipeline: &'p Pipeline, path: &str) -> DataStream<'p, String> {
        pipeline.source(files::text(path))
    }
}

struct Parquet;

impl Case for Parquet {
    type Out = Trip;
    const NAME: &'static str = "Parquet: ParquetRecordBatchReader and its columns";
    const FILE: &'static str = "trips.parquet";

    fn write(file: File, records: u64) {
        let zstd = Compression::ZSTD(ZstdLevel::default());
        let properties = WriterProperties::builder().set_compression(zstd).build();
        let mut writer = ArrowWriter::try_new(file, schema::<Trip>(), Some(properties))
            .expect("the columns have Parquet types");
        let trips: Vec<Trip> = trips(records).collect();
        for part in trips.chunks(8_192) {
            writer.write(&to_record_batch(part)).expect("columns can be written");
        }
        writer.close().expect("the footer can be written");
    }

    fn by_hand(path: &Path, mut take: impl FnMut(Trip)) {
        let builder = ParquetRecordBatchReaderBuilder::try_new(open(path));
        let reader = builder.and_then(|builder| builder.build()).expect("the file is Parquet");
        for batch in reader {
            trips_of(&batch.expect("a batch can be read"), &mut take);
        }
    }

    fn source<'p>(pipeline: &'p Pipeline, path: &str) -> DataStream<'p, Trip> {
        pipeline.source(files::parquet(path))
    }
}

fn trips_of(batch: &RecordBatch, take: &mut impl FnMut(Trip)) {
    let column = |name| batch.column_by_name(name).expect("the file has the columns of a trip");
    let id = column("id").as_primitive::<UInt64Type>();
    let carrier = column("carrier").as_string::<i32>();
    let destination = column("destination").as_string::<i32>();
    let delay = column("delay").as_primitive::<Int32Type>();
    let distance = column("distance").as_primitive::<Float64Type>();
    let at = column("at").as_primitive::<Int64Type>();
    for row in 0..batch.num_rows() {
        take(Trip {
            id: id.value(row),
            carrier: carrier.value(row).to_owned(),
            destination: destination.value(row).to_owned(),
            delay: delay.is_valid(row).then(|| delay.value(row)),
            distance: distance.value(row),
            at: at.value(row),
        });
    }
}
