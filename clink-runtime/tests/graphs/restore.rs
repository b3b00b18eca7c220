//! Cuts graphs short under many seeds, lets them go on, and finds each record in a file once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clink_runtime::error::Error;
use clink_runtime::local::{Ending, Signal};
use clink_runtime::operator::stage::OperatorStage;
use clink_runtime::operator::try_map::TryMap;
use clink_runtime::plan::planner::PlanOptions;
use clink_runtime::registry::Registry;
use clink_runtime::scheduler::SchedulerKind;
use crossbeam_channel::Receiver;

use crate::support::{Files, PLANS, Way, sorted};

/// Records of a job.
const COUNT: u64 = 1_500;

/// Stories of each shape; each makes and reads files, so they are few whatever is asked for.
const STORIES: u64 = 24;

/// How an attempt is cut short, after how many records.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Stop(u64),
    Fail(u64),
    Never,
}

/// The built-ins, and an operator on each channel that cuts the job short.
fn registry(cut: Cut) -> (Registry, Receiver<Signal>) {
    let (send, signals) = crossbeam_channel::bounded(2);
    let passed = Arc::new(AtomicU64::new(0));
    let pass = move || match (cut, passed.fetch_add(1, Ordering::Relaxed)) {
        (Cut::Fail(at), passed) if at == passed => Err(Error::new("cut short")),
        (Cut::Stop(at), passed) if at == passed => {
            send.try_send(Signal::Stop).unwrap();
            Ok(())
        }
        _ => Ok(()),
    };
    let pass = Arc::new(pass);
    let mut registry = Registry::with_builtins();
    let numbers = Arc::clone(&pass);
    let numbers = Arc::new(move |value: i64| numbers().map(|()| value));
    let texts = Arc::new(move |value: String| pass().map(|()| value));
    let stage = move || -> Box<dyn clink_runtime::operator::stage::Stage> {
        Box::new(OperatorStage::inline(TryMap::new(Arc::clone(&numbers))))
    };
    registry.add_operator::<i64, i64>("cut_int64".to_owned(), Registry::inline_stage(stage));
    let stage = move || -> Box<dyn clink_runtime::operator::stage::Stage> {
        Box::new(OperatorStage::inline(TryMap::new(Arc::clone(&texts))))
    };
    registry.add_operator::<String, String>("cut_string".to_owned(), Registry::inline_stage(stage));
    (registry, signals)
}

/// A graph: `#` and `%` stand for parallelisms.
struct Shape {
    text: &'static str,
    expected: Vec<String>,
    input: Option<String>,
}

fn ranges() -> Shape {
    let text = r#"{"ops":[
        {"id":"src","type":"int64_range_source","out_channel":"int64","parallelism":#,"uid":"src",
         "params":{"count":"1500"}},
        {"id":"cut","type":"cut_int64","out_channel":"int64","parallelism":#,"inputs":["src"]},
        {"id":"key","type":"identity_int64","out_channel":"int64","parallelism":%,
         "inputs":["cut"],"key_by":"identity"},
        {"id":"snk","type":"file_int64_sink","out_channel":"int64","parallelism":%,"uid":"snk",
         "inputs":["key"],"params":{"path":"@/out"}}]}"#;
    Shape { text, expected: sorted(1..=COUNT), input: None }
}

fn texts() -> Shape {
    let text = r#"{"ops":[
        {"id":"src","type":"file_text_source","out_channel":"string","parallelism":#,"uid":"src",
         "params":{"path":"@/in"}},
        {"id":"cut","type":"cut_string","out_channel":"string","parallelism":#,"inputs":["src"]},
        {"id":"snk","type":"file_text_sink","out_channel":"string","parallelism":%,"uid":"snk",
         "inputs":["cut"],"params":{"path":"@/out"}}]}"#;
    let line = |n: u64| format!("{n}{}", " x".repeat((n % 13) as usize));
    let lines: Vec<String> = (0..COUNT).map(line).collect();
    Shape { text, expected: sorted(&lines), input: Some(lines.join("\n") + "\n") }
}

