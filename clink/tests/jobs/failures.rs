//! Fails author code in every hook and looks at what is said of it and what becomes of the others.

use std::collections::BTreeMap;
use std::ops::Range;

use clink::run::RestorePoint;
use clink::{Job, JobError, RunOptions};
use clink_runtime::scheduler::SchedulerKind;

use crate::recording::{Call, Deed, Moment, SAID, calls, log, timed_pipeline_of};
use crate::support::{folder, saving, schedulers};

/// Each hook that can fail: operator, hook, calls before, whether only a bounded job comes there.
const HOOKS: [(&str, &str, u64, bool); 19] = [
    ("src", "splits", 0, false),
    ("src", "open", 0, false),
    ("src", "open", 1, false),
    ("src", "produce", 0, false),
    ("src", "produce", 7, false),
    ("src", "close", 0, true),
    ("op", "open", 0, false),
    ("op", "process", 300, false),
    ("op", "on_watermark", 1, false),
    ("op", "flush", 0, true),
    ("op", "close", 1, true),
    ("keyed", "open", 1, false),
    ("keyed", "process", 100, false),
    ("keyed", "flush", 1, true),
    ("keyed", "close", 0, true),
    ("sink", "on_data", 100, false),
    ("sink", "flush", 0, true),
    ("sink", "finish", 0, true),
    ("sink", "close", 1, true),
];

/// The name in messages and the id in the graph.
const NAMES: [(&str, &str, &str); 4] = [
    ("src", "RecordingSource", "op_0"),
    ("op", "op's label", "op_2"),
    ("keyed", "RecordingKeyed", "op_3"),
    ("sink", "RecordingSink", "op_4"),
];

fn check(hook: (&'static str, &'static str, u64, bool), deed: Deed, options: &RunOptions) {
    let (uid, name, after, bounded) = hook;
    for parallelism in [1, 3] {
        // With one subtask each there is no second one to call.
        let after = if matches!(name, "open" | "close" | "flush" | "splits") && parallelism == 1 {
            0
        } else {
            after
        };
        let moment = Moment { uid, hook: name, after, deed: deed.clone() };
        let what = format!("{moment:?}, parallelism {parallelism}, {options:?}");
        let log = log(Some(moment));
        let count = if bounded { 400 } else { 0 };
        let job = Job::build_with("failing", Some(parallelism), |pipeline| {
            timed_pipeline_of(pipeline, log, count);
            Ok(())
        });
        let result = job.unwrap().run(options);
        let (calls, failed_in) = calls(log);
        let error = result.expect_err(&what);
        // Splits are made before an instance knows which one it is.
        let failed_in = if name == "splits" { 0..parallelism } else { only(failed_in.unwrap()) };
        assert_says(&error, uid, failed_in, &deed, &what);
        assert_closed(&calls, &what);
        if !bounded {
            let ends = |call: &&Call| call.hook == "flush" && call.uid != "sink";
            assert_eq!(calls.iter().find(ends), None, "{what}: nothing came to its end");
        }
    }
}

fn only(subtask: u32) -> Range<u32> {
    subtask..subtask + 1
}

/// The error names operator, uid, subtask and message, and the place of a panic.
#[track_caller]
fn assert_says(error: &JobError, uid: &str, subtasks: Range<u32>, deed: &Deed, what: &str) {
    let (_, name, id) = NAMES.iter().find(|(of, ..)| *of == uid).unwrap();
    let text = error.to_string();
    let origins = subtasks.map(|index| {
        let origin = format!("operator `{name}` ({id}, uid `{uid}`), subtask {index}: ");
        text.strip_prefix(&origin)
    });
    let rest = origins.flatten().next();
    let rest = rest.unwrap_or_else(|| panic!("{what}\nof `{uid}`, failed, found {text}"));
    match deed {
        Deed::Panic => {
            let place = format!("panicked: {SAID} (at clink/tests/jobs/recording.rs:");
            assert!(rest.starts_with(&place), "{what}: {text}");
        }
        _ => assert_eq!(rest, SAID, "{what}"),
    }
    assert!(matches!(error, JobError::Run(_)) && !error.is_refusal(), "{what}");
}

