//! Holds every kind of operator to the order of calls that its contract has, in every ending of a
//! job and every way to run it.

use std::collections::BTreeMap;

use clink::prelude::*;
use clink::run::{Ending, NoObserver, PlanOptions, RestorePoint, SchedulerKind, Signal};
use clink::{Job, JobError, RunOptions};

use crate::order_table::{breaks_off, is_whole};
use crate::recording::{Call, Deed, Moment, calls, every_kind, log, timed_pipeline_of};
use crate::support::{folder, saving, schedulers};

/// The operators of [`every_kind`], and their kind in the table of the order of calls.
const KINDS: [(&str, &str); 6] = [
    ("src", "source"),
    ("op", "operator"),
    ("keyed", "operator"),
    ("co", "operator"),
    ("keyed-co", "operator"),
    ("sink", "sink"),
];

/// How a job is run.
#[derive(Clone, Copy, Debug)]
struct Way {
    scheduler: SchedulerKind,
    chaining: bool,
    parallelism: u32,
    saves: bool,
}

fn ways() -> impl Iterator<Item = Way> {
    schedulers().into_iter().flat_map(|scheduler| {
        [(true, 1), (true, 3), (false, 1), (false, 3)].into_iter().flat_map(
            move |(chaining, parallelism)| {
                [false, true].map(|saves| Way { scheduler, chaining, parallelism, saves })
            },
        )
    })
}

/// How a job ended, its calls, and the subtask in which a deed was done.
struct Run {
    result: Result<Ending, JobError>,
    calls: Vec<Call>,
    done_in: Option<u32>,
}

/// Runs every kind of operator in one job, `count` records per split.
fn run(way: Way, moment: Option<Moment>, count: u64) -> Run {
    let folder = folder();
    let (send, signals) = crossbeam_channel::bounded(1);
    let moment = moment.map(|moment| match moment.deed {
        Deed::Send(signal, _) => Moment { deed: Deed::Send(signal, send), ..moment },
        _ => moment,
    });
    let log = log(moment);
    let job = Job::build_with("life", Some(way.parallelism), |pipeline| {
        every_kind(pipeline, log, count);
        Ok(())
    });
    let options = RunOptions {
        scheduler: way.scheduler,
        // Little is in flight when a job is cut short.
        channel_capacity: 64,
        plan: PlanOptions { chaining: way.chaining, ..PlanOptions::default() },
        checkpoints: saving(folder.path(), 5).filter(|_| way.saves),
        ..RunOptions::default()
    };
    let result = job.unwrap().run_watched(&options, &signals, &mut NoObserver);
    let (calls, done_in) = calls(log);
    Run { result: result.map(|report| report.ending), calls, done_in }
}

/// The calls of each instance, by operator and subtask.
fn lives(calls: &[Call]) -> BTreeMap<(&str, u32), Vec<&str>> {
    let mut lives: BTreeMap<(&str, u32), Vec<&str>> = BTreeMap::new();
    for call in calls.iter().filter(|call| !matches!(call.hook, "check" | "splits")) {
        lives.entry((call.uid, call.subtask)).or_default().push(call.hook);
    }
    lives
}

fn kind_of(uid: &str) -> &'static str {
    KINDS.iter().find(|(known, _)| *known == uid).unwrap().1
}

/// What a test says of calls that are out of order: those that repeat told once.
fn told(calls: &[&str]) -> String {
    let mut calls = calls.to_vec();
    calls.dedup();
    calls.join(" ")
}

/// Every instance lived its whole life, in the order of the table.
#[track_caller]
fn assert_whole(ending: &str, calls: &[Call], way: Way) {
    let lives = lives(calls);
    let instances = KINDS.len() * way.parallelism as usize;
    assert_eq!(lives.len(), instances, "{way:?}: {:?}", lives.keys());
    for ((uid, subtask), calls) in lives {
        let whole = is_whole(kind_of(uid), ending, &calls);
        assert!(whole, "{ending}, {way:?}: {uid} {subtask}: {}", told(&calls));
        let captures = calls.iter().filter(|call| matches!(**call, "on_barrier" | "snapshot"));
        assert_eq!(captures.count() > 0, way.saves, "{ending}, {way:?}: {uid} {subtask}");
    }
}

/// Every instance broke off wherever it was and closed; none was told that the data is over.
#[track_caller]
fn assert_broken_off(what: &str, calls: &[Call], way: Way) {
    for ((uid, subtask), calls) in lives(calls) {
        let kind = kind_of(uid);
        assert!(breaks_off(kind, &calls), "{what}, {way:?}: {uid} {subtask}: {}", told(&calls));
        let last_words = if kind == "sink" { "finish" } else { "flush" };
        assert!(!calls.contains(&last_words), "{what}, {way:?}: {uid} {subtask} came to its end");
    }
}

#[test]
fn at_the_end_of_the_input_every_kind_lives_as_the_table_says() {
    for way in ways() {
        let Run { result, calls, .. } = run(way, None, 120);
        assert_eq!(result.unwrap(), Ending::Finished);
        assert_whole("end", &calls, way);
        for (uid, kind) in KINDS.iter().filter(|(_, kind)| *kind == "operator") {
            let fired = |hook: &str| calls.iter().any(|c| c.uid == *uid && c.hook == hook);
            assert!(fired("on_event_time_timer"), "{way:?}: {uid}, a {kind}");
            assert!(fired("on_processing_time_timer"), "{way:?}: {uid}, a {kind}");
        }
    }
}

/// Sends a signal once the sink has seen records: then every operator before it has.
fn at_work(signal: Signal) -> Moment {
    let (nobody, _) = crossbeam_channel::bounded(0);
    Moment { uid: "sink", hook: "on_data", after: 99, deed: Deed::Send(signal, nobody) }
}

