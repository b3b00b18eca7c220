//! Growing files, rotated ones, emptied ones, new ones in a folder; restarts in between.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;

use crate::error::Result;
use crate::operator::Services;
use crate::operator::contract::{Produced, Source};
use crate::operator::emitter::Emitter;
use crate::operator::{RuntimeContext, SourceContext};
use crate::sys::clock::Clock;
use crate::sys::files;

use super::super::file::FileSource;
use super::super::reader::Format;
use super::super::{FileSplit, csv, ndjson, text};
use super::{context, drain, gzip};

/// A folder, and a source that follows what is in it, on a clock that stands until it is moved.
struct Following<F: Format> {
    folder: TempDir,
    source: FileSource<F>,
    make: Box<dyn Fn() -> FileSource<F>>,
    runtime: RuntimeContext,
}

impl<F: Format> Following<F> {
    fn start(folder: TempDir, make: impl Fn() -> FileSource<F> + 'static) -> Self {
        let runtime = RuntimeContext { clock: Clock::simulated(0), ..context() };
        let mut source = make().follow();
        source.check().unwrap();
        source.open(source.splits(1).unwrap(), &runtime).unwrap();
        Self { folder, source, make: Box::new(make), runtime }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Reads what there is, after the time between two looks at the folder.
    fn read(&mut self) -> Vec<F::Out> {
        self.try_read().unwrap()
    }

    fn try_read(&mut self) -> Result<Vec<F::Out>> {
        self.runtime.clock.advance(Duration::from_millis(600));
        let (mut emitter, mut out) = (Emitter::<F::Out>::default(), Vec::new());
        loop {
            let mut ctx = SourceContext {
                emitter: &mut emitter,
                services: &mut Services::default(),
                runtime: &self.runtime,
            };
            let produced = self.source.produce(&mut ctx)?;
            emitter.take_all(&mut out);
            match produced {
                Produced::More => {}
                Produced::Idle(_) => return Ok(drain(&mut out).collect()),
                Produced::End => panic!("what is followed has no end"),
            }
        }
    }

    /// Ends the source, does something while nobody reads, and goes on from where it was.
    fn restart(&mut self, meanwhile: impl FnOnce(&Path)) -> Result<()> {
        let splits = self.source.snapshot()?;
        self.source.close()?;
        meanwhile(self.folder.path());
        self.source = (self.make)().follow();
        let restored = RuntimeContext { restored: true, ..self.runtime.clone() };
        self.source.open(splits, &restored)
    }

    fn notices(&self) -> Vec<String> {
        self.runtime.notices().list().1
    }
}

fn append(path: &Path, bytes: impl AsRef<[u8]>) {
    files::open_append(path).unwrap().write_all(bytes.as_ref()).unwrap();
}

fn folder_with(name: &str, bytes: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    append(&path, bytes);
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn what_is_added_is_read_and_a_torn_line_waits_i14() {
    let (folder, path) = folder_with("a.log", "one\ntw");
    let file = PathBuf::from(&path);
    let mut following = Following::start(folder, move || text(path.as_str()));
    assert_eq!(following.read(), ["one"]);
    append(&file, "o");
    assert_eq!(following.read(), [""; 0]);
    // A restart within the line: the position is its start.
    following.restart(|_| append(&file, "\nthree\n")).unwrap();
    assert_eq!(following.read(), ["two", "three"]);
    assert_eq!(following.read(), [""; 0]);
}

#[test]
fn a_csv_row_waits_for_its_end_also_inside_quotes_and_so_does_the_header_i14() {
    let (folder, path) = folder_with("a.csv", "n,te");
    let file = PathBuf::from(&path);
    let mut following = Following::start(folder, move || csv::<(i64, String)>(path.as_str()));
    assert_eq!(following.read().len(), 0);
    for (more, expected) in [
        ("xt\n1", vec![]),
        (",\"a\n", vec![]),
        ("b\"", vec![]),
        ("\n2,c\n3,", vec![(1, "a\nb".to_owned()), (2, "c".to_owned())]),
    ] {
        append(&file, more);
        assert_eq!(following.read(), expected, "{more:?}");
    }
    following.restart(|_| append(&file, "d\n")).unwrap();
    assert_eq!(following.read(), [(3, "d".to_owned())]);
}

#[test]
fn a_rotated_file_is_read_to_its_end_and_the_new_one_from_its_start() {
    let (folder, path) = folder_with("a.log", "1\n2\n");
    let mut following = Following::start(folder, move || ndjson::<i64>(path.as_str()));
    assert_eq!(following.read(), [1, 2]);
    let (log, old) = (following.path("a.log"), following.path("a.log.1"));
    append(&log, "3\n");
    files::rename(&log, &old).unwrap();
    append(&log, "10\n");
    let mut found = following.read();
    // Whoever writes has not heard of it yet; the last line never gets its end.
    append(&old, "4\n5");
    found.extend(following.read());
    found.sort_unstable();
    assert_eq!(found, [3, 4, 10]);
    following.runtime.clock.advance(Duration::from_secs(6));
    let mut found = following.read();
    found.extend(following.read());
    assert_eq!(found, [5], "after five silent seconds the end of the file is its end");
    append(&log, "11\n");
    assert_eq!(following.read(), [11]);
    assert_eq!(following.source.snapshot().unwrap().len(), 2, "the old one is remembered");
    files::remove_file(&old).unwrap();
    files::rename(&log, &following.path("a.log.2")).unwrap();
    append(&log, "20\n");
    assert_eq!(following.read(), [20]);
    assert_eq!(following.source.snapshot().unwrap().len(), 2, "and forgotten when it is gone");
}

#[test]
fn a_file_that_was_rotated_while_nobody_read_is_found_in_its_folder() {
    let (folder, path) = folder_with("a.log", "1\n2\n");
    let mut following = Following::start(folder, move || ndjson::<i64>(path.as_str()));
    assert_eq!(following.read(), [1, 2]);
    let rotate = |folder: &Path| {
        append(&folder.join("a.log"), "3\n");
        files::rename(&folder.join("a.log"), &folder.join("a.log.1")).unwrap();
        append(&folder.join("a.log"), "10\n");
    };
    following.restart(rotate).unwrap();
    let mut found = following.read();
    found.sort_unstable();
    assert_eq!(found, [3, 10]);
    // It is still beside the new one at the next restart, and is not read again.
    following.restart(|_| {}).unwrap();
    assert_eq!(following.read().len(), 0);
}

#[test]
fn a_file_that_was_taken_away_with_unread_bytes_is_refused_and_a_read_one_forgotten() {
    let (folder, path) = folder_with("a.log", "1\n2\n");
    let mut following = Following::start(folder, move || ndjson::<i64>(path.as_str()));
    assert_eq!(following.read(), [1, 2]);
    let replace = |folder: &Path| {
        files::remove_file(&folder.join("a.log")).unwrap();
        append(&folder.join("other"), "so that the number is not given again");
        append(&folder.join("a.log"), "10\n");
    };
    following.restart(replace).unwrap();
    assert_eq!(following.read(), [10]);
    append(&following.path("a.log"), "11\n12");
    assert_eq!(following.read(), [11]);
    let error = following.restart(replace).unwrap_err();
    assert!(error.is_refusal());
    let text = error.to_string();
    assert!(text.contains("left the file at byte 6 of 8") && text.contains("a.log"), "{text}");
}

#[test]
fn an_emptied_file_is_read_from_its_start_and_that_is_told() {
    let (folder, path) = folder_with("a.log", "1\n2\n3\n");
    let file = PathBuf::from(&path);
    let mut following = Following::start(folder, move || ndjson::<i64>(path.as_str()));
    assert_eq!(following.read(), [1, 2, 3]);
    files::create(&file).unwrap().write_all(b"7\n").unwrap();
    assert_eq!(following.read(), [7]);
    let notices = following.notices();
    assert!(notices[0].ends_with("a.log was emptied at byte 6: reading it from its start"));
    following.restart(|_| drop(files::create(&file).unwrap())).unwrap();
    append(&file, "8\n");
    assert_eq!(following.read(), [8]);
}

#[test]
fn files_that_come_into_a_folder_are_read_whole_from_the_first_on_i19() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    let mut following = Following::start(folder, move || ndjson::<i64>(path.as_str()));
    assert_eq!(following.read().len(), 0);
    append(&following.path("b"), "2\n");
    append(&following.path("a"), "1\n");
    append(&following.path(".hidden"), "9\n");
    let mut found = following.read();
    found.sort_unstable();
    assert_eq!(found, [1, 2]);
    // One that comes between a checkpoint and the restore, and one that is renamed.
    following
        .restart(|folder| {
            append(&folder.join("c.gz"), gzip(b"3\n4"));
            append(&folder.join("d.gz"), gzip("7\n".repeat(1_000).as_bytes()));
            files::rename(&folder.join("a"), &folder.join("z")).unwrap();
            append(&folder.join("z"), "5\n");
        })
        .unwrap();
    let mut found = following.read();
    found.sort_unstable();
    assert_eq!(found.drain(3..).collect::<Vec<i64>>(), [7; 1_000]);
    assert_eq!(found, [3, 4, 5]);
    files::remove_file(&following.path("b")).unwrap();
    append(&following.path("z"), "6\n");
    assert_eq!(following.read(), [6]);
    following.restart(|_| {}).unwrap();
    assert_eq!(following.read().len(), 0);
}

#[test]
fn a_closed_file_is_watched_also_one_that_was_quiet_for_long() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..1_000 {
        append(&folder.path().join(format!("{n:03}")), format!("{n}\n"));
    }
    let pattern = folder.path().join("[0-9]*").to_str().unwrap().to_owned();
    let mut following = Following::start(folder, move || ndjson::<i64>(pattern.as_str()));
    let mut found = following.read();
    found.sort_unstable();
    assert_eq!(found, (0..1_000).collect::<Vec<_>>());
    append(&following.path("007"), "1007\n");
    append(&following.path("900"), "1900");
    assert_eq!(following.read(), [1007], "a closed file is watched");
    following.runtime.clock.advance(Duration::from_secs(61));
    assert_eq!(following.read().len(), 0);
    append(&following.path("900"), "\n");
    append(&following.path("999"), "1999\n");
    let mut found = following.read();
    found.sort_unstable();
    assert_eq!(found, [1900, 1999], "and so is one that was quiet for long");
}

