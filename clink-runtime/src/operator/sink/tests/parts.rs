//! Drives sinks of parts through rotations, failures and restores at any parallelism.

use super::super::PartsSink;
use super::super::csv::CsvRows;
use super::super::lines;
use super::super::ndjson::Json;
use super::*;

type LineParts = PartsSink<lines::Lines<Json<(i64, String)>>>;
type RowParts = PartsSink<CsvRows<(i64, String)>>;

const EACH: &[(&str, &str)] = &[("rotate_bytes", "1")];

impl<S: Sink<In = (i64, String)> + OperatorFields> Job<S> {
    /// What is in each part that a reader sees, by its name without `part-`.
    fn parts(&self) -> Vec<(String, String)> {
        let folder = self.folder.path().join("out");
        let seen = names(&folder).into_iter().filter(|name| !name.starts_with('.'));
        seen.map(|name| {
            let text = decoded(&folder.join(&name));
            (name.strip_prefix("part-").unwrap().to_owned(), text)
        })
        .collect()
    }

    fn hidden(&self) -> Vec<String> {
        let all = names(&self.folder.path().join("out"));
        all.into_iter().filter(|name| name.starts_with('.')).collect()
    }

    /// Every line in any part that a reader sees, in order.
    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for (_, text) in self.parts() {
            lines.extend(text.lines().map(str::to_owned));
        }
        lines.sort();
        lines
    }
}

fn part(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

#[test]
fn a_part_is_finished_with_the_record_that_fills_it() {
    let mut job = Job::<LineParts>::with(&[("rotate_bytes", "20")]);
    job.start(1).unwrap();
    for number in 1..=5 {
        job.write(number);
        // Readers see whole parts only, however often the input runs dry.
        job.sinks[0].flush().unwrap();
        assert_eq!(job.parts().len(), usize::from(number > 2));
    }
    let hidden = job.hidden();
    job.finish();
    assert_eq!(
        job.parts(),
        [
            part("0-00000000.ndjson", "[1,\"s0\"]\n[2,\"s0\"]\n[3,\"s0\"]\n"),
            part("0-00000001.ndjson", "[4,\"s0\"]\n[5,\"s0\"]\n"),
        ]
    );
    assert_eq!((hidden.len(), job.hidden().len()), (1, 0));
}

#[test]
fn csv_parts_have_a_header_each_and_are_filled_to_the_record() {
    let mut job = Job::<RowParts>::with(&[("rotate_bytes", "13")]);
    job.start(1).unwrap();
    (1..=5).for_each(|number| job.write(number));
    job.finish();
    let texts: Vec<String> = job.parts().into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["0,1\n1,s0\n2,s0\n", "0,1\n3,s0\n4,s0\n", "0,1\n5,s0\n"]);
}

#[test]
fn parts_are_compressed_and_named_so() {
    for (compression, suffix) in [("gzip", "gz"), ("zstd", "zst")] {
        let mut job = Job::<RowParts>::with(&[("compression", compression)]);
        job.start(2).unwrap();
        for number in 1..=2 {
            job.write(number);
            job.barrier();
        }
        job.write(-1);
        job.fail();
        job.restore(2).unwrap();
        job.write(3);
        job.finish();
        let expected = [0, 1].map(|index| {
            let name = format!("{index}-00000000.csv.{suffix}");
            (name, format!("0,1\n1,s{index}\n2,s{index}\n3,s{index}\n"))
        });
        assert_eq!(job.parts(), expected);
    }
}

#[test]
fn a_part_is_finished_when_its_first_record_is_so_old() {
    let mut job = Job::<LineParts>::with(&[("rotate_every_ms", "1000")]);
    job.start(1).unwrap();
    job.wait(5_000);
    job.sinks[0].flush().unwrap();
    job.write(1);
    job.wait(999);
    job.write(2);
    job.sinks[0].flush().unwrap();
    assert_eq!(job.parts(), []);
    job.wait(1);
    job.sinks[0].flush().unwrap();
    let first = part("0-00000000.ndjson", "[1,\"s0\"]\n[2,\"s0\"]\n");
    assert_eq!(job.parts(), std::slice::from_ref(&first));
    job.write(3);
    job.wait(1_000);
    job.barrier();
    assert_eq!(job.parts(), [first, part("0-00000001.ndjson", "[3,\"s0\"]\n")]);
    job.wait(1_000);
    job.barrier();
    job.finish();
    assert_eq!(job.parts().len(), 2, "no part without records");
}

#[test]
fn a_restore_removes_parts_and_cuts_the_open_one() {
    let mut job = Job::<LineParts>::with(&[("rotate_bytes", "20")]);
    job.start(1).unwrap();
    (1..=4).for_each(|number| job.write(number));
    job.barrier();
    // The part of 4 is finished after the checkpoint, another one as well, a third is open.
    for finishes in [true, false, true] {
        (-8..-1).for_each(|number| job.write(number));
        assert_eq!(job.parts().len(), 4);
        if finishes {
            job.finish()
        } else {
            job.fail()
        }
        job.restore(1).unwrap();
        assert_eq!(job.lines(), ["[1,\"s0\"]", "[2,\"s0\"]", "[3,\"s0\"]"]);
    }
    job.write(5);
    job.finish();
    let last = job.parts().pop().unwrap();
    assert_eq!(last, part("0-00000001.ndjson", "[4,\"s0\"]\n[5,\"s0\"]\n"));
    assert_eq!(job.hidden(), [""; 0]);
}

