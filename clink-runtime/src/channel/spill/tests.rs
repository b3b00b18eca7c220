//! Compares the queue with a list in memory, and breaks its file.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::path::Path;

use clink::Data as DeriveData;
use proptest::prelude::*;

use super::*;
use crate::error::{Domain, Retry};
use crate::sys::files::{self, FileError};
use crate::time::EventTime;

/// What generated code names, as this crate's own unit tests see it.
mod facade {
    pub(in crate::channel::spill::tests) mod __private {
        pub(in crate::channel::spill::tests) use crate::data::*;
        pub(in crate::channel::spill::tests) use ::{core, std};
        pub(in crate::channel::spill::tests) use arrow_array::ArrayRef;
        pub(in crate::channel::spill::tests) use arrow_schema::{DataType, Field};
        pub(in crate::channel::spill::tests) use serde::de::{
            Error as DeserializeError, MapAccess,
        };
        pub(in crate::channel::spill::tests) use serde::ser::SerializeStruct;
        pub(in crate::channel::spill::tests) use serde::{Deserializer, Serializer};
    }
}

/// A struct whose columns have the names of the queue's own.
#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Flight {
    value: String,
    time: Option<i64>,
    first: bool,
    gates: Option<(String, u16)>,
}

fn flight(n: u64) -> Flight {
    Flight {
        value: format!("flight {n}"),
        time: (!n.is_multiple_of(3)).then_some(n as i64),
        first: n.is_multiple_of(2),
        gates: n.is_multiple_of(4).then(|| ("g".repeat((n % 50) as usize), n as u16)),
    }
}

/// Mostly short, one in ten 2,000 bytes.
fn text(n: u64) -> String {
    "ü".repeat(if n.is_multiple_of(10) { 1_000 } else { (n % 7) as usize })
}

fn time(n: u64) -> Option<EventTime> {
    (!n.is_multiple_of(5)).then(|| EventTime::from_millis(n as i64 - 50))
}

fn numbers(range: std::ops::Range<u64>) -> Batch<u64> {
    range.map(|n| (n, None)).collect()
}

fn records<T: Clone>(batch: &Batch<T>) -> Vec<(T, Option<EventTime>)> {
    batch.iter().map(|(value, time)| (value.clone(), time)).collect()
}

fn queue<T: Data>(memory_bytes: usize, folder: &Path) -> SpillQueue<T> {
    SpillQueue::new(memory_bytes, Some(folder.to_owned()))
}

fn drain<T: Data>(queue: &mut SpillQueue<T>) -> Vec<T> {
    let mut values = Vec::new();
    while let Some(mut batch) = queue.pop().unwrap() {
        values.extend(batch.drain().map(|(value, _)| value));
    }
    assert_eq!((queue.len(), queue.spilled_bytes(), queue.memory_bytes()), (0, 0, 0));
    values
}

/// Bytes that the queue's file takes on the disk.
fn file_bytes<T: Data>(queue: &SpillQueue<T>) -> u64 {
    queue.file.as_ref().map_or(0, |file| file.file.metadata().unwrap().len())
}

#[derive(Clone, Debug)]
enum Step {
    /// Batches of up to so many records, with times or without.
    Push(u64, bool),
    Pop(usize),
    Snapshot,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0u64..40, any::<bool>()).prop_map(|(records, timed)| Step::Push(records, timed)),
        4 => (1usize..6).prop_map(Step::Pop),
        1 => Just(Step::Snapshot),
    ];
    prop::collection::vec(step, 0..80)
}

fn limits() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0), Just(1), 2usize..2_000, 2_000usize..60_000, Just(usize::MAX)]
}