#[test]
fn what_comes_once_cannot_be_followed() {
    for path in ["-", "tcp://localhost:9"] {
        let source = ndjson::<i64>(path).follow();
        let error = source.check().unwrap_err().to_string();
        assert!(error.contains("only a file, a folder or a pattern"), "{error}");
    }
    let error = ndjson::<i64>("no/such.log").follow().check().unwrap_err().to_string();
    assert!(error.contains("no/such.log"), "{error}");
    assert!(!text("a.log").follow().is_bounded());
    assert!(text("a.log").follow().unsplittable().is_some());
}

#[test]
fn generations_that_nobody_saw_are_read_and_copies_are_not() {
    // As rotations leave them: the older name was written to before.
    let (folder, _) = folder_with("a.log.9", "read by an earlier job\n");
    let path = folder.path().join("a.log").to_str().unwrap().to_owned();
    append(Path::new(&path), "1\n");
    append(&folder.path().join("a.log.bak"), "a copy\n");
    let mut following = Following::start(folder, move || text(path.as_str()));
    assert_eq!(following.read(), ["1"]);
    let rotate = |folder: &Path, lines: [&str; 3]| {
        let log = folder.join("a.log");
        for (at, line) in lines.into_iter().enumerate() {
            files::rename(&log, &folder.join(format!("a.log.2013-{line}{at}"))).unwrap();
            append(&log, format!("{line}{at}\n"));
        }
        append(&folder.join("a.log.2.gz"), gzip(b"what another file had\n"));
    };
    rotate(following.folder.path(), ["5", "6", "7"]);
    let mut found = following.read();
    found.sort();
    assert_eq!(found, ["50", "61", "72"]);
    following.restart(|folder| rotate(folder, ["8", "8", "9"])).unwrap();
    let mut found = following.read();
    found.sort();
    assert_eq!(found, ["80", "81", "92"]);
    following.restart(|_| {}).unwrap();
    assert_eq!(following.read(), [""; 0]);
}

