//! Reads what operators log in a process that has a log: by their context, and as their author logs
//! anywhere else.

use std::process::Command;

use clink::cli::Exit;
use clink::cli::verbs::{self, LogFormat, LogOptions};
use clink::prelude::*;
use clink::run::BadRecordPolicy;
use clink::{Job, RunOptions};
use serde_json::{Value, json};

/// How the child logs: `text` or `json`.
const FORMAT: &str = "CLINK_TEST_LOG";

/// Logs in each of its hooks.
#[clink::operator(uid = "numbers")]
#[derive(Default)]
struct Numbers {
    #[transient]
    left: Vec<u64>,
}

impl Source for Numbers {
    type Out = u64;
    type Split = u64;

    fn splits(&self, wanted: u32) -> Result<Vec<u64>> {
        Ok((0..wanted.into()).collect())
    }

    fn open(&mut self, splits: Vec<u64>, ctx: &RuntimeContext) -> Result<()> {
        ctx.log_info(format_args!("opens {} of {}", splits.len(), ctx.parallelism()));
        self.left = splits;
        Ok(())
    }

    fn produce(&mut self, ctx: &mut SourceContext<'_, u64>) -> Result<Produced> {
        let Some(n) = self.left.pop() else { return Ok(Produced::End) };
        tracing::info!(target: "author", n, "produces");
        ctx.emit(n);
        Ok(Produced::More)
    }

    fn snapshot(&mut self) -> Result<Vec<u64>> {
        Ok(self.left.clone())
    }

    fn close(&mut self) -> Result<()> {
        tracing::warn!(target: "author", "closes");
        Ok(())
    }
}

/// Logs in each of its hooks, and keeps an accumulator.
#[clink::operator(uid = "looks")]
struct Looks;

impl KeyedOperator for Looks {
    type Key = u64;
    type In = u64;
    type Out = u64;

    fn open(&mut self, ctx: &RuntimeContext) -> Result<()> {
        ctx.log_debug("not at this level");
        Ok(())
    }

    fn process(&mut self, n: u64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let runtime = ctx.runtime();
        runtime.accumulator("seen").add(-1);
        let step = tracing::info_span!(target: "author", "step", operator = "mine");
        step.in_scope(|| tracing::error!(target: "author", n, "takes"));
        runtime.report_bad_record("not wanted", n)?;
        ctx.timers().register_event_time(EventTime::from_millis(1));
        Ok(())
    }

    fn on_event_time_timer(
        &mut self,
        _: EventTime,
        ctx: &mut KeyedContext<'_, Self>,
    ) -> Result<()> {
        ctx.runtime().log_warn(format_args!("fires for {}", ctx.key()));
        Ok(())
    }
}

/// Is the job of the child process; without a format there is nothing to do.
#[test]
fn child_that_logs() {
    let Ok(format) = std::env::var(FORMAT) else { return };
    let format = if format == "json" { LogFormat::Json } else { LogFormat::Text };
    verbs::start_log(LogOptions { format, ..LogOptions::default() });
    let job = Job::build_with("logs", Some(2), |pipeline| {
        let numbers = pipeline.source(Numbers::default()).filter(|n| {
            tracing::info!(target: "author", "filters");
            *n < 2
        });
        numbers.key_by(|n| *n).process(Looks).sink(blackhole());
        Ok(())
    });
    let options = RunOptions { bad_records: BadRecordPolicy::Skip, ..RunOptions::default() };
    let matches = verbs::with_run_flags(clap::Command::new("job")).get_matches_from(["job"]);
    assert_eq!(verbs::run(&job.unwrap(), &options, &matches), Exit::Done);
}

/// The lines of the child's log, in order.
fn lines(format: &str) -> Vec<String> {
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "logged::child_that_logs", "--nocapture"])
        .env(FORMAT, format)
        .output()
        .unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{said}");
    let mut lines: Vec<String> = said.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Goal: whatever an operator logs, in whichever hook and on whichever thread, says which operator
/// and which of its subtasks it is from. Method: a job of two subtasks each on the pool's threads.
#[test]
fn every_line_of_an_operator_says_which_operator_and_subtask_it_is_from() {
    let mut found = lines("text");
    // The keys 0 and 1 belong to the subtasks 1 and 0.
    let mut expected = vec![
        "opens 1 of 2 operator=op_0 subtask=0",
        "opens 1 of 2 operator=op_0 subtask=1",
        "produces n=0 operator=op_0 subtask=0",
        "produces n=1 operator=op_0 subtask=1",
        "warning: closes operator=op_0 subtask=0",
        "warning: closes operator=op_0 subtask=1",
        "filters operator=op_1 subtask=0",
        "filters operator=op_1 subtask=1",
        "error: takes operator=mine n=0 operator=op_2 subtask=1",
        "error: takes operator=mine n=1 operator=op_2 subtask=0",
        "warning: fires for 0 operator=op_2 subtask=1",
        "warning: fires for 1 operator=op_2 subtask=0",
        "2 bad records skipped",
        "accumulator `seen` of `Looks` (op_2): -2",
    ];
    expected.sort_unstable();
    let ended = found.extract_if(.., |line| line.starts_with("finished in ")).count();
    assert_eq!((found, ended), (expected.iter().map(|line| (*line).to_owned()).collect(), 1));
}

#[test]
fn every_object_of_an_operator_has_its_job_operator_and_subtask() {
    let found = lines("json").into_iter().map(|line| {
        let mut object: Value = serde_json::from_str(&line).unwrap();
        object.as_object_mut().unwrap().remove("time").unwrap();
        object
    });
    let found: Vec<Value> = found.collect();
    assert!(found.iter().all(|object| object["job"] == "logs"), "{found:#?}");
    let of = |message: &str| -> Vec<&Value> {
        found.iter().filter(|object| object["message"] == message).collect()
    };
    assert_eq!(
        of("fires for 0"),
        [&json!({
            "level": "warn", "message": "fires for 0", "target": "job", "job": "logs",
            "operator": "op_2", "subtask": 1,
        })]
    );
    let mut taken = of("takes");
    taken.sort_by_key(|object| object["n"].as_u64());
    assert_eq!(
        taken[1],
        &json!({
            "level": "error", "message": "takes", "target": "author", "spans": ["step"],
            "job": "logs", "operator": "op_2", "subtask": 0, "fields.operator": "mine", "n": 1,
        })
    );
    assert_eq!(of("closes").len(), 2);
    assert_eq!(
        of("accumulator `seen` of `Looks` (op_2): -2"),
        [&json!({
            "level": "info", "message": "accumulator `seen` of `Looks` (op_2): -2", "job": "logs",
            "operator": "op_2", "accumulator": "seen", "sum": -2,
        })]
    );
}
