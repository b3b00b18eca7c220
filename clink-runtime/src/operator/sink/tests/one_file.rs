//! Drives sinks of one file per instance through barriers, failures and restores.

use super::*;

#[test]
fn what_came_after_the_checkpoint_is_cut_off() {
    let mut job = Job::<Lines>::new();
    job.start(1).unwrap();
    job.write(1);
    job.barrier();
    job.write(2);
    job.finish();
    assert_eq!(job.text("out"), "[1,\"s0\"]\n[2,\"s0\"]\n");
    for _ in 0..2 {
        job.restore(1).unwrap();
        assert_eq!(job.text("out"), "[1,\"s0\"]\n");
        job.write(3);
        job.sinks[0].flush().unwrap();
        assert_eq!(job.text("out"), "[1,\"s0\"]\n[3,\"s0\"]\n");
    }
    job.start(1).unwrap();
    assert_eq!(job.text("out"), "");
}

#[test]
fn csv_rows_stand_under_one_header() {
    let mut job = Job::<Rows>::new();
    job.start(1).unwrap();
    job.barrier();
    assert_eq!(job.text("out"), "0,1\n");
    job.restore(1).unwrap();
    job.write(1);
    job.barrier();
    job.write(2);
    job.finish();
    job.restore(1).unwrap();
    job.sinks[0].on_data((3, "a,\"b\"\nc".to_owned())).unwrap();
    job.finish();
    assert_eq!(job.text("out"), "0,1\n1,s0\n3,\"a,\"\"b\"\"\nc\"\n");
}

#[test]
fn files_outlive_their_writers_at_any_parallelism() {
    let mut job = Job::<Lines>::new();
    job.start(1).unwrap();
    job.write(1);
    for (number, parallelism) in [(2, 4), (3, 2), (4, 1), (5, 4)] {
        job.barrier();
        // Lost: it comes after the checkpoint.
        job.write(-1);
        job.finish();
        job.restore(parallelism).unwrap();
        job.write(number);
    }
    job.barrier();
    job.finish();
    assert_eq!(job.text("out"), "[1,\"s0\"]\n[4,\"s0\"]\n");
    assert_eq!(job.text("out.part-0"), "[2,\"s0\"]\n[3,\"s0\"]\n[5,\"s0\"]\n");
    assert_eq!(job.text("out.part-1"), "[2,\"s1\"]\n[3,\"s1\"]\n[5,\"s1\"]\n");
    assert_eq!(job.text("out.part-2"), "[2,\"s2\"]\n[5,\"s2\"]\n");
    assert_eq!(job.text("out.part-3"), "[2,\"s3\"]\n[5,\"s3\"]\n");
    let rows = job.saved.iter().map(|rows| rows.len()).collect::<Vec<_>>();
    assert_eq!(rows, [2, 1, 1, 1], "the first instance also looks after `out`");
}

#[test]
fn a_file_without_a_row_starts_empty() {
    let mut job = Job::<Lines>::new();
    job.start(4).unwrap();
    job.write(1);
    job.finish();
    job.restore(4).unwrap();
    assert_eq!(job.text("out.part-3"), "");
}

