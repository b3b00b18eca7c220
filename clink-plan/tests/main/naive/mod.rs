//! Compares the planner with a naive one that shares nothing with it but its specification.
//!
//! [`graphs`] makes a valid graph from a seed. [`planner`] groups its operators from the JSON
//! alone, in the plainest way: [`wires`] is a list of all references, and every question a search
//! through it. [`tasks`] writes down what came of it. [`coverage`] counts what the graphs were
//! about.

mod coverage;
mod graphs;
mod planner;
mod random;
mod tasks;
mod wires;

pub(crate) use graphs::graph;

use std::thread;

use clink_plan::explain::plan_to_json;
use clink_plan::graph::JobGraphSpec;
use clink_plan::planner::{JobPlan, PlanOptions, plan_job};
use serde_json::Value;

use crate::support::facts;
use coverage::Coverage;
use planner::{Choice, Group};
use wires::Job;

const GRAPHS: u64 = 10_000;
/// Halves the time on the machines that have two cores.
const THREADS: u64 = 2;

const CHOICES: [Choice; 3] = [
    Choice { chaining: true, fusing: false },
    Choice { chaining: false, fusing: false },
    Choice { chaining: true, fusing: true },
];

/// Plans a graph that must be valid.
fn planned(seed: u64, graph: &JobGraphSpec, choice: Choice) -> JobPlan {
    let options = PlanOptions { chaining: choice.chaining, fuse_par1: choice.fusing };
    plan_job(graph, &options, &facts()).unwrap_or_else(|problems| {
        panic!("seed {seed} makes no valid graph: {problems:#?}\n{}", graph.to_json())
    })
}

/// Says where two plans part, the naive one a list of tasks.
fn first_difference(ours: &str, naive: &str) -> String {
    let ours: Value = serde_json::from_str(ours).unwrap();
    let ours = ours["tasks"].as_array().unwrap();
    let naive: Vec<Value> = serde_json::from_str(naive).unwrap();
    let differ = ours.iter().zip(&naive).find(|(ours, naive)| ours != naive);
    match differ {
        Some((ours, naive)) => format!("planner: {ours:#}\nnaive:   {naive:#}"),
        None if *ours == naive => "the keys are in another order".to_owned(),
        None => format!("planner: {} tasks, naive: {}", ours.len(), naive.len()),
    }
}

/// Plans the graph of a seed both ways; to repeat a failure, call it with that seed alone.
fn compare(seed: u64, coverage: &mut Coverage) {
    let graph = graph(seed);
    let text = graph.to_string();
    let spec = JobGraphSpec::from_json(&text).unwrap();
    let job = Job::read(&graph);
    let mut agreed: Vec<(JobPlan, Vec<Group<'_>>)> = Vec::new();
    for choice in CHOICES {
        let (plan, groups) = (planned(seed, &spec, choice), job.planned(choice));
        // Many a choice changes nothing, and most of the time goes into writing JSON.
        let known = |both: &(JobPlan, Vec<_>)| {
            both.0.tasks == plan.tasks && Group::all_same(&both.1, &groups)
        };
        if agreed.iter().any(known) {
            continue;
        }
        let (ours, naive) = (plan_to_json(&plan), job.tasks(&groups));
        let agree = ours.starts_with(&format!("{{\"ok\":true,\"tasks\":{naive},\"warnings\":["));
        assert!(agree, "seed {seed}, {choice:?}\n{text}\n{}", first_difference(&ours, &naive));
        coverage.count(&job, &groups);
        agreed.push((plan, groups));
    }
}

#[test]
fn ten_thousand_graphs_plan_as_the_naive_planner_does() {
    let mut coverage = Coverage::default();
    thread::scope(|scope| {
        let share = |from: u64| {
            move || {
                let mut coverage = Coverage::default();
                (from..GRAPHS).step_by(THREADS as usize).for_each(|s| compare(s, &mut coverage));
                coverage
            }
        };
        let threads: Vec<_> = (0..THREADS).map(|from| scope.spawn(share(from))).collect();
        threads.into_iter().for_each(|thread| coverage.add(thread.join().unwrap()));
    });
    coverage.assert_enough();
}