#[test]
fn parts_outlive_their_writers_at_any_parallelism() {
    for rotation in [&[][..], EACH, &[("rotate_bytes", "20")]] {
        let mut job = Job::<LineParts>::with(rotation);
        job.start(3).unwrap();
        let mut expected = Vec::new();
        for (number, parallelism) in [(1, 3), (2, 1), (3, 5), (4, 2), (5, 2), (6, 4), (7, 1)] {
            for _ in 0..2 {
                // The second attempt finds what the first one has left.
                job.restore(parallelism).unwrap();
                job.write(-number);
                job.write(-number);
                job.fail();
            }
            job.restore(parallelism).unwrap();
            job.write(number);
            expected.extend((0..parallelism).map(|index| format!("[{number},\"s{index}\"]")));
            job.barrier();
            job.write(-number);
            if number % 2 == 0 { job.finish() } else { job.fail() }
        }
        job.restore(2).unwrap();
        job.finish();
        assert_eq!(job.lines(), expected, "{rotation:?}");
        assert_eq!(job.hidden(), [""; 0]);
    }
}

#[test]
fn parts_that_are_covered_may_be_taken_away() {
    let mut job = Job::<LineParts>::with(EACH);
    job.start(1).unwrap();
    (1..=3).for_each(|number| job.write(number));
    job.barrier();
    for number in 0..3 {
        let taken = job.path(&format!("out/part-0-{number:08}.ndjson"));
        files::remove_file(taken.as_ref()).unwrap();
    }
    job.restore(1).unwrap();
    job.write(4);
    job.finish();
    assert_eq!(job.parts(), [part("0-00000003.ndjson", "[4,\"s0\"]\n")]);
}

/// Goal: whatever stands at the place of a part that the checkpoint covers, each attempt says the
/// same and changes nothing, and the first that finds all of it goes on.
#[test]
fn a_restore_changes_nothing_before_it_finds_everything_i25() {
    for (old, new) in [(1, 1), (2, 1), (1, 3)] {
        let mut job = Job::<LineParts>::with(&[("rotate_bytes", "20")]);
        job.start(old).unwrap();
        job.write(1);
        job.barrier();
        (2..6).for_each(|number| job.write(number));
        job.fail();
        let name = format!("out/part-{}-00000000.ndjson", old - 1);
        let whole = files::read(job.path(&name).as_ref()).unwrap();
        let shown = |job: &Job<LineParts>| (job.parts(), job.hidden().len());

        files::write_durable(job.path(&name).as_ref(), b"[1").unwrap();
        let before = shown(&job);
        for _ in 0..2 {
            // Whoever else has more than one part to look after has looked before it changes any.
            let refusal = job.refusal("out", new);
            let expected = format!("restore {name}: the checkpoint covers 9 bytes, found 2");
            assert_eq!((refusal, shown(&job)), (expected, before.clone()));
        }
        files::remove_file(job.path(&name).as_ref()).unwrap();
        let expected = format!("restore {name}: the checkpoint covers 9 bytes, found 0");
        assert_eq!(job.refusal("out", new), expected);

        files::write_durable(job.path(&name).as_ref(), &whole).unwrap();
        let other = files::open_read_write(job.path(&name).as_ref()).unwrap();
        assert!(files::lock_open(&other, name.as_ref()).unwrap());
        let error = job.begin("out", new, true).unwrap_err().to_string();
        assert!(error.contains("another sink or another process writes to it"), "{error}");
        drop(other);

        let mut longer = whole;
        longer.extend_from_slice(b"[7,\"x\"]\n[8");
        files::write_durable(job.path(&name).as_ref(), &longer).unwrap();
        for _ in 0..2 {
            job.restore(new).unwrap();
            job.fail();
        }
        job.restore(new).unwrap();
        job.finish();
        let expected: Vec<String> = (0..old).map(|index| format!("[1,\"s{index}\"]")).collect();
        assert_eq!(job.lines(), expected, "from {old} to {new}");
    }
}

#[test]
fn a_folder_in_use_keeps_all_its_parts() {
    for (first, second) in [(1, 1), (4, 1), (1, 4), (2, 3)] {
        let mut job = Job::<LineParts>::with(EACH);
        job.start(first).unwrap();
        job.write(1);
        let running = std::mem::take(&mut job.sinks);
        let error = job.start(second).unwrap_err().to_string();
        assert!(error.contains("another sink or another process writes to it"), "{error}");
        assert_eq!(job.parts().len(), first as usize, "{first} and {second}");
        drop(running);
        job.start(second).unwrap();
        assert_eq!(job.parts(), []);
    }
}

