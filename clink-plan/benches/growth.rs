//! Measures what planning costs for each operator, from ten operators to ten thousand.
//!
//! `cargo bench -p clink-plan --bench growth` prints microseconds per operator, the median of
//! rounds that take the sizes in turn. A pass is linear if its row stays level; the least that any
//! planner does, a hand-written loop that finds the operators that inputs name, stands above it.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock itself")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use clink_plan::deploy::{WorkerSlots, place};
use clink_plan::descriptor::Locations;
use clink_plan::explain::{Format, Shown};
use clink_plan::graph::{JobGraphSpec, OperatorSpec};
use clink_plan::planner::{JobPlan, PlanOptions, plan_job};
use clink_plan::validate::{ValidateFacts, validate};

/// Operators of a graph.
const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

/// How often each size is measured.
const ROUNDS: usize = 7;

/// Operators that one measurement handles in all: small graphs are planned many times.
const OPERATORS_PER_ROUND: usize = 20_000;

/// A shape of graph, by its name.
type Shape = (&'static str, fn(usize) -> JobGraphSpec);

const SHAPES: [Shape; 4] =
    [("line", line), ("fork", fork), ("union", union), ("shuffles at 4", shuffles)];

/// A pass over a graph, by its name.
type Pass = (&'static str, fn(&JobGraphSpec, &JobPlan));

const PASSES: [Pass; 9] = [
    ("find inputs by hand", |graph, _| drop(black_box(by_hand(graph)))),
    ("graph to JSON", |graph, _| drop(black_box(graph.to_json()))),
    ("JSON and back", |graph, _| drop(black_box(JobGraphSpec::from_json(&graph.to_json())))),
    ("validate", |graph, _| drop(black_box(validate(graph, &ValidateFacts::default())))),
    ("plan", |graph, _| drop(black_box(planned(graph)))),
    ("place on 8 workers", |_, plan| drop(black_box(place(plan, &workers(plan))))),
    ("plan as text", |graph, plan| drop(black_box(Shown::Plan(graph, plan).write(Format::Text)))),
    ("plan as JSON", |graph, plan| drop(black_box(Shown::Plan(graph, plan).write(Format::Json)))),
    ("graph as SVG", |graph, _| {
        drop(black_box(Shown::Graph(graph, &Locations::new()).write(Format::Svg)));
    }),
];

fn main() {
    println!("microseconds per operator{:>24}{:>9}{:>9}{:>9}", "10", "100", "1,000", "10,000");
    for (shape, make) in SHAPES {
        println!("{shape}");
        let graphs = SIZES.map(|size| {
            let graph = make(size);
            let plan = planned(&graph);
            (graph, plan)
        });
        for (name, pass) in PASSES {
            let mut times = SIZES.map(|_| Vec::new());
            for _ in 0..ROUNDS {
                for ((graph, plan), times) in graphs.iter().zip(&mut times) {
                    times.push(timed(graph, plan, pass));
                }
            }
            let medians = times.map(|mut times| {
                times.sort_unstable();
                times.get(ROUNDS / 2).map_or(0.0, |time| time.as_secs_f64() * 1e6)
            });
            let row = medians.map(|median| format!("{median:9.2}")).concat();
            println!("  {name:38}{row}");
        }
    }
}

/// The time that a pass takes for one operator.
fn timed(graph: &JobGraphSpec, plan: &JobPlan, pass: fn(&JobGraphSpec, &JobPlan)) -> Duration {
    let operators = graph.operators.len();
    let times = (OPERATORS_PER_ROUND / operators).max(1);
    let start = Instant::now();
    for _ in 0..times {
        pass(graph, plan);
    }
    start.elapsed() / u32::try_from(times * operators).unwrap_or(u32::MAX)
}

fn by_hand(graph: &JobGraphSpec) -> Vec<usize> {
    let operators = graph.operators.iter().enumerate();
    let places: BTreeMap<&str, usize> = operators.map(|(at, op)| (op.id.as_str(), at)).collect();
    let inputs = graph.operators.iter().flat_map(|op| &op.inputs);
    inputs.filter_map(|input| places.get(input.as_str()).copied()).collect()
}

fn planned(graph: &JobGraphSpec) -> JobPlan {
    plan_job(graph, &PlanOptions::default(), &ValidateFacts::default())
        .expect("the graphs of this benchmark can be planned")
}

fn workers(plan: &JobPlan) -> Vec<WorkerSlots> {
    let slots = u32::try_from(plan.tasks.len().div_ceil(8)).unwrap_or(u32::MAX);
    (0..8).map(|index| WorkerSlots::new(format!("worker-{index}"), slots)).collect()
}

fn op(id: &str, inputs: &[String]) -> OperatorSpec {
    let mut spec = OperatorSpec::new(id, "identity_int64", "int64");
    spec.inputs = inputs.to_vec();
    spec
}

fn graph(operators: Vec<OperatorSpec>) -> JobGraphSpec {
    JobGraphSpec { operators, ..JobGraphSpec::default() }
}

/// Each reads the one before.
fn line(size: usize) -> JobGraphSpec {
    let reads = |index: usize| {
        index.checked_sub(1).map(|before| format!("op{before}")).into_iter().collect::<Vec<_>>()
    };
    graph((0..size).map(|index| op(&format!("op{index}"), &reads(index))).collect())
}

/// All read the first.
fn fork(size: usize) -> JobGraphSpec {
    let readers = (1..size).map(|index| op(&format!("op{index}"), &["op0".to_owned()]));
    graph([op("op0", &[])].into_iter().chain(readers).collect())
}

/// The last reads all others.
fn union(size: usize) -> JobGraphSpec {
    let names: Vec<String> = (1..size).map(|index| format!("op{index}")).collect();
    let sources = names.iter().map(|name| op(name, &[]));
    graph(sources.chain([op("op0", &names)]).collect())
}

/// A line of keyed operators with four subtasks each, so that nothing is chained.
fn shuffles(size: usize) -> JobGraphSpec {
    let mut graph = line(size);
    for spec in &mut graph.operators {
        spec.parallelism = 4;
        if !spec.inputs.is_empty() {
            spec.key_by = "identity".to_owned();
        }
    }
    graph
}
