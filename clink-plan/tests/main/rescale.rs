//! Rescale: every transition and refusal, whose state goes where, and what can be exchanged alone.

use std::collections::BTreeSet;

use clink_plan::graph::JobGraphSpec;
use clink_plan::id::CheckpointId;
use clink_plan::key_group::key_group_range_for_subtask;
use clink_plan::planner::JobPlan;
use clink_plan::rescale::{
    CutoverObstacle, ParentError, RescaleCall, RescaleCoordinator, RescaleRefusal, RescaleState,
    cutover_obstacles, inherit_state, parents,
};
use proptest::prelude::*;

use crate::support::{OperatorExt, graph, op, plan};

/// A coordinator whose operator `sum` runs at 2 within 1 to 8, brought to `state`.
fn at(state: RescaleState) -> RescaleCoordinator {
    let mut rescale = RescaleCoordinator::of(&job(2));
    if state == RescaleState::Idle {
        return rescale;
    }
    rescale.request("sum", 3).unwrap();
    let calls: [&dyn Fn(&mut RescaleCoordinator); 3] = [
        &|rescale| rescale.mark_checkpoint_ready("sum", CheckpointId(7)).unwrap(),
        &|rescale| (0..2).for_each(|index| rescale.mark_old_drained("sum", index).unwrap()),
        &|rescale| (0..3).for_each(|index| rescale.mark_new_ready("sum", index).unwrap()),
    ];
    let done = match state {
        RescaleState::Idle | RescaleState::Preparing | RescaleState::Aborted => 0,
        RescaleState::Draining => 1,
        RescaleState::CuttingOver => 2,
        RescaleState::Complete => 3,
    };
    calls.iter().take(done).for_each(|call| call(&mut rescale));
    if state == RescaleState::Aborted {
        rescale.abort("sum", "worker lost").unwrap();
    }
    assert_eq!(rescale.status("sum").unwrap().state, state);
    rescale
}

fn call(rescale: &mut RescaleCoordinator, call: RescaleCall) -> Result<(), RescaleRefusal> {
    match call {
        RescaleCall::Request => rescale.request("sum", 4),
        RescaleCall::CheckpointReady => rescale.mark_checkpoint_ready("sum", CheckpointId(9)),
        RescaleCall::OldDrained => rescale.mark_old_drained("sum", 0),
        RescaleCall::NewReady => rescale.mark_new_ready("sum", 0),
        RescaleCall::ReplanComplete => rescale.mark_replan_complete("sum", 4),
        RescaleCall::Abort => rescale.abort("sum", "again"),
    }
}

/// Source, `sum` keyed at `parallelism` within 1 to 8, sink.
fn job(parallelism: u32) -> JobGraphSpec {
    let sum = op("sum", &["in"]).keyed().parallelism(parallelism).bounds(1, 8);
    graph([op("in", &[]), sum, op("out", &["sum"])])
}

#[test]
fn each_call_is_allowed_in_its_states_and_refused_in_all_others_without_a_change() {
    use RescaleState::{Aborted, Complete, CuttingOver, Draining, Idle, Preparing};
    for (made, allowed) in [
        (RescaleCall::Request, &[Idle, Complete, Aborted][..]),
        (RescaleCall::CheckpointReady, &[Preparing]),
        (RescaleCall::OldDrained, &[Draining]),
        (RescaleCall::NewReady, &[CuttingOver]),
        (RescaleCall::ReplanComplete, &[Preparing]),
        (RescaleCall::Abort, &[Preparing, Draining, CuttingOver, Aborted]),
    ] {
        for &state in RescaleState::ALL {
            let mut rescale = at(state);
            let before = rescale.clone();
            let result = call(&mut rescale, made);
            if allowed.contains(&state) {
                assert_eq!(result, Ok(()), "{made} in {state}");
                assert_ne!(rescale, before, "{made} in {state}");
            } else {
                let operator = "sum".to_owned();
                let refusal = RescaleRefusal::WrongState { operator, call: made, state };
                assert_eq!(result, Err(refusal), "{made} in {state}");
                assert_eq!(rescale, before, "{made} in {state}");
            }
        }
    }
}

#[test]
fn a_rescale_ends_when_every_old_subtask_has_drained_and_every_new_one_is_ready() {
    let mut rescale = at(RescaleState::Draining);
    assert_eq!(rescale.status("sum").unwrap().cutover_checkpoint, Some(CheckpointId(7)));
    // A subtask that says it twice is counted once.
    rescale.mark_old_drained("sum", 1).unwrap();
    rescale.mark_old_drained("sum", 1).unwrap();
    assert_eq!(rescale.status("sum").unwrap().state, RescaleState::Draining);
    rescale.mark_old_drained("sum", 0).unwrap();
    rescale.mark_new_ready("sum", 2).unwrap();
    rescale.mark_new_ready("sum", 2).unwrap();
    rescale.mark_new_ready("sum", 0).unwrap();
    let status = rescale.status("sum").unwrap();
    assert_eq!((status.state, status.current_parallelism), (RescaleState::CuttingOver, 2));
    rescale.mark_new_ready("sum", 1).unwrap();
    let status = rescale.status("sum").unwrap();
    assert_eq!((status.state, status.current_parallelism), (RescaleState::Complete, 3));
    assert_eq!(rescale.status("in").unwrap().state, RescaleState::Idle);
}