/// Does the steps to a queue and to a list.
fn same_as_a_list<T: Data + Debug + PartialEq>(
    memory_bytes: usize,
    steps: &[Step],
    value: impl Fn(u64) -> T,
) {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = queue(memory_bytes, folder.path());
    let mut list = VecDeque::new();
    let mut next = 0..u64::MAX;
    for step in steps {
        match step {
            Step::Push(count, timed) => {
                let numbers = next.by_ref().take(*count as usize);
                let batch: Batch<T> =
                    numbers.map(|n| (value(n), time(n).filter(|_| *timed))).collect();
                if !batch.is_empty() {
                    list.push_back(batch.clone());
                }
                queue.push(batch).unwrap();
            }
            Step::Pop(count) => (0..*count).for_each(|_| {
                let (found, expected) = (queue.pop().unwrap(), list.pop_front());
                assert_eq!(found.as_ref().map(records), expected.as_ref().map(records));
                let timed = |batch: &Batch<T>| batch.has_times();
                assert_eq!(found.as_ref().map(timed), expected.as_ref().map(timed));
            }),
            Step::Snapshot => {
                let found = queue.batches().map(|batch| records(batch.unwrap().as_ref()));
                let found: Vec<_> = found.collect();
                assert_eq!(found, list.iter().map(records).collect::<Vec<_>>());
            }
        }
        assert_eq!(queue.len(), list.iter().map(Batch::len).sum::<usize>());
        assert_eq!(queue.is_empty(), list.is_empty());
        assert!(queue.memory_bytes() <= memory_bytes, "{}", queue.memory_bytes());
        assert!(queue.spilled_bytes() <= file_bytes(&queue));
        assert!(queue.spilled_bytes() > 0 || file_bytes(&queue) == 0);
    }
    let rest = list.iter().flat_map(|batch| batch.values().iter().cloned());
    assert_eq!(drain(&mut queue), rest.collect::<Vec<_>>());
    assert_eq!(file_bytes(&queue), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_order_of_pushes_and_pops_gives_what_a_list_gives(
        limit in limits(),
        steps in steps(),
    ) {
        same_as_a_list(limit, &steps, |n| n);
        same_as_a_list(limit, &steps, text);
        same_as_a_list(limit, &steps, flight);
        same_as_a_list(limit, &steps, |n| n.is_multiple_of(3).then(|| text(n)));
    }
}

#[test]
fn a_million_numbers_come_back_in_order_from_one_mebibyte() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = queue(1024 * 1024, folder.path());
    for start in (0..1_000_000).step_by(250) {
        queue.push(numbers(start..start + 250)).unwrap();
        assert!(queue.memory_bytes() <= 1024 * 1024);
    }
    assert_eq!(queue.len(), 1_000_000);
    // Nearly all of it is on the disk, and without times it takes little more than the numbers.
    assert!((6_000_000..8_500_000).contains(&queue.spilled_bytes()), "{}", queue.spilled_bytes());
    assert!(drain(&mut queue).into_iter().eq(0..1_000_000));
}

#[test]
fn what_fits_into_memory_never_touches_the_disk() {
    let mut queue = queue(crate::config::EXCHANGE_MEMORY_BYTES, Path::new("/nowhere"));
    for round in 0..100 {
        queue.push((0..100).map(|n| (text(round * n), None)).collect()).unwrap();
        queue.pop().unwrap().unwrap();
        queue.push(numbers(0..100).drain().map(|(n, time)| (text(n), time)).collect()).unwrap();
        if round >= 20 {
            queue.pop().unwrap().unwrap();
        }
    }
    assert_eq!((queue.len(), queue.spilled_bytes()), (2_000, 0));
}

#[test]
fn the_measure_keeps_up_with_texts_of_any_length() {
    let folder = tempfile::tempdir().unwrap();
    let (limit, mut measured_most) = (1_000_000, 0);
    let mut queue: SpillQueue<String> = queue(limit, folder.path());
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..2_000 {
        // Long runs of short texts, then long ones: an average of either tells nothing of the rest.
        let most = [10, 100, 100_000][round / 100 % 3];
        let texts = (0..random.usize(1..20)).map(|_| ("x".repeat(random.usize(..most)), None));
        let mut batch = Batch::with_capacity(256);
        texts.for_each(|(text, time)| batch.push(text, time));
        queue.push(batch).unwrap();
        let in_memory = queue.front.iter().chain(queue.back.iter());
        let real: usize = in_memory
            .map(|batch| {
                let texts = batch.values().iter().map(String::capacity).sum::<usize>();
                batch.own_bytes() + texts
            })
            .sum();
        assert_eq!(queue.memory_bytes(), real);
        assert!(real <= limit);
        measured_most = measured_most.max(real);
        if round % 3 == 0 {
            queue.pop().unwrap().unwrap();
        }
    }
    assert!(measured_most > limit / 2);
}