fn lines() -> Shape {
    let text = r#"{"ops":[
        {"id":"src","type":"string_lines_source","out_channel":"string","parallelism":#,
         "uid":"src","params":{"lines":"LINES"}},
        {"id":"cut","type":"cut_string","out_channel":"string","parallelism":#,"inputs":["src"]},
        {"id":"snk","type":"file_line_sink","out_channel":"string","parallelism":%,"uid":"snk",
         "inputs":["cut"],"params":{"path":"@/out"}}]}"#;
    let lines: Vec<String> = (0..COUNT).map(|n| n.to_string()).collect();
    let text = text.replace("LINES", &lines.join("\\n")).leak();
    Shape { text, expected: sorted(lines), input: None }
}

/// A story chosen by a seed: attempts that are cut, each gone on with, and one that is not.
fn tell(shape: &Shape, seed: u64, plan: PlanOptions, parallelisms: &[u32]) -> u32 {
    let files = Files::new();
    if let Some(input) = &shape.input {
        files.write("in", input);
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut told = format!("seed {seed}, {plan:?}");
    let (mut restored, mut went_on) = (false, 0);
    loop {
        let cut = match random.u8(..6) {
            0..2 => Cut::Stop(random.u64(..COUNT)),
            2..4 => Cut::Fail(random.u64(..COUNT)),
            _ => Cut::Never,
        };
        let (registry, signals) = registry(cut);
        let way = Way {
            plan,
            scheduler: SchedulerKind::Simulation { seed: random.u64(..) },
            capacity: *random.choice(&[1, 5, 2_048]).unwrap(),
            interval_ms: Some(*random.choice(&[1, 5, 50]).unwrap()),
            restored,
            signals,
        };
        let mut choose = || random.choice(parallelisms).unwrap().to_string();
        let text = shape.text.replace('#', &choose()).replace('%', &choose());
        told += &format!("\n{cut:?}, restored {restored}, capacity {}", way.capacity);
        let outcome = files.run(&registry, &text, way);
        went_on += u32::from(restored);
        match outcome {
            Ok(report) if report.ending == Ending::Finished => break,
            Ok(report) => assert_eq!(report.ending, Ending::Stopped, "{told}"),
            Err(error) => assert!(error.to_string().ends_with("cut short"), "{told}: {error}"),
        }
        // A failure before the first checkpoint leaves nothing to go on from.
        restored = files.has_checkpoint();
    }
    assert_eq!(files.lines("out"), shape.expected, "{told}");
    went_on
}

fn tell_all(shape: &Shape, plan: PlanOptions, parallelisms: &[u32]) {
    let went_on: u32 = (0..STORIES).map(|seed| tell(shape, seed, plan, parallelisms)).sum();
    assert!(u64::from(went_on) >= STORIES / 2, "only {went_on} attempts went on from a checkpoint");
}

#[test]
fn each_record_is_in_a_file_once_whatever_the_parallelism() {
    for shape in [ranges(), texts(), lines()] {
        tell_all(&shape, PlanOptions::default(), &[1, 2, 3, 5]);
    }
}

#[test]
fn fused_and_unchained_plans_go_on_as_well() {
    for plan in PLANS {
        for shape in [ranges(), texts(), lines()] {
            tell_all(&shape, plan, &[1]);
        }
    }
}

#[test]
fn a_checkpoint_of_one_plan_is_gone_on_with_under_another() {
    for (stopped, restored) in [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2)] {
        let (files, shape) = (Files::new(), ranges());
        let text = shape.text.replace(['#', '%'], "1");
        for (attempt, plan) in
            [stopped, restored].map(|index: usize| PLANS[index]).iter().enumerate()
        {
            let cut = if attempt == 0 { Cut::Stop(COUNT / 2) } else { Cut::Never };
            let (registry, signals) = registry(cut);
            let way = Way {
                plan: *plan,
                scheduler: SchedulerKind::Simulation { seed: 3 },
                interval_ms: Some(5),
                restored: attempt > 0,
                signals,
                ..Way::default()
            };
            files.run(&registry, &text, way).unwrap();
        }
        assert_eq!(files.lines("out"), shape.expected, "{stopped} then {restored}");
    }
}