/// What a random story found: the line without an end was emitted when its file counted as over,
/// and again after two restarts.
#[test]
fn a_generation_that_was_read_is_not_found_anew_after_restarts() {
    let (folder, path) = folder_with("log", "");
    let mut following = Following::start(folder, move || text(path.as_str()));
    let rotate = |folder: &Path, n: usize| {
        files::rename(&folder.join("log"), &folder.join(format!("log.{n}"))).unwrap();
        append(&folder.join("log"), "");
    };
    let mut found = following.read();
    rotate(following.folder.path(), 1);
    append(&following.path("log"), "a");
    found.extend(following.read());
    rotate(following.folder.path(), 2);
    following.restart(|_| {}).unwrap();
    for n in 3..12 {
        found.extend(following.read());
        rotate(following.folder.path(), n);
    }
    following.restart(|_| {}).unwrap();
    following.restart(|_| {}).unwrap();
    found.extend(following.read());
    following.runtime.clock.advance(Duration::from_secs(10));
    found.extend(following.read());
    found.extend(following.read());
    assert_eq!(found, ["a"]);
}

#[test]
fn a_file_that_was_emptied_and_filled_again_before_a_look_is_read_from_its_start() {
    let (folder, path) = folder_with("a.log", "one\ntorn");
    let file = PathBuf::from(&path);
    let mut following = Following::start(folder, move || text(path.as_str()));
    assert_eq!(following.read(), ["one"]);
    // Longer than what was taken, shorter than what was read ahead.
    files::create(&file).unwrap().write_all(b"a\nb\nc\n").unwrap();
    assert_eq!(following.read(), ["a", "b", "c"]);
}