#[test]
fn the_measure_of_a_struct_is_within_a_fifth_of_what_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = queue(usize::MAX, folder.path());
    queue.push((0..1_000).map(|n| (flight(n), time(n))).collect()).unwrap();
    let owned = |flight: &Flight| {
        let gates = flight.gates.as_ref().map_or(0, |(gate, _)| gate.capacity());
        size_of::<Flight>() + size_of::<i64>() + flight.value.capacity() + gates
    };
    let real: usize = (0..1_000).map(|n| owned(&flight(n))).sum();
    let measured = queue.memory_bytes();
    assert!(measured * 4 / 5 <= real && real <= measured * 6 / 5, "{measured} {real}");
}

#[test]
fn a_loop_that_never_runs_empty_takes_bounded_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = queue(10_000, folder.path());
    let (mut next, mut most, mut largest) = (0, 0, 0);
    for round in 0..4_000 {
        let batch = (next..next + 20).map(|n| (text(n * 7 + round), time(n)));
        queue.push(batch.collect()).unwrap();
        next += 20;
        if round >= 200 {
            assert_eq!(queue.pop().unwrap().unwrap().len(), 20);
            assert!(queue.spilled_bytes() > 0);
        }
        (most, largest) = (most.max(queue.spilled_bytes()), largest.max(file_bytes(&queue)));
    }
    assert!(largest <= most * 3 / 2, "{largest} of {most}");
}

#[test]
fn the_disk_is_given_back_when_nothing_is_spilled() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = queue(2_000, folder.path());
    for _ in 0..3 {
        (0..100).for_each(|n| queue.push(numbers(n * 10..n * 10 + 10)).unwrap());
        assert!(queue.spilled_bytes() > 1_000 && file_bytes(&queue) >= queue.spilled_bytes());
        while queue.spilled_bytes() > 0 {
            queue.pop().unwrap().unwrap();
        }
        assert_eq!(file_bytes(&queue), 0);
        assert!(!queue.is_empty());
        drain(&mut queue);
    }
}

#[test]
fn the_file_has_no_name_that_could_outlive_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = queue(0, folder.path());
    queue.push(numbers(0..10)).unwrap();
    assert!(queue.spilled_bytes() > 0);
    assert_eq!(files::list_folder(folder.path()).unwrap(), []);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = queue.file.as_ref().unwrap().file.metadata().unwrap();
        assert_eq!((metadata.nlink(), metadata.mode() & 0o777), (0, 0o600));
    }
}

#[test]
fn a_folder_that_is_missing_costs_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let mut queue = queue(1_000, &missing);
    let pushed: Vec<_> = (0..20).map(|n| queue.push(numbers(n * 10..n * 10 + 10))).collect();
    let error = pushed.into_iter().find_map(Result::err).unwrap();
    assert_eq!(
        error.to_string(),
        format!(
            "create a temporary file in {}: no such file or directory; what a queue holds beyond \
             1000 bytes of memory is kept there: mend that, or choose another folder",
            missing.display()
        )
    );
    assert_eq!((error.domain(), error.retry()), (Domain::External, Retry::Backoff));
    assert_eq!((queue.len(), queue.spilled_bytes()), (200, 0));
    assert_eq!(queue.batches().map(|batch| batch.unwrap().len()).sum::<usize>(), 200);
    // Some come out of memory, and once the folder is there, the rest goes to the disk.
    assert_eq!(queue.pop().unwrap().unwrap().values(), Vec::from_iter(0..10));
    files::create_dir(&missing).unwrap();
    queue.push(numbers(200..210)).unwrap();
    assert!(queue.spilled_bytes() > 0 && queue.memory_bytes() <= 1_000);
    assert!(drain(&mut queue).into_iter().eq(10..210));
}

