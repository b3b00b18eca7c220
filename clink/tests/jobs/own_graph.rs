//! Runs a job from the text of its own graph, and refuses the graph of another.

use clink::prelude::*;
use clink::{Job, JobError, RunOptions};
use clink_plan::graph::unpack_versions;
use clink_plan::id::OperatorId;
use clink_runtime::local::{JobReport, NoObserver};

use crate::support::Seen;

/// Multiplies by a parameter.
#[clink::operator(uid = "times")]
struct Times {
    factor: u64,
    label: String,
    limit: Option<u64>,
}

impl Operator for Times {
    type In = u64;
    type Out = u64;

    fn process(&mut self, n: u64, ctx: &mut Context<'_, u64>) -> Result<()> {
        assert_eq!(self.label, "a \"label\" = {}\n");
        if self.limit.is_none_or(|limit| n < limit) {
            ctx.emit(n * self.factor);
        }
        Ok(())
    }
}

fn job(seen: &Seen<u64>, parallelism: u32) -> Job {
    let build = |pipeline: &Pipeline| {
        let numbers = pipeline.generate(1_000, |n| n).uid("numbers").name("the \"numbers\"");
        let label = "a \"label\" = {}\n".to_owned();
        let times = numbers.process(Times { factor: 3, label, limit: Some(900) });
        let others = pipeline.elements(vec![1, 2, 3]).set_parallelism(1);
        let keyed = times.union(others).key_by(|n| n % 10).reduce(|a, b| a.max(b));
        keyed.map(seen.tap()).sink(blackhole()).name("end");
        Ok(())
    };
    Job::build_with("own", Some(parallelism), build).unwrap()
}

fn run(job: &Job, json: &str) -> Result<JobReport, JobError> {
    job.run_graph(json, &RunOptions::default(), &crossbeam_channel::never(), &mut NoObserver)
}

#[test]
fn a_job_runs_from_its_own_printed_graph() {
    for parallelism in [1, 4] {
        let seen = Seen::default();
        let printed = job(&Seen::default(), parallelism).graph().to_json();
        // Another build of the same job: what a worker has.
        run(&job(&seen, parallelism), &printed).unwrap();
        let found = seen.all();
        assert_eq!(found.len(), 903);
        assert_eq!(found.iter().max(), Some(&(899 * 3)));
    }
}

#[test]
fn a_graph_says_which_state_it_expects_by_the_ids_it_is_filed_under() {
    let job = job(&Seen::default(), 1);
    let graph = job.graph();
    let mut expected: Vec<(OperatorId, &str, &str)> = Vec::new();
    for (place, spec) in graph.operators.iter().enumerate() {
        let id = OperatorId::of(place, &spec.uid, &spec.id);
        if spec.inputs.is_empty() {
            expected.push((id, "operator_list_split:splits", "splits"));
        } else if spec.type_name.contains("reduce") {
            expected.push((id, "value:so_far", "so_far"));
        }
    }
    expected.sort();
    let found = unpack_versions(&graph.expected_state_versions).unwrap();
    assert!(found.iter().all(|version| version.version == 1), "{found:?}");
    let found: Vec<_> =
        found.iter().map(|of| (of.operator, of.state_type.as_str(), of.slot.as_str())).collect();
    assert_eq!(found, expected);
    assert!(expected.iter().any(|(id, ..)| *id == OperatorId::from_uid("numbers")));
}

/// Runs the job from its graph with one text replaced by another; the run is refused.
#[track_caller]
fn check_refused(from: &str, to: &str, says: &[&str]) {
    let seen = Seen::default();
    let job = job(&seen, 2);
    let printed = job.graph().to_json();
    assert!(printed.contains(from), "`{from}` is not in:\n{printed}");
    let error = run(&job, &printed.replacen(from, to, 1)).unwrap_err();
    let text = error.to_string();
    assert!(error.is_refusal(), "{text}");
    says.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in:\n{text}"));
    assert!(seen.all().is_empty(), "nothing ran");
}

#[test]
fn a_changed_graph_is_refused_and_the_operator_named() {
    check_refused("\"factor\":\"3\"", "\"factor\":\"4\"", &["operator `op_1`", "Times"]);
    check_refused("_inline_map_4", "_inline_map_9", &["operator `op_4`", "_inline_map_4"]);
    check_refused("\"numbers\"", "\"figures\"", &["operator `op_0`"]);
    // A key that is not known is kept, and the graph with it is another.
    check_refused("\"inputs\"", "\"imputs\"", &["operator `op_0`"]);
    check_refused("_inline_key_2", "_inline_key_7", &["operator `op_3`"]);
    check_refused("\"name\":\"own\"", "\"name\":\"foreign\"", &["its name"]);
}

#[test]
fn what_is_no_graph_is_refused_with_its_place() {
    check_refused("\"factor\"", "\"factor", &["read the job graph: "]);
    check_refused("\"inputs\":[", "\"inputs\":{", &["read the job graph: "]);
    check_refused("{", "", &["read the job graph: "]);
}

#[test]
fn a_graph_with_another_parallelism_is_another_graph() {
    let seen = Seen::default();
    let printed = job(&seen, 3).graph().to_json();
    let text = run(&job(&seen, 2), &printed).unwrap_err().to_string();
    assert!(text.contains("operator `op_0`"), "{text}");
}
