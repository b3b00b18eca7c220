//! Builds jobs that are wrong in several ways and reads all that is said of them.

use clink::prelude::*;
use clink::{Job, JobError, RunOptions};

use crate::support::{folder, saving};

/// Keeps one number per key.
#[clink::operator(uid = "latest")]
#[derive(Default)]
struct Latest {
    #[state]
    last: ValueState<u64>,
}

impl KeyedOperator for Latest {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        self.last.set(ctx, n)?;
        ctx.emit(n);
        Ok(())
    }
}

/// What is said of a job that must be refused before it runs.
fn refusal(result: Result<impl std::fmt::Debug, JobError>) -> String {
    let error = result.unwrap_err();
    assert!(error.is_refusal(), "{error}");
    assert!(matches!(error, JobError::Refused(_)), "{error}");
    error.to_string()
}

fn here(line: u32) -> String {
    format!("(clink/tests/jobs/problems.rs:{line}:")
}

#[track_caller]
fn assert_holds(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in:\n{text}"));
}

#[test]
fn every_problem_is_told_at_once_with_its_place() {
    let (mut first, mut second, mut wide) = (0, 0, 0);
    let job = Job::build("wrong", |pipeline| {
        first = line!() + 1;
        let numbers = pipeline.generate(10, |n| n).uid("same");
        second = line!() + 1;
        let more = numbers.clone().map(|n| n + 1).uid("same");
        wide = line!() + 1;
        let latest = more.key_by(|n| *n).process(Latest::default()).set_parallelism(129);
        latest.sink(blackhole());
        Ok(())
    });
    let job = job.unwrap();
    let text = refusal(job.run(&RunOptions::default()));
    assert_holds(&text, &["error[P0007] operator `op_1` ", "its uid `same` is that of `op_0` "]);
    assert_holds(&text, &["error[P0010] operator `op_2` ", "its parallelism is 129"]);
    assert_holds(&text, &[&here(first), &here(second), &here(wide)]);
    assert_eq!(text.matches("error[").count(), 2, "{text}");
    assert_eq!(text.matches("help: ").count(), 2, "{text}");
    // `explain` and `plan` say the same.
    assert_eq!(refusal(job.explain()), text);
}

#[test]
fn a_job_of_nothing_and_a_stream_that_nobody_reads_are_problems() {
    let text = refusal(Job::build("empty", |_| Ok(())).unwrap().run(&RunOptions::default()));
    assert_holds(&text, &["error[P0001] graph: it has no operators"]);
    let mut line = 0;
    let job = Job::build("loose", |pipeline| {
        line = line!() + 1;
        let _unread = pipeline.generate(10, |n| n);
        pipeline.generate(10, |n| n).sink(blackhole());
        Ok(())
    });
    let text = refusal(job.unwrap().run(&RunOptions::default()));
    assert_holds(&text, &["error[P0017] operator `op_0` ", &here(line)]);
}

#[test]
fn an_operator_that_nobody_reads_says_to_add_a_sink() {
    let mut line = 0;
    let job = Job::build("unread", |pipeline| {
        line = line!() + 1;
        let _unread = pipeline.generate(10, |n| n).key_by(|n| *n).process(Latest::default());
        Ok(())
    });
    let text = refusal(job.unwrap().run(&RunOptions::default()));
    assert_holds(&text, &["operator `op_1`", &here(line), "add a sink"]);
}

#[test]
fn what_a_union_cannot_have_is_said_while_building() {
    let mut line = 0;
    let built = Job::build("union", |pipeline| {
        let both = pipeline.generate(1, |n| n).union(pipeline.generate(1, |n| n));
        line = line!() + 1;
        both.name("both").uid("both").set_parallelism(2).sink(blackhole());
        Ok(())
    });
    let text = refusal(built.and_then(|job| job.run(&RunOptions::default())));
    assert_eq!(text.matches("error[P09").count(), 3, "{text}");
    assert_holds(&text, &[&here(line), "`name` needs an operator", "`uid` needs an operator"]);
}

#[test]
fn a_uid_that_cannot_name_a_folder_is_refused_at_its_place() {
    for uid in ["a/b", "..", "a\nb"] {
        check_uid_refused(uid);
    }
}

#[test]
fn an_empty_uid_is_not_taken_for_none() {
    check_uid_refused("");
}

#[track_caller]
fn check_uid_refused(uid: &str) {
    let built = Job::build("uid", |pipeline| {
        pipeline.generate(1, |n| n).uid(uid).sink(blackhole());
        Ok(())
    });
    let text = refusal(built.and_then(|job| job.run(&RunOptions::default())));
    assert_holds(&text, &["error[P0", "operator `op_0` (clink/tests/jobs/problems.rs:"]);
}

#[test]
fn an_error_of_the_build_function_is_told_as_it_is() {
    let built = Job::build("fails", |_| Err(Error::new("no such table")));
    let error = built.unwrap_err();
    assert_eq!(error.to_string(), "build the job: no such table");
    assert!(!error.is_refusal());
}

#[test]
fn state_without_a_uid_is_a_warning_and_with_checkpoints_an_error() {
    let mut line = 0;
    let job = Job::build("nameless", |pipeline| {
        line = line!() + 1;
        pipeline.generate(10, |n| n).key_by(|n| *n).reduce(|a, _| a).sink(blackhole());
        Ok(())
    });
    let job = job.unwrap();
    let report = job.run(&RunOptions::default()).unwrap();
    let warnings = report.view.warnings.join("\n");
    assert_eq!(warnings.matches("warning[P0030]").count(), 2, "{warnings}");
    assert_holds(&warnings, &["operator `op_0`", "operator `op_1`", &here(line)]);
    let folder = folder();
    let checkpoints = saving(folder.path(), 1_000);
    let options = RunOptions { checkpoints, ..RunOptions::default() };
    let text = refusal(job.run(&options));
    assert_eq!(text.matches("error[P0030]").count(), 2, "{text}");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 0, "a refused job has touched the folder");
}

#[test]
fn two_files_of_one_connector_need_uids_of_their_own() {
    let folder = folder();
    let path = folder.path().join("rows.csv");
    std::fs::write(&path, "a\n1\n2\n").unwrap();
    let path = path.to_str().unwrap();
    let (mut first, mut second) = (0, 0);
    let job = Job::build("two", |pipeline| {
        first = line!() + 1;
        let one = pipeline.source(files::csv::<u64>(path));
        second = line!() + 1;
        let other = pipeline.source(files::csv::<u64>(path));
        one.union(other).sink(blackhole());
        Ok(())
    });
    let job = job.unwrap();
    job.run(&RunOptions::default()).unwrap();
    let checkpoints = saving(&folder.path().join("state"), 1_000);
    let options = RunOptions { checkpoints, ..RunOptions::default() };
    let text = refusal(job.run(&options));
    assert_holds(&text, &["operator `op_0` ", "operator `op_1` ", &here(first), &here(second)]);
    assert_eq!(text.matches("error[P0030]").count(), 2, "{text}");
}

#[test]
fn a_restore_without_a_folder_is_a_mistake_in_the_options() {
    let job = Job::build("job", |pipeline| {
        pipeline.generate(1, |n| n).sink(blackhole());
        Ok(())
    });
    let restore = Some("latest".parse().unwrap());
    let error = job.unwrap().run(&RunOptions { restore, ..RunOptions::default() }).unwrap_err();
    assert!(matches!(error, JobError::Options(_)), "{error}");
}