#[test]
fn the_folder_of_the_system_is_named_by_a_variable() {
    let place = Place::new(None, 7);
    assert_eq!(place.folder, files::temporary_folder());
    let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
    let error = place.refused("write to", FileError::new("write", Path::new("/x"), full));
    let text = error.to_string();
    let end = format!("or name another folder with {}", files::TEMPORARY_FOLDER_VARIABLE);
    assert!(text.starts_with("write to /x: no storage space; ") && text.ends_with(&end), "{text}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_costs_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = queue(0, folder.path());
    queue.push(numbers(0..10)).unwrap();
    let spilled = queue.spilled_bytes();
    let full = files::open_read_write(Path::new("/dev/full")).unwrap();
    let file = std::mem::replace(&mut queue.file.as_mut().unwrap().file, full);
    let error = queue.push(numbers(10..20)).unwrap_err().to_string();
    let start = format!(
        "write to a temporary file in {}: no space left on device; what a queue holds beyond 0 \
         bytes",
        folder.path().display()
    );
    assert!(error.starts_with(&start), "{error}");
    assert!(queue.push(numbers(20..30)).is_err());
    assert_eq!((queue.len(), queue.spilled_bytes()), (30, spilled));
    queue.file.as_mut().unwrap().file = file;
    assert_eq!(queue.pop().unwrap().unwrap().values(), Vec::from_iter(0..10));
    queue.push(numbers(30..40)).unwrap();
    assert!(drain(&mut queue).into_iter().eq(10..40));
}

#[test]
fn a_file_that_was_cut_or_changed_is_an_error_and_never_other_records() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = queue(0, folder.path());
    queue.push(numbers(0..10)).unwrap();
    let written = queue.spilled_bytes();
    queue.push(numbers(10..20)).unwrap();
    let file = &mut queue.file.as_mut().unwrap().file;
    let (path, mut whole) = (folder.path(), vec![0; 2 * written as usize]);
    files::read_at(file, path, 0, &mut whole).unwrap();

    files::set_len(file, path, written - 1).unwrap();
    let error = queue.pop().unwrap_err();
    let start = format!(
        "the temporary file in {} is damaged: length is less, expected at least {written} bytes; \
         the records in it are lost, so start again, and choose another folder",
        path.display()
    );
    assert_eq!(error.to_string(), start);
    assert_eq!((error.domain(), error.retry()), (Domain::External, Retry::Restart));

    for byte in 0..whole.len() {
        let file = &mut queue.file.as_mut().unwrap().file;
        files::write_at(file, path, 0, &whole).unwrap();
        files::write_at(file, path, byte as u64, &[!whole[byte]]).unwrap();
        let errors: Vec<_> = queue.batches().filter_map(Result::err).collect();
        let [error] = errors.as_slice() else { panic!("{errors:?}") };
        assert!(error.to_string().contains("is damaged: crc32 is "), "{error}");
        assert_eq!(queue.pop().is_err(), byte < written as usize);
        if byte as u64 == written {
            break;
        }
    }
}

#[test]
fn rows_are_divided_where_a_column_would_be_too_long() {
    let batches = [
        Batch::from_iter([("a".repeat(60), None), ("b".repeat(50), time(3)), ("c".into(), None)]),
        Batch::from_iter([("d".repeat(100), None)]),
        Batch::from_iter([(String::new(), None), ("e".repeat(100), None)]),
    ];
    let bytes = encode(batches.iter(), 100).unwrap();
    let found = decode::<String>(bytes.clone()).unwrap();
    assert_eq!(found.iter().map(records).collect::<Vec<_>>(), batches.each_ref().map(records));
    let mut rows = Vec::new();
    let mut bytes = arrow_buffer::Buffer::from_vec(bytes);
    let mut decoder = arrow_ipc::reader::StreamDecoder::new();
    while let Some(batch) = decoder.decode(&mut bytes).unwrap() {
        rows.push(batch.num_rows());
    }
    assert_eq!(rows, [1, 2, 2, 1]);

    let error = encode(batches.iter(), 99).unwrap_err();
    assert_eq!(
        error.to_string(),
        "put a record into a temporary file: a value of type string owns 100 bytes, a column \
         holds at most 99; emit smaller values"
    );
    assert_eq!((error.domain(), error.retry()), (Domain::Author, Retry::Never));
}
