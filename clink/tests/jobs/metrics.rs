//! Reads the metrics of jobs at work, as text and as numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use clink::prelude::*;
use clink::run::{JobView, Observer, SchedulerKind, SubtaskView};
use clink::{Job, RunOptions};
use clink_runtime::metrics::series::{Kind, SERIES};

use crate::exposition::{Sample, parse};
use crate::support::{folder, saving};

/// Records of the key 0.
const ZEROS: OutputTag<i64> = OutputTag::new("zeros");

/// A count per key; keeps numbers of its own besides.
#[clink::operator(uid = "count")]
#[derive(Default)]
struct Count {
    #[state]
    seen: ValueState<u64>,
}

impl KeyedOperator for Count {
    type Key = i64;
    type In = i64;
    type Out = u64;

    fn process(&mut self, n: i64, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let seen = self.seen.update(ctx, |n| n + 1)?;
        let runtime = ctx.runtime();
        runtime.counter("seen \"all\"")?.add(1);
        runtime.gauge("last\n")?.set(-n);
        runtime.accumulator("sum").add(-n);
        if *ctx.key() == 0 {
            ctx.emit_side(&ZEROS, n)?;
        }
        ctx.emit(seen);
        Ok(())
    }
}

const ROWS: u64 = 5_000;

/// Reads numbers from a file, counts them per key and throws the counts away.
fn counting(path: &str) -> Job {
    let job = Job::build_with("say \"hi\"", Some(2), |pipeline| {
        let counts = pipeline
            .source(files::ndjson::<i64>(path))
            .name("C:\\rows\n")
            .event_time(|n| Timestamp::from_millis(*n), monotonic())
            .key_by(|n| n % 7)
            .process(Count::default());
        let zeros = counts.side_output(&ZEROS);
        counts.sink(blackhole()).uid("out");
        zeros.sink(blackhole());
        Ok(())
    });
    job.unwrap()
}

