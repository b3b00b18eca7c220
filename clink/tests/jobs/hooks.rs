//! Notes the order of calls of each kind of operator, for each way a job may end.

use std::collections::BTreeSet;

use clink::prelude::*;
use clink::run::Ending;
use clink::{Job, RunOptions};
use clink_runtime::checkpoint::store::RestorePoint;
use clink_runtime::local::{NoObserver, Signal};

use crate::recording::{Call, Deed, Moment, calls, log, pipeline_of};
use crate::support::{folder, saving, schedulers};

/// The calls of one instance, those that come again and again told once.
///
/// `a (b c)*` stands for any number of `b` and `c` between a first and the last calls.
fn told(calls: &[Call], uid: &str) -> String {
    let mut hooks: Vec<&str> = calls.iter().filter(|c| c.uid == uid).map(|c| c.hook).collect();
    hooks.dedup();
    let is_repeated = |hook: &&str| matches!(*hook, "produce" | "process" | "on_data");
    let Some(first) = hooks.iter().position(is_repeated) else {
        return hooks.join(" ");
    };
    let last = hooks.iter().rposition(is_repeated).unwrap();
    let middle: BTreeSet<&str> = hooks[first..=last].iter().copied().collect();
    let middle: Vec<&str> = middle.into_iter().collect();
    let middle = format!("({})*", middle.join(" "));
    let parts = [&hooks[..first], &[middle.as_str()], &hooks[last + 1..]];
    parts.concat().join(" ")
}

/// One way to end, and what each kind of operator sees of it.
struct Row {
    deed: Option<Deed>,
    saves: bool,
    ending: Option<Ending>,
    source: &'static str,
    operator: &'static str,
    sink: &'static [&'static str],
}

fn check(row: &Row) {
    for scheduler in schedulers() {
        let folder = folder();
        let (send, signals) = crossbeam_channel::bounded(1);
        let deed = row.deed.clone().map(|deed| match deed {
            Deed::Send(signal, _) => Deed::Send(signal, send),
            other => other,
        });
        // The sink has seen a record only when all before it have.
        let moment = deed.map(|deed| Moment { uid: "sink", hook: "on_data", after: 99, deed });
        let count = if moment.is_some() { 0 } else { 500 };
        let log = log(moment);
        let job = Job::build("hooks", |pipeline| {
            pipeline_of(pipeline, log, count);
            Ok(())
        });
        // One checkpoint at the end and none on the way, to have the same calls each time.
        let checkpoints = saving(folder.path(), 86_400_000).filter(|_| row.saves);
        let options = RunOptions { scheduler, checkpoints, ..RunOptions::default() };
        let result = job.unwrap().run_watched(&options, &signals, &mut NoObserver);
        let what = format!("{:?}, {scheduler:?}", row.deed);
        assert_eq!(result.ok().map(|report| report.ending), row.ending, "{what}");
        let (calls, _) = calls(log);
        assert_eq!(told(&calls, "src"), row.source, "{what}");
        for uid in ["op", "keyed"] {
            assert_eq!(told(&calls, uid), row.operator, "{what}: {uid}");
        }
        let sink = told(&calls, "sink").replace("(flush on_data)*", "(on_data)*");
        assert!(row.sink.contains(&sink.as_str()), "{what}: {sink}");
    }
}

fn never() -> crossbeam_channel::Sender<Signal> {
    crossbeam_channel::bounded(0).0
}

#[test]
fn at_the_end_of_the_input_time_ends_then_all_is_flushed_and_closed() {
    let mut row = Row {
        deed: None,
        saves: false,
        ending: Some(Ending::Finished),
        source: "splits open (produce)* close",
        operator: "open (process)* on_watermark flush close",
        sink: &["open (on_data)* flush finish close"],
    };
    check(&row);
    row.saves = true;
    row.source = "splits open (produce)* snapshot close";
    row.sink = &["open (on_data)* flush finish on_barrier close"];
    check(&row);
}

#[test]
fn after_a_stop_the_sink_has_finished_all_is_closed_and_nothing_has_ended() {
    let mut row = Row {
        deed: Some(Deed::Send(Signal::Stop, never())),
        saves: false,
        ending: Some(Ending::Stopped),
        source: "splits open (produce)* close",
        operator: "open (process)* close",
        sink: &["open (on_data)* flush finish close"],
    };
    check(&row);
    row.saves = true;
    row.source = "splits open (produce)* snapshot close";
    row.sink = &["open (on_data)* flush finish on_barrier close"];
    check(&row);
}

#[test]
fn after_a_cancel_all_is_closed_and_nothing_flushed() {
    for saves in [false, true] {
        check(&Row {
            deed: Some(Deed::Send(Signal::Cancel, never())),
            saves,
            ending: Some(Ending::Cancelled),
            source: "splits open (produce)* close",
            operator: "open (process)* close",
            sink: &["open (on_data)* close", "open (on_data)* flush close"],
        });
    }
}

#[test]
fn after_a_failure_elsewhere_all_is_closed_and_nothing_flushed() {
    for (deed, saves) in [(Deed::Error, false), (Deed::Panic, false), (Deed::Error, true)] {
        check(&Row {
            deed: Some(deed),
            saves,
            ending: None,
            source: "splits open (produce)* close",
            operator: "open (process)* close",
            sink: &["open (on_data)* close"],
        });
    }
}

#[test]
fn after_a_restore_nothing_is_divided_again() {
    for scheduler in schedulers() {
        let folder = folder();
        let build = |log| {
            Job::build_with("hooks", Some(2), |pipeline| {
                pipeline_of(pipeline, log, 500);
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