/// What was opened is closed once, and last of all; what was not is not.
#[track_caller]
fn assert_closed(calls: &[Call], what: &str) {
    let mut instances: BTreeMap<(&str, u32), Vec<&str>> = BTreeMap::new();
    for call in calls.iter().filter(|call| call.hook != "splits") {
        instances.entry((call.uid, call.subtask)).or_default().push(call.hook);
    }
    // Where no source could be opened there is nothing to say of them.
    instances.retain(|(uid, _), hooks| *uid != "src" || hooks.contains(&"open"));
    for (instance, hooks) in instances {
        let count = |wanted: &str| hooks.iter().filter(|hook| **hook == wanted).count();
        assert_eq!(count("open"), 1, "{what}: {instance:?}: {hooks:?}");
        assert_eq!(count("close"), 1, "{what}: {instance:?}: {hooks:?}");
        assert_eq!(hooks.last(), Some(&"close"), "{what}: {instance:?}: {hooks:?}");
    }
}

fn check_all(deed: &Deed) {
    for hook in HOOKS {
        for scheduler in schedulers() {
            for channel_capacity in [1, 2_048] {
                let options = RunOptions { scheduler, channel_capacity, ..RunOptions::default() };
                check(hook, deed.clone(), &options);
            }
        }
    }
}

#[test]
fn an_error_in_any_hook_names_its_operator_and_closes_all() {
    check_all(&Deed::Error);
}

#[test]
fn a_panic_in_any_hook_names_its_operator_and_closes_all() {
    check_all(&Deed::Panic);
}

#[test]
fn a_failure_while_saving_names_its_operator_and_closes_all() {
    for scheduler in schedulers() {
        for deed in [Deed::Error, Deed::Panic] {
            for hook in [("src", "snapshot", 0, false), ("sink", "on_barrier", 1, false)] {
                let folder = folder();
                let checkpoints = saving(folder.path(), 1);
                // Runs twice in the folder, each time afresh.
                let restore = Some(RestorePoint::Nothing);
                let options =
                    RunOptions { scheduler, checkpoints, restore, ..RunOptions::default() };
                check(hook, deed.clone(), &options);
            }
        }
    }
}

#[test]
fn the_first_failure_is_the_one_that_is_told() {
    // Every subtask of the source fails; the first to do so is the cause.
    for scheduler in schedulers() {
        let job = Job::build_with("failing", Some(4), |pipeline| {
            let numbers = pipeline.generate(1_000, |n| n);
            let failing = numbers.map(|n| if n % 2 == 0 { panic!("even") } else { n });
            failing.uid("odd").sink(clink::sinks::blackhole());
            Ok(())
        });
        let options = RunOptions { scheduler, ..RunOptions::default() };
        let text = job.unwrap().run(&options).unwrap_err().to_string();
        assert!(text.starts_with("operator `_inline_map_1` (op_1, uid `odd`), subtask "), "{text}");
        assert!(text.contains(": panicked: even (at clink/tests/jobs/failures.rs:"), "{text}");
    }
}

#[test]
fn a_source_that_blocks_in_another_branch_is_cancelled_too() {
    for scheduler in schedulers() {
        let log = log(None);
        let job = Job::build_with("failing", Some(2), |pipeline| {
            timed_pipeline_of(pipeline, log, 0);
            let other = pipeline.generate(10_000, |n| n).uid("other");
            let fails = other.map(|n| if n == 5_000 { panic!("the other branch") } else { n });
            fails.sink(clink::sinks::blackhole()).uid("nowhere");
            Ok(())
        });
        let options = RunOptions { scheduler, channel_capacity: 1, ..RunOptions::default() };
        let text = job.unwrap().run(&options).unwrap_err().to_string();
        assert!(text.contains("the other branch"), "{text}");
        assert_closed(&calls(log).0, &format!("{scheduler:?}"));
    }
}

#[test]
fn a_pool_goes_on_after_a_failure() {
    // The same process, many failures: nothing of one run is left for the next.
    let scheduler = SchedulerKind::Pool { threads: Some(2) };
    for _ in 0..50 {
        let moment = Moment { uid: "keyed", hook: "process", after: 9, deed: Deed::Panic };
        let log = log(Some(moment));
        let job = Job::build_with("failing", Some(8), |pipeline| {
            timed_pipeline_of(pipeline, log, 0);
            Ok(())
        });
        let options = RunOptions { scheduler, channel_capacity: 1, ..RunOptions::default() };
        job.unwrap().run(&options).unwrap_err();
        assert_closed(&calls(log).0, "a pool");
    }
}