#[test]
fn a_fresh_start_leaves_no_file_of_an_earlier_run() {
    let others = [
        "out.1",
        "out.part-",
        "out.part-x",
        "out.part-01",
        "out.part-0.bak",
        "outer",
        "a.out.part-1",
    ];
    for (old, new) in [(4, 1), (1, 4), (4, 2), (4, 4), (12, 3)] {
        let mut job = Job::<Rows>::new();
        for other in others {
            files::write_durable(job.path(other).as_ref(), b"kept").unwrap();
        }
        files::create_dir_durable(job.path("out.part-77").as_ref()).unwrap();
        job.start(old).unwrap();
        job.write(1);
        job.barrier();
        job.finish();
        job.start(new).unwrap();
        job.write(2);
        job.finish();
        let mut found = job.names();
        found.retain(|name| !others.contains(&name.as_str()) && name != "out.part-77");
        let parts: Vec<String> = (0..new).map(|part| format!("out.part-{part}")).collect();
        let expected = if new == 1 { vec!["out".to_owned()] } else { parts };
        assert_eq!(found, expected, "from {old} to {new}");
        assert!(found.iter().all(|name| job.text(name).starts_with("0,1\n2,s")));
        assert!(others.iter().all(|name| job.text(name) == "kept"));
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_never_removed() {
    let mut job = Job::<Rows>::new();
    std::os::unix::fs::symlink("/dev/null", job.path("out")).unwrap();
    job.start(2).unwrap();
    assert_eq!(job.names(), ["out", "out.part-0", "out.part-1"]);
}

#[cfg(unix)]
#[test]
fn a_device_is_refused_before_anything_is_written() {
    let mut job = Job::<Rows>::new();
    std::os::unix::fs::symlink("/dev/null", job.path("out")).unwrap();
    let error = job.begin("out", 1, false).unwrap_err().to_string();
    assert!(
        error.contains("out: it is not a file; `print()` writes to standard output"),
        "{error}"
    );
}

/// Whoever writes to a file that a restore would cut or remove keeps all of it.
#[test]
fn a_restore_leaves_a_file_that_is_written_elsewhere_as_it_is() {
    for new in [1, 2] {
        let mut job = Job::<Lines>::new();
        job.start(1).unwrap();
        job.write(1);
        job.barrier();
        let place = job.path("out");
        files::write_durable(place.as_ref(), b"another job has written more than that").unwrap();
        let other = files::open_read_write(place.as_ref()).unwrap();
        assert!(files::lock_open(&other, place.as_ref()).unwrap());
        let error = job.begin("out", new, true).unwrap_err().to_string();
        assert!(error.contains("another sink or another process writes to it"), "{new}: {error}");
        assert_eq!(files::size(place.as_ref()).unwrap(), 38, "{new}");
    }
}

#[test]
fn a_file_that_lost_bytes_is_refused() {
    for (old, new, name) in [(1, 1, "out"), (2, 2, "out.part-1"), (2, 1, "out.part-1")] {
        let mut job = Job::<Lines>::new();
        job.start(old).unwrap();
        job.write(1);
        job.barrier();
        files::write_durable(job.path(name).as_ref(), b"[1").unwrap();
        let expected = format!("restore {name}: the checkpoint covers 9 bytes, found 2");
        assert_eq!(job.refusal("out", new), expected);
        files::remove_file(job.path(name).as_ref()).unwrap();
        let expected = format!("restore {name}: the checkpoint covers 9 bytes, found 0");
        assert_eq!(job.refusal("out", new), expected);
    }
}

#[test]
fn another_path_is_refused() {
    let mut job = Job::<Lines>::new();
    job.start(1).unwrap();
    job.barrier();
    let expected = "restore new: the checkpoint covers the output file out; give the sink the \
                    path it had, or start without the checkpoint (--restore none)";
    assert_eq!(job.refusal("new", 1), expected);
}

#[test]
fn a_missing_folder_is_named() {
    let mut job = Job::<Lines>::new();
    let error = job.begin("no/out", 1, false).unwrap_err().to_string();
    assert!(error.contains("no/out: the folder ") && error.contains("does not exist"), "{error}");
}

#[test]
fn lines_of_a_failed_job_stay_unwritten() {
    let mut job = Job::<Lines>::new();
    job.start(1).unwrap();
    job.write(1);
    job.sinks[0].close().unwrap();
    assert_eq!(job.text("out"), "");
}

#[test]
fn csv_refuses_what_has_no_cell() {
    fn refusal<T: Data>() -> String {
        let mut sink = csv_sink::<T>("never made.csv");
        sink.open(&context(0, 1, false)).unwrap_err().to_string()
    }
    let nested = "open never made.csv: the field `1` is a struct, which has no form in a CSV cell";
    assert_eq!(refusal::<(i64, (i64, i64))>(), nested);
    assert!(refusal::<Vec<u8>>().contains("`value` is a byte string"));
}

#[test]
fn names_and_uids_are_those_of_the_catalogue() {
    fn facts<S: OperatorFields>() -> (String, &'static str, bool) {
        (S::type_name(), S::DESCRIPTOR.uid, S::UID_IS_DEFAULT)
    }
    assert_eq!(facts::<Lines>(), ("ndjson_file_sink".to_owned(), "ndjson-sink", true));
    assert_eq!(facts::<Rows>(), ("csv_file_sink".to_owned(), "csv-sink", true));
    assert_eq!(facts::<Print<i64>>(), ("print".to_owned(), "", false));
    assert_eq!(facts::<Blackhole<i64>>(), ("blackhole".to_owned(), "", false));
    assert_eq!(Lines::DESCRIPTOR.slots[0].kind, "operator_list_union");
}

#[test]
fn a_text_is_one_line_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut sink: TextSink<String> = text_sink(path.to_str().unwrap());
    sink.open(&context(1, 2, false)).unwrap();
    for text in ["a", "", " \r", "\"ä\""] {
        sink.on_data(text.to_owned()).unwrap();
    }
    let error = sink.on_data("one\ntwo".to_owned()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a record is one line of the file, and this one has a line feed at byte 3: `one\\ntwo`"
    );
    sink.flush().unwrap();
    sink.close().unwrap();
    let text = files::read(&folder.path().join("out.part-1")).unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), "a\n\n \r\n\"ä\"\n");
}