/// What happens to a log while it is followed.
#[derive(Clone, Debug)]
enum Step {
    Write(String),
    Rotate,
    Read,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => "[a-c]{0,3}\n?".prop_map(Step::Write),
        1 => Just(Step::Rotate),
        3 => Just(Step::Read),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // Writes to a log, rotates it and restarts the reader at random; every line comes once, those
    // of one file in their order.
    #[test]
    fn every_line_of_a_rotated_log_comes_once(steps in steps()) {
        let (folder, path) = folder_with("log", "");
        let mut following = Following::start(folder, move || text(path.as_str()));
        let (mut files, mut found) = (vec![String::new()], Vec::new());
        for step in steps {
            let log = following.path("log");
            match step {
                Step::Write(bytes) => {
                    append(&log, &bytes);
                    files.last_mut().unwrap().push_str(&bytes);
                }
                Step::Rotate => {
                    // One that comes and goes between two looks is not seen.
                    found.extend(following.read());
                    let old = following.path(&format!("log.{}", files.len()));
                    files::rename(&log, &old).unwrap();
                    append(&log, "");
                    files.push(String::new());
                }
                Step::Read => found.extend(following.read()),
                Step::Restart => following.restart(|_| {}).unwrap(),
            }
        }
        found.extend(following.read());
        following.runtime.clock.advance(Duration::from_secs(10));
        found.extend(following.read());
        found.extend(following.read());
        // The last file still grows: a line without its end waits.
        let last = files.pop().unwrap();
        let whole = last.rfind('\n').map_or("", |end| &last[..=end]);
        let ended = files.iter().map(String::as_str).chain([whole]).flat_map(str::lines);
        let mut expected: Vec<String> = ended.map(str::to_owned).collect();
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
    }
}

/// The rows of a checkpoint must be those of the path.
#[test]
fn a_checkpoint_of_another_path_is_refused() {
    let (folder, path) = folder_with("a.log", "1\n");
    let mut source = ndjson::<i64>(path.as_str()).follow();
    let split = FileSplit { file: 1, ..FileSplit::new("elsewhere/b.log", 0, 9) };
    let error = source.open(vec![split], &context()).unwrap_err();
    assert!(error.is_refusal() && error.to_string().contains("elsewhere/b.log"), "{error}");
    drop(folder);
}

#[test]
fn more_files_than_may_be_open_are_all_read_at_once_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    let name = |n: usize| format!("{n}.log");
    for n in 0..200 {
        append(&folder.path().join(name(n)), format!("{n}\n1"));
    }
    let mut following = Following::start(folder, move || text(path.as_str()));
    let mut found = following.read();
    // The lines without an end keep their files waiting.
    found.extend(following.read());
    found.extend(following.read());
    let sorted = |mut lines: Vec<String>| {
        lines.sort_unstable_by_key(|line| line.parse::<usize>().unwrap());
        lines
    };
    let expected = |from: usize| (from..from + 200).map(|n| n.to_string()).collect::<Vec<_>>();
    assert_eq!(sorted(found), expected(0));
    assert_eq!(following.read(), [""; 0]);
    for n in 0..200 {
        append(&following.path(&name(n)), format!("{n:03}\n"));
    }
    let mut found = following.read();
    found.extend(following.read());
    assert_eq!(sorted(found), expected(1_000));
    following.restart(|folder| append(&folder.join(name(7)), "2000\n")).unwrap();
    assert_eq!(following.read(), ["2000"]);
}

#[test]
fn a_file_of_a_pattern_over_folders_may_go_and_be_rotated_i14() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_owned();
    for name in ["a", "b", "c"] {
        files::create_dir(&root.join(name)).unwrap();
        append(&root.join(name).join("x.log"), format!("{name}\n"));
    }
    let pattern = format!("{}/*/x.log", root.display());
    let mut following = Following::start(folder, move || text(pattern.as_str()));
    let mut found = following.read();
    found.sort_unstable();
    assert_eq!(found, ["a", "b", "c"]);
    let meanwhile = |root: &Path| {
        files::remove_folder(&root.join("a")).unwrap();
        append(&root.join("b/x.log"), "late\n");
        files::rename(&root.join("b/x.log"), &root.join("b/x.log.1")).unwrap();
    };
    following.restart(meanwhile).unwrap();
    assert_eq!(following.read(), ["late"]);
    // The checkpoint now has the name after the rotation.
    following.restart(|root| append(&root.join("c/x.log"), "more\n")).unwrap();
    assert_eq!(following.read(), ["more"]);
}