#[test]
fn a_fresh_start_removes_parts_and_nothing_else() {
    let others = [
        "part-0-0.ndjson",
        "part-0-00000000.csv",
        "part-0-00000000.ndjson.bak",
        "part-00-00000000.ndjson",
        "part--00000000.ndjson",
        "part-0-000000000.ndjson",
        "apart-0-00000000.ndjson",
        "..part-0-00000000.ndjson",
        "notes.txt",
    ];
    let own = [
        "part-0-00000007.ndjson",
        "part-9-00000000.ndjson",
        "part-1-12345678901.ndjson",
        "part-3-00000001.ndjson.gz",
        "part-3-00000001.ndjson.zst",
        ".part-8-00000003.ndjson",
    ];
    let mut job = Job::<LineParts>::with(EACH);
    files::create_dir_durable(job.path("out/part-2-00000002.ndjson").as_ref()).unwrap();
    for name in others.iter().chain(&own) {
        let path = job.path(&format!("out/{name}"));
        files::write_durable(path.as_ref(), b"earlier").unwrap();
    }
    job.start(2).unwrap();
    job.finish();
    let mut expected: Vec<&str> = others.to_vec();
    expected.push("part-2-00000002.ndjson");
    expected.sort_unstable();
    assert_eq!(names(&job.folder.path().join("out")), expected);
}

#[test]
fn a_folder_is_created_and_a_file_is_refused() {
    let mut job = Job::<LineParts>::with(EACH);
    job.begin("a/b/", 1, false).unwrap();
    job.write(1);
    job.finish();
    assert_eq!(names(&job.folder.path().join("a/b")), ["part-0-00000000.ndjson"]);
    files::write_durable(job.path("file").as_ref(), b"kept").unwrap();
    let error = job.begin("file", 1, false).unwrap_err().to_string();
    let expected = "it is no folder, and the sink writes parts into one; give it another path";
    assert!(error.contains("file: ") && error.contains(expected), "{error}");
    assert_eq!(job.text("file"), "kept");
}

#[test]
fn a_checkpoint_of_other_parts_is_refused() {
    let mut job = Job::<LineParts>::with(EACH);
    job.start(1).unwrap();
    job.barrier();
    job.fail();
    let expected = "restore new: the checkpoint covers the part out/part-0-00000000.ndjson; give \
                    the sink the folder, the format and the compression it had, or start without \
                    the checkpoint (--restore none)";
    assert_eq!(job.refusal("new", 1), expected);
    job.params.insert("compression".to_owned(), "gzip".to_owned());
    assert!(job.refusal("out", 1).contains("restore out: the checkpoint covers the part out/part"));

    let mut file = Job::<Lines>::new();
    file.start(1).unwrap();
    file.barrier();
    file.fail();
    job.params.remove("compression");
    job.saved = std::mem::take(&mut file.saved);
    assert!(job.refusal("out", 1).contains("the checkpoint covers the part "));
}

/// Nobody sees a part that is not finished; what no checkpoint covers does not even stay hidden.
#[test]
fn a_job_that_fails_shows_finished_parts_only_i18() {
    let mut job = Job::<LineParts>::with(&[("rotate_bytes", "20")]);
    job.start(1).unwrap();
    (1..=4).for_each(|number| job.write(number));
    job.fail();
    let finished = part("0-00000000.ndjson", "[1,\"s0\"]\n[2,\"s0\"]\n[3,\"s0\"]\n");
    assert_eq!(job.parts(), std::slice::from_ref(&finished));
    assert_eq!(job.hidden(), [""; 0]);

    job.start(1).unwrap();
    (1..=4).for_each(|number| job.write(number));
    job.barrier();
    job.fail();
    assert_eq!(job.parts(), [finished]);
    assert_eq!(job.hidden(), [".part-0-00000000.ndjson".replace("000.", "001.")]);
}

#[test]
fn what_a_sink_is_made_of_travels_as_text() {
    use super::super::{Compression, Rotation, ndjson_sink};
    let rotation = Rotation::every(Duration::from_secs(60)).or_bytes(1 << 20);
    let sink: LineParts =
        ndjson_sink::<(i64, String)>("out").rotate(rotation).compress(Compression::Zstd);
    let mut params = Params::new();
    sink.to_params(&mut params).unwrap();
    let written: Vec<(&str, &str)> = params.iter().map(|(k, v)| (&**k, &**v)).collect();
    let expected = [
        ("compression", "zstd"),
        ("path", "out"),
        ("rotate_bytes", "1048576"),
        ("rotate_every_ms", "60000"),
    ];
    assert_eq!(written, expected);
    let mut again = Params::new();
    LineParts::from_params(&params).unwrap().to_params(&mut again).unwrap();
    assert_eq!(again, params);
    params.insert("compression".to_owned(), "lz4".to_owned());
    let error = LineParts::from_params(&params).unwrap_err().to_string();
    assert!(error.contains("`compression`") && error.contains("lz4"), "{error}");
}