#[test]
fn after_a_stop_every_kind_lives_as_the_table_says() {
    for way in ways() {
        let Run { result, calls, .. } = run(way, Some(at_work(Signal::Stop)), 0);
        assert_eq!(result.unwrap(), Ending::Stopped);
        assert_whole("stop", &calls, way);
    }
}

#[test]
fn after_a_cancel_every_kind_is_closed_wherever_it_is() {
    for way in ways() {
        let Run { result, calls, .. } = run(way, Some(at_work(Signal::Cancel)), 0);
        assert_eq!(result.unwrap(), Ending::Cancelled);
        assert_broken_off("cancel", &calls, way);
        assert!(calls.iter().any(|call| call.uid == "sink" && call.hook == "close"), "{way:?}");
    }
}

#[test]
fn after_a_failure_in_any_kind_every_kind_is_closed_wherever_it_is() {
    let hooks = [
        ("src", "produce", 2),
        ("op", "process", 20),
        ("keyed", "process", 20),
        ("co", "process_element1", 20),
        ("co", "process_element2", 20),
        ("keyed-co", "process_element1", 20),
        ("keyed-co", "process_element2", 20),
        ("keyed-co", "on_event_time_timer", 2),
        ("co", "on_processing_time_timer", 2),
        ("sink", "on_data", 20),
    ];
    let opens = KINDS.map(|(uid, _)| (uid, "open", 0));
    for (uid, hook, after) in hooks.into_iter().chain(opens) {
        for way in ways().filter(|way| !way.saves) {
            // Both of them in each scheduler, chained and not.
            let fails = way.chaining == (way.parallelism == 1);
            let deed = if fails { Deed::Error } else { Deed::Panic };
            check_failure(Moment { uid, hook, after, deed }, way);
        }
    }
}

fn check_failure(moment: Moment, way: Way) {
    let what = format!("{moment:?}");
    let Moment { uid, hook, .. } = moment;
    let Run { result, calls, done_in } = run(way, Some(moment), 0);
    let error = result.expect_err(&what).to_string();
    assert!(error.contains(&format!("uid `{uid}`")), "{what}, {way:?}: {error}");
    assert_broken_off(&what, &calls, way);
    // The one that failed was called no more, but for its close.
    let of_it = calls.iter().filter(|call| call.uid == uid && Some(call.subtask) == done_in);
    let hooks: Vec<&str> = of_it.map(|call| call.hook).collect();
    assert!(hooks.ends_with(&[hook, "close"]), "{what}, {way:?}: {}", told(&hooks));
}

#[test]
fn after_a_restore_nothing_is_divided_again() {
    for scheduler in schedulers() {
        let folder = folder();
        let build = |log| {
            Job::build_with("hooks", Some(2), |pipeline| {
                timed_pipeline_of(pipeline, log, 500);
                Ok(())
            })
        };
        let checkpoints = saving(folder.path(), 86_400_000);
        let mut options = RunOptions { scheduler, checkpoints, ..RunOptions::default() };
        let first = log(None);
        build(first).unwrap().run(&options).unwrap();
        let divided = calls(first).0.iter().filter(|call| call.hook == "splits").count();
        assert_eq!(divided, 1, "{scheduler:?}: divided once, by one of the instances");
        options.restore = Some(RestorePoint::Latest);
        let second = log(None);
        let report = build(second).unwrap().run(&options).unwrap();
        assert!(report.view.restored_from.is_some());
        let (calls, _) = calls(second);
        assert!(calls.iter().all(|call| call.hook != "splits"), "{scheduler:?}");
        assert!(calls.iter().all(|call| !matches!(call.hook, "process" | "on_data")));
    }
}

/// A source that says if the engine does with it what its contract excludes.
#[clink::operator(uid = "contract")]
#[derive(Default)]
struct Contract {
    fails: bool,
    log: u64,
    #[transient]
    opened: bool,
}

/// What sources did that their contract excludes, by the number of the test.
static BROKEN: std::sync::Mutex<Vec<(u64, &str)>> = std::sync::Mutex::new(Vec::new());

impl Source for Contract {
    type Out = u64;
    type Split = u64;

    fn splits(&self, wanted: u32) -> Result<Vec<u64>> {
        if self.fails { Err(Error::new("no splits")) } else { Ok((0..wanted.into()).collect()) }
    }

    fn open(&mut self, _: Vec<u64>, _: &RuntimeContext) -> Result<()> {
        self.opened = true;
        Ok(())
    }

    fn produce(&mut self, _: &mut SourceContext<'_, u64>) -> Result<Produced> {
        Ok(Produced::End)
    }

    fn snapshot(&mut self) -> Result<Vec<u64>> {
        Ok(Vec::new())
    }

    fn close(&mut self) -> Result<()> {
        if !self.opened {
            BROKEN.lock().unwrap().push((self.log, "`close` on an instance that was not opened"));
        }
        Ok(())
    }
}

fn check_contract(log: u64, fails: bool) {
    let job = Job::build("contract", |pipeline| {
        let source = Contract { fails, log, ..Contract::default() };
        pipeline.source(source).sink(blackhole());
        Ok(())
    });
    let result = job.unwrap().run(&RunOptions::default());
    assert_eq!(result.is_err(), fails, "{result:?}");
    let broken: Vec<_> = BROKEN.lock().unwrap().extract_if(.., |(of, _)| *of == log).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn a_source_is_closed_exactly_if_it_was_opened() {
    check_contract(1, false);
    check_contract(2, true);
}
