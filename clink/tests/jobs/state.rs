//! Edits jobs between a checkpoint and a restore, and looks at which edits are refused.

use std::path::Path;

use clink::prelude::*;
use clink::{Job, JobError, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::JobReport;

use crate::support::{Seen, folder, saving};

/// Makes a keyed operator that counts, with other names and types each time.
macro_rules! counter {
    ($name:ident, $uid:literal, $slot:ident: $value:ty, $key:ty) => {
        #[clink::operator(uid = $uid)]
        #[derive(Default)]
        struct $name {
            #[state]
            $slot: ValueState<$value>,
        }

        impl KeyedOperator for $name {
            type Key = $key;
            type In = u64;
            type Out = u64;

            fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
                let one = <$value>::try_from(1_u8)?;
                let count = self.$slot.update(ctx, |count| count + one)?;
                let _ = n;
                ctx.emit(u64::try_from(count)?);
                Ok(())
            }
        }
    };
}

counter!(Count, "count", seen: u64, u64);
counter!(Moved, "counter", seen: u64, u64);
counter!(Renamed, "count", passed: u64, u64);
counter!(Signed, "count", seen: i64, u64);
counter!(Narrow, "count", seen: u32, u64);
counter!(TextKey, "count", seen: u64, String);

/// Keeps nothing.
#[clink::operator(uid = "count")]
struct Stateless;

impl KeyedOperator for Stateless {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, _: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        ctx.emit(1);
        Ok(())
    }
}

/// Keeps a list where the counters keep a value per key.
#[clink::operator(uid = "count")]
#[derive(Default)]
struct Listed {
    #[state]
    seen: OperatorListState<u64>,
}

impl Operator for Listed {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        self.seen.set(vec![n]);
        ctx.emit(1);
        Ok(())
    }
}

/// Two values per key, the first as in [`Count`].
#[clink::operator(uid = "count")]
#[derive(Default)]
struct Wider {
    #[state]
    seen: ValueState<u64>,
    #[state]
    extra: ValueState<String>,
}

impl KeyedOperator for Wider {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn process(&mut self, _: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        assert_eq!(self.extra.get(ctx)?, None, "a new slot starts empty");
        self.extra.set(ctx, "here".to_owned())?;
        let seen = self.seen.update(ctx, |seen| seen + 1)?;
        self.extra.clear(ctx)?;
        ctx.emit(seen);
        Ok(())
    }
}

/// Runs `numbers → operator` with numbers that a restore does not continue.
fn run<O>(folder: &Path, options: &RunOptions, source: &str, operator: O) -> Outcome
where
    O: KeyedOperator<Key = u64, In = u64, Out = u64> + clink_runtime::operator::OperatorFields,
{
    run_with(folder, options, source, |numbers| numbers.key_by(|n| n % 3).process(operator))
}

/// The greatest count and the report, or why not.
type Outcome = Result<(u64, JobReport), JobError>;

fn run_with(
    folder: &Path,
    options: &RunOptions,
    source: &str,
    follow: impl for<'p> FnOnce(DataStream<'p, u64>) -> DataStream<'p, u64>,
) -> Outcome {
    let seen = Seen::default();
    let job = Job::build_with("edited", Some(2), |pipeline| {
        let numbers = pipeline.generate(30, |n| n).uid(source);
        follow(numbers).map(seen.tap()).sink(blackhole());
        Ok(())
    })?;
    let checkpoints = saving(folder, 86_400_000);
    let report = job.run(&RunOptions { checkpoints, ..options.clone() })?;
    Ok((seen.all().into_iter().max().unwrap_or_default(), report))
}

/// A folder whose last checkpoint holds ten counts for each of three keys.
fn counted() -> tempfile::TempDir {
    let folder = folder();
    let (most, _) = run(folder.path(), &fresh(), "numbers", Count::default()).unwrap();
    assert_eq!(most, 10);
    folder
}

fn fresh() -> RunOptions {
    RunOptions::default()
}

fn restoring() -> RunOptions {
    RunOptions { restore: Some(RestorePoint::Latest), ..RunOptions::default() }
}

fn forgiving() -> RunOptions {
    RunOptions { allow_unmatched_state: true, ..restoring() }
}

#[track_caller]
fn assert_refused(outcome: Outcome, says: &[&str]) {
    let error = outcome.map(|(most, _)| most).unwrap_err();
    let text = error.to_string();
    assert!(error.is_refusal(), "{text}");
    says.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in:\n{text}"));
}