fn rows(folder: &std::path::Path) -> String {
    let path = folder.join("rows.ndjson");
    let lines: String = (0..ROWS).map(|n| format!("{n}\n")).collect();
    std::fs::write(&path, lines).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Keeps the text of every look.
#[derive(Default)]
struct Looks(Vec<String>);

impl Observer for Looks {
    fn every(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    fn started(&mut self, view: &JobView) {
        self.0.push(view.to_prometheus());
    }

    fn look(&mut self, view: &JobView) {
        self.0.push(view.to_prometheus());
    }
}

fn sum(samples: &[Sample], name: &str, operator: &str) -> f64 {
    let of = |sample: &&Sample| sample.name == name && sample.labels["operator"] == operator;
    samples.iter().filter(of).map(|sample| sample.value).sum()
}

#[test]
fn a_run_tells_every_series_of_the_table_and_nothing_else() {
    let folder = folder();
    let checkpoints = saving(&folder.path().join("state"), 1);
    let options = RunOptions { checkpoints, ..RunOptions::default() };
    let job = counting(&rows(folder.path()));
    let report = job.run(&options).unwrap();
    let samples = parse(&report.view.to_prometheus());
    let told: BTreeSet<_> = samples.iter().map(|sample| sample.name.as_str()).collect();
    assert_eq!(told, SERIES.iter().map(|series| series.name).collect::<BTreeSet<_>>());
    for sample in &samples {
        let series = SERIES.iter().find(|series| series.name == sample.name).unwrap();
        let labels: BTreeSet<_> = sample.labels.keys().map(String::as_str).collect();
        assert_eq!(labels, series.read.labels().iter().copied().collect(), "{}", sample.name);
        assert_eq!(sample.labels["job"], "say \"hi\"");
    }
    let read = "clink_records_out_total";
    assert_eq!(sum(&samples, read, "op_0"), ROWS as f64);
    assert_eq!(sum(&samples, "clink_records_in_total", "op_3"), ROWS as f64);
    let bytes: u64 = (0..ROWS).map(|n| n.to_string().len() as u64 + 1).sum();
    assert_eq!(sum(&samples, "clink_bytes_read_total", "op_0"), bytes as f64);
    assert_eq!(sum(&samples, "clink_channel_depth_records", "op_3"), 0.0);
    let high = sum(&samples, "clink_channel_high_water_records", "op_3");
    assert!((1.0..=sum(&samples, "clink_channel_capacity_records", "op_3")).contains(&high));
    let watermarks = samples.iter().filter(|sample| sample.name == "clink_watermark_ms");
    assert!(watermarks.clone().all(|sample| sample.value == f64::INFINITY));
    assert_eq!(watermarks.count(), 5 * 2, "source, event time and count, two sinks: two of each");
    assert_eq!(sum(&samples, "clink_custom_total", "op_2"), ROWS as f64);
    assert_eq!(sum(&samples, "clink_accumulator", "op_2"), -((ROWS * (ROWS - 1) / 2) as f64));
    let zeros = ROWS.div_ceil(7) as f64;
    assert_eq!(sum(&samples, "clink_side_output_records_total", "op_2"), zeros);
    let source = samples.iter().find(|sample| sample.name == read).unwrap();
    assert_eq!((&*source.labels["name"], &*source.labels["uid"]), ("C:\\rows\n", "ndjson-source"));
    assert!(samples.iter().any(|sample| sample.labels.get("uid").is_some_and(|u| u == "out")));
}

#[test]
fn no_counter_of_a_run_goes_back() {
    let folder = folder();
    let job = counting(&rows(folder.path()));
    let mut looks = Looks::default();
    job.run_watched(&RunOptions::default(), &crossbeam_channel::never(), &mut looks).unwrap();
    let counters = SERIES.iter().filter(|series| series.kind == Kind::Counter);
    let counters: BTreeSet<_> = counters.map(|series| series.name).collect();
    let mut before: BTreeMap<String, f64> = BTreeMap::new();
    for text in &looks.0 {
        for sample in parse(text).into_iter().filter(|sample| counters.contains(&*sample.name)) {
            let key = format!("{} {:?}", sample.name, sample.labels);
            let last = before.insert(key.clone(), sample.value).unwrap_or(0.0);
            assert!(sample.value >= last, "{key}: {last} and then {}", sample.value);
        }
    }
    assert!(looks.0.len() >= 2, "one at the start and one at the end");
}

fn simulated(seed: u64, capacity: u32) -> RunOptions {
    RunOptions {
        scheduler: SchedulerKind::Simulation { seed },
        channel_capacity: capacity,
        ..RunOptions::default()
    }
}

#[test]
fn under_simulation_the_same_seed_tells_the_same_times() {
    let folder = folder();
    let path = rows(folder.path());
    let run = || counting(&path).run(&simulated(7, 16)).unwrap().view.to_prometheus();
    let text = run();
    assert!(sum(&parse(&text), "clink_ready_seconds_total", "op_1") > 0.0, "{text}");
    assert_eq!(text, run());
}

fn of<'v>(view: &'v JobView, operator: &str) -> &'v SubtaskView {
    view.subtasks.iter().find(|subtask| subtask.operator == operator).unwrap()
}

#[test]
fn a_sender_is_blocked_while_its_channel_is_full_and_a_receiver_idle_while_it_is_empty() {
    let job = Job::build("narrow", |pipeline| {
        pipeline.generate(2_000, |n| n).map(|n| n).sink(blackhole());
        Ok(())
    });
    let view = job.unwrap().run(&simulated(3, 1)).unwrap().view;
    for subtask in view.subtasks.iter() {
        let times = subtask.times();
        let age = times.busy + times.idle + times.blocked + times.ready;
        let ran_ms = u64::try_from(view.now_ms - view.started_ms).unwrap();
        assert!(age <= Duration::from_millis(ran_ms), "{}: {times:?}", subtask.operator);
    }
    assert!(of(&view, "op_0").times().blocked > Duration::from_millis(100));
    assert_eq!(of(&view, "op_2").times().blocked, Duration::ZERO, "a sink sends nothing on");
    assert!(of(&view, "op_2").times().idle > Duration::from_millis(100));
    let input = of(&view, "op_1").input.as_ref().unwrap();
    assert_eq!((input.capacity(), input.high_water(), input.depth()), (1, 1, 0));
    assert!(of(&view, "op_0").input.is_none());
}