#[test]
fn requests_are_refused_in_the_order_of_what_is_wrong() {
    let mut rescale = RescaleCoordinator::of(&job(2));
    let mut refused = |operator: &str, target: u32, expect: &str| {
        assert_eq!(rescale.request(operator, target).unwrap_err().to_string(), expect);
    };
    refused("sun", 3, "the job has no operator `sun`; it has: `in`, `out`, `sum`");
    let no_bounds = "operator `in` is not scalable: give it `min_parallelism` and \
                     `max_parallelism`";
    refused("in", 1, no_bounds);
    let outside = "operator `sum` cannot have parallelism 9: its bounds are 1 to 8";
    refused("sum", 9, outside);
    refused("sum", 0, &outside.replace('9', "0"));
    refused("sum", 2, "operator `sum` has parallelism 2 already");
    rescale.request("sum", 3).unwrap();
    assert_eq!(
        rescale.request("sum", 5).unwrap_err().to_string(),
        "cannot request a rescale of operator `sum`: it is preparing, expected idle or complete \
         or aborted"
    );
    // Where the rescale stands is said only of a request that would otherwise be right.
    assert!(matches!(rescale.request("sum", 9), Err(RescaleRefusal::OutOfBounds { .. })));
    assert!(matches!(rescale.request("sum", 2), Err(RescaleRefusal::Unchanged { .. })));
}

#[test]
fn a_subtask_that_there_is_not_is_refused() {
    let mut rescale = at(RescaleState::Draining);
    assert_eq!(
        rescale.mark_old_drained("sum", 2).unwrap_err().to_string(),
        "operator `sum` has no subtask 2: it has 2, counted from 0"
    );
    let mut rescale = at(RescaleState::CuttingOver);
    assert!(rescale.mark_new_ready("sum", 2).is_ok());
    assert!(matches!(rescale.mark_new_ready("sum", 3), Err(RescaleRefusal::NoSubtask { .. })));
}

#[test]
fn a_new_request_forgets_the_last_attempt() {
    for state in [RescaleState::Complete, RescaleState::Aborted] {
        let mut rescale = at(state);
        rescale.request("sum", 5).unwrap();
        let status = rescale.status("sum").unwrap();
        assert_eq!((status.state, status.target_parallelism), (RescaleState::Preparing, 5));
        assert_eq!(status.cutover_checkpoint, None);
        assert!(status.drained.is_empty() && status.ready.is_empty());
        assert_eq!(status.abort_reason, "");
    }
}

#[test]
fn giving_up_keeps_the_old_parallelism_and_the_reason() {
    let mut rescale = at(RescaleState::CuttingOver);
    rescale.abort("sum", "worker lost").unwrap();
    let status = rescale.status("sum").unwrap();
    assert_eq!((status.current_parallelism, status.target_parallelism), (2, 2));
    assert_eq!(status.abort_reason, "worker lost");
    rescale.abort("sum", "and another").unwrap();
    assert_eq!(rescale.status("sum").unwrap().abort_reason, "and another");
}

#[test]
fn a_job_planned_anew_takes_the_parallelism_it_was_planned_with() {
    let mut rescale = at(RescaleState::Preparing);
    rescale.mark_replan_complete("sum", 4).unwrap();
    let status = rescale.status("sum").unwrap();
    assert_eq!((status.state, status.current_parallelism), (RescaleState::Complete, 4));
}

#[test]
fn registering_again_starts_afresh_and_all_are_listed_by_id() {
    let mut rescale = at(RescaleState::Draining);
    rescale.register("sum", 6, 1, 8);
    let status = rescale.status("sum").unwrap();
    assert_eq!((status.state, status.current_parallelism), (RescaleState::Idle, 6));
    let ids: Vec<&str> = rescale.all().map(|(id, _)| id).collect();
    assert_eq!(ids, ["in", "out", "sum"]);
}

