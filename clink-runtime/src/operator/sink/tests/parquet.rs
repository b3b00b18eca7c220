//! Drives the Parquet sink and reads its files back.

use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::super::ParquetSink;
use super::*;
use crate::data::from_record_batch;

type Rows = ParquetSink<(i64, String)>;

/// The records of each part that a reader sees, and how many row groups it has.
fn parts<T: Data>(folder: &Path) -> Vec<(Vec<T>, usize)> {
    let seen = names(folder).into_iter().filter(|name| !name.starts_with('.'));
    let read = |name: String| {
        let file = files::open(&folder.join(name)).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let groups = builder.metadata().num_row_groups();
        let batches = builder.build().unwrap().map(|batch| from_record_batch(&batch.unwrap()));
        (batches.flat_map(|batch| batch.unwrap()).collect(), groups)
    };
    seen.map(read).collect()
}

fn numbers(job: &Job<Rows>) -> Vec<Vec<i64>> {
    let parts = parts::<(i64, String)>(&job.folder.path().join("out"));
    let number =
        |(rows, _): (Vec<(i64, String)>, usize)| rows.into_iter().map(|row| row.0).collect();
    parts.into_iter().map(number).collect()
}

#[test]
fn a_part_is_finished_at_every_barrier_and_none_is_empty() {
    let mut job = Job::<Rows>::new();
    job.start(1).unwrap();
    job.barrier();
    job.write(1);
    job.write(2);
    job.barrier();
    job.barrier();
    job.write(3);
    job.finish();
    assert_eq!(numbers(&job), [vec![1, 2], vec![3]]);
    for _ in 0..2 {
        job.restore(1).unwrap();
        assert_eq!(numbers(&job), [vec![1, 2]]);
        job.write(4);
        job.fail();
    }
    job.restore(3).unwrap();
    job.write(5);
    job.finish();
    assert_eq!(numbers(&job), [vec![1, 2], vec![5], vec![5], vec![5]]);
}

#[test]
fn no_records_are_no_part() {
    let mut job = Job::<Rows>::new();
    job.start(2).unwrap();
    job.barrier();
    job.finish();
    assert_eq!(names(&job.folder.path().join("out")), [""; 0]);
}

/// A text of which nothing can be saved but two bits in eight.
fn noise(random: &mut fastrand::Rng) -> String {
    let mut bytes = [0; 2_000];
    random.fill(&mut bytes);
    bytes.iter().map(|byte| char::from(b'0' + (byte & 63))).collect()
}

/// 16,000 texts of 2,000 bytes are 24 MB on the disk: more than a part, which is more than a row
/// group.
#[test]
fn parts_and_row_groups_have_their_size() {
    let mut job = Job::<Rows>::with(&[("rotate_bytes", "18874368")]);
    job.start(1).unwrap();
    let mut random = fastrand::Rng::with_seed(1);
    for number in 0..16_000 {
        job.sinks[0].on_data((number, noise(&mut random))).unwrap();
    }
    job.finish();
    let folder = job.folder.path().join("out");
    let parts = parts::<(i64, String)>(&folder);
    let all: Vec<i64> = parts.iter().flat_map(|(rows, _)| rows.iter().map(|row| row.0)).collect();
    assert_eq!(all, (0..16_000).collect::<Vec<_>>());
    let groups: Vec<usize> = parts.iter().map(|(_, groups)| *groups).collect();
    assert_eq!(groups, [2, 1]);
    let first = job.bytes("out/part-0-00000000.parquet");
    assert!((18_874_368..25_000_000).contains(&first), "{first} bytes");
}

/// Columns of every kind come back as they went.
#[test]
fn values_come_back_as_they_went() {
    type Wide = (Option<i64>, f64, (u64, Option<String>), Vec<u8>);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let rows: Vec<Wide> = vec![
        (None, -0.0, (u64::MAX, None), Vec::new()),
        (Some(i64::MIN), f64::MAX, (0, Some(String::new())), vec![0, 255]),
        (Some(0), 0.1, (1, Some("ä".to_owned())), vec![1]),
    ];
    let mut sink: ParquetSink<Wide> = super::super::parquet_sink(path);
    sink.open(&context(0, 1, false)).unwrap();
    rows.iter().for_each(|row| sink.on_data(row.clone()).unwrap());
    sink.finish().unwrap();
    assert_eq!(parts::<Wide>(folder.path()), [(rows, 1)]);
}

/// A file is complete when it has its footer, and nothing writes one on the way out.
#[test]
fn a_job_that_fails_leaves_no_footer_i18() {
    let mut job = Job::<Rows>::new();
    job.start(1).unwrap();
    job.write(1);
    job.fail();
    assert_eq!(names(&job.folder.path().join("out")), [""; 0]);
}