#[test]
fn the_same_operator_goes_on_where_it_was() {
    let folder = counted();
    let (most, report) = run(folder.path(), &restoring(), "numbers", Count::default()).unwrap();
    assert_eq!(most, 0, "the source was used up");
    assert_eq!(report.view.warnings, Vec::<String>::new());
    // Another source starts afresh, and the old one's position is nobody's.
    let outcome = run(folder.path(), &restoring(), "others", Count::default());
    assert_refused(
        outcome,
        &["operator `numbers`", "operator `others`", "--allow-unmatched-state"],
    );
    let (most, report) = run(folder.path(), &forgiving(), "others", Count::default()).unwrap();
    assert_eq!(most, 20);
    let warnings = report.view.warnings.join("\n");
    assert!(warnings.contains("state of operator `numbers`"), "{warnings}");
}

#[test]
fn state_that_no_operator_takes_is_refused_unless_allowed() {
    let folder = counted();
    let outcome = run(folder.path(), &restoring(), "numbers", Moved::default());
    assert_refused(outcome, &["operator `count`", "operator `counter`"]);
    let (_, report) = run(folder.path(), &forgiving(), "numbers", Moved::default()).unwrap();
    let warnings = report.view.warnings.join("\n");
    assert!(warnings.contains("state of operator `count`"), "{warnings}");
}

#[test]
fn a_renamed_slot_is_refused_unless_allowed() {
    let folder = counted();
    let outcome = run(folder.path(), &restoring(), "numbers", Renamed::default());
    assert_refused(outcome, &["slot `seen` of operator `count`", "slot `passed`"]);
    let (most, report) = run(folder.path(), &forgiving(), "others", Renamed::default()).unwrap();
    assert_eq!(most, 10, "it starts afresh");
    assert_eq!(report.view.warnings.len(), 2, "{:?}", report.view.warnings);
}

#[test]
fn a_slot_that_is_gone_is_refused_unless_allowed() {
    let folder = counted();
    let outcome = run(folder.path(), &restoring(), "numbers", Stateless);
    assert_refused(outcome, &["slot `seen` of operator `count`"]);
    run(folder.path(), &forgiving(), "numbers", Stateless).unwrap();
}

#[test]
fn another_type_of_value_or_key_is_refused_whatever_is_allowed() {
    for options in [restoring(), forgiving()] {
        let folder = counted();
        let path = folder.path();
        let says = ["`seen`", "Int64", "UInt64"];
        assert_refused(run(path, &options, "numbers", Signed::default()), &says);
        assert_refused(run(path, &options, "numbers", Narrow::default()), &["`seen`", "UInt32"]);
        let outcome = run_with(path, &options, "numbers", |numbers| {
            numbers.key_by(|n| n.to_string()).process(TextKey::default())
        });
        assert_refused(outcome, &["`seen`", "Utf8"]);
        let outcome =
            run_with(path, &options, "numbers", |numbers| numbers.process(Listed::default()));
        assert_refused(outcome, &["`seen`"]);
    }
}

#[test]
fn a_new_slot_beside_the_old_one_starts_empty() {
    let folder = counted();
    let (most, _) = run(folder.path(), &forgiving(), "others", Wider::default()).unwrap();
    assert_eq!(most, 20);
}

#[test]
fn a_refused_restore_leaves_the_checkpoint_as_it_was() {
    let folder = counted();
    run(folder.path(), &restoring(), "numbers", Signed::default()).unwrap_err();
    run(folder.path(), &restoring(), "numbers", Moved::default()).unwrap_err();
    let (most, report) = run(folder.path(), &forgiving(), "others", Count::default()).unwrap();
    assert_eq!((most, report.view.restored_from.map(|id| id.0)), (20, Some(1)));
}

#[test]
fn a_job_of_another_name_has_checkpoints_of_its_own() {
    let folder = counted();
    let job = Job::build("other", |pipeline| {
        pipeline.generate(1, |n| n).uid("numbers").sink(blackhole());
        Ok(())
    });
    let job = job.unwrap();
    let checkpoints = saving(folder.path(), 1_000);
    let mut options = RunOptions { checkpoints, ..restoring() };
    let error = job.run(&options).unwrap_err();
    assert!(error.is_refusal(), "{error}");
    assert!(error.to_string().contains("no checkpoint `latest`"), "{error}");
    options.restore = Some(RestorePoint::Path(folder.path().join("edited/chk-1")));
    let error = job.run(&options).unwrap_err();
    assert!(error.is_refusal(), "{error}");
    assert!(error.to_string().contains("is a checkpoint of job `edited`, this is job `other`"));
}