#[test]
fn parents_are_found_for_any_two_parallelisms() {
    assert_eq!(parents(2, 4, 1), Ok(0..1));
    assert_eq!(parents(4, 2, 1), Ok(2..4));
    assert_eq!(parents(2, 3, 1), Ok(0..2));
    assert_eq!(parents(5, 5, 3), Ok(3..4));
    assert_eq!(parents(0, 1, 0), Err(ParentError::NoSubtasks));
    assert_eq!(parents(1, 0, 0), Err(ParentError::NoSubtasks));
    assert_eq!(parents(2, 2, 2), Err(ParentError::NoSubtask { index: 2, parallelism: 2 }));
    assert_eq!(parents(1, 200, 2), Ok(0..0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn parents_are_those_whose_ranges_overlap(old in 1..200u32, new in 1..200u32) {
        let mut used = BTreeSet::new();
        for index in 0..new {
            let own = key_group_range_for_subtask(index, new);
            let expect: Vec<u32> = (0..old)
                .filter(|&at| !own.overlap(key_group_range_for_subtask(at, old)).is_empty())
                .collect();
            let holds = |at: &u32| !key_group_range_for_subtask(*at, old).is_empty();
            let found: Vec<u32> = parents(old, new, index).unwrap().filter(holds).collect();
            prop_assert_eq!(&found, &expect);
            used.extend(found);
        }
        // Nobody's state is left behind.
        let holders = (0..old).filter(|&at| !key_group_range_for_subtask(at, old).is_empty());
        prop_assert_eq!(used, holders.collect::<BTreeSet<u32>>());
    }
}

#[test]
fn a_plan_says_whose_state_each_task_takes_over() {
    // The reference's example E25, and one that is no integer factor.
    let inherited = |from: u32, to: u32| -> Vec<(Option<u32>, u32)> {
        let mut planned = plan(&job(to));
        inherit_state(&mut planned, &plan(&job(from)));
        let tasks = planned.tasks.iter().filter(|task| task.op_id == "sum");
        tasks.map(|task| (task.restore_from_subtask_idx, task.restore_from_parent_count)).collect()
    };
    assert_eq!(inherited(2, 4), [(Some(1), 1), (Some(1), 1), (Some(2), 1), (Some(2), 1)]);
    assert_eq!(inherited(2, 1), [(Some(1), 2)]);
    assert_eq!(inherited(3, 2), [(Some(1), 2), (Some(2), 2)]);
    let mut renamed = plan(&job(2));
    inherit_state(&mut renamed, &plan(&graph([op("a", &[]), op("out", &["a"])])));
    assert_eq!(renamed.tasks[0].restore_from_subtask_idx, None);
    assert_eq!(renamed.tasks[0].restore_from_parent_count, 0);
}

/// What keeps `sum` of a job from being exchanged for one at another parallelism.
fn obstacles(job: impl Fn(u32) -> JobGraphSpec, from: u32, to: u32) -> Vec<String> {
    let (before, after): (JobPlan, JobPlan) = (plan(&job(from)), plan(&job(to)));
    cutover_obstacles(&before, &after, "sum").iter().map(ToString::to_string).collect()
}

#[test]
fn an_operator_between_fans_can_be_exchanged() {
    assert_eq!(obstacles(job, 2, 4), [""; 0]);
    assert_eq!(obstacles(job, 4, 3), [""; 0]);
}

#[test]
fn every_obstacle_to_an_exchange_is_named() {
    assert_eq!(
        obstacles(job, 2, 1),
        ["its output to `out` is a forward edge after the rescale, subtask to subtask"]
    );
    assert_eq!(obstacles(job, 2, 2), ["its parallelism does not change"]);
    let unbounded = |parallelism| {
        let mut job = job(parallelism);
        (job.operators[1].min_parallelism, job.operators[1].max_parallelism) = (0, 0);
        job
    };
    assert_eq!(
        obstacles(unbounded, 2, 4),
        ["it has no `max_parallelism`, so its neighbours are not prepared for a change"]
    );
    let chained = |parallelism| {
        let mut job = job(parallelism);
        job.operators.insert(2, op("fmt", &["sum"]).parallelism(4));
        job.operators[3].inputs = vec!["fmt".to_owned()];
        job
    };
    assert_eq!(obstacles(chained, 2, 4), ["it shares its subtasks with `fmt` after the rescale"]);
    let unkeyed = |parallelism| {
        let mut job = job(parallelism);
        job.operators[1].key_by.clear();
        job
    };
    assert_eq!(
        obstacles(unkeyed, 1, 3),
        [
            "its input 0 is a forward edge before the rescale, subtask to subtask",
            "its output to `out` is a forward edge before the rescale, subtask to subtask",
        ]
    );
    let sink = |parallelism| graph([op("in", &[]), op("sum", &["in"]).parallelism(parallelism)]);
    assert_eq!(
        obstacles(sink, 2, 3),
        ["it is a sink: only operators between a source and a sink that read one stream can be \
          exchanged"]
    );
    let before = plan(&job(2));
    let unknown = cutover_obstacles(&before, &before, "sun");
    assert!(matches!(unknown[..], [CutoverObstacle::Unknown { .. }, _]), "{unknown:?}");
}

#[test]
fn a_plan_in_which_others_change_too_is_not_exchanged() {
    let wider = |parallelism| {
        let mut job = job(parallelism);
        job.operators[2].parallelism = parallelism + 1;
        job
    };
    assert_eq!(obstacles(wider, 2, 4), ["the chains of `out` change as well"]);
}
