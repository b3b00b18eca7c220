//! Rescale: every transition and refusal, whose state goes where, and what can be exchanged alone.

use std::collections::BTreeSet;

use clink_plan::graph::JobGraphSpec;
use clink_plan::id::CheckpointId;
use clink_plan::key_group::key_group_range_for_subtask;
use clink_plan::planner::{JobPlan, PlanOptions, PlannedTask, RestoreFrom, plan_job};
use clink_plan::rescale::{
    CutoverObstacle, ParentError, RescaleCall, RescaleCoordinator, RescaleRefusal, RescaleState,
    cutover_obstacles, inherit_state, parents,
};
use proptest::prelude::*;

use clink_plan::validate::ValidateFacts;

use crate::support::{OperatorExt, facts, graph, op, plan};

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
    for &made in RescaleCall::ALL {
        let allowed: &[RescaleState] = match made {
            RescaleCall::Request => &[Idle, Complete, Aborted],
            RescaleCall::CheckpointReady | RescaleCall::ReplanComplete => &[Preparing],
            RescaleCall::OldDrained => &[Draining],
            RescaleCall::NewReady => &[CuttingOver],
            RescaleCall::Abort => &[Preparing, Draining, CuttingOver, Aborted],
        };
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
fn bounds_that_would_lead_nowhere_are_refused() {
    let mut rescale = RescaleCoordinator::new();
    rescale.register("x", 2, 0, 4);
    assert!(matches!(rescale.request("x", 0), Err(RescaleRefusal::NoBounds { .. })));
    let mut rescale = at(RescaleState::Preparing);
    for parallelism in [0, 9] {
        let refused = rescale.mark_replan_complete("sum", parallelism);
        assert!(matches!(refused, Err(RescaleRefusal::OutOfBounds { .. })), "{refused:?}");
    }
    assert_eq!(rescale, at(RescaleState::Preparing));
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

/// Whose state the tasks of `operator` take over, as text.
fn inherited(former: &JobGraphSpec, job: &JobGraphSpec, operator: &str) -> Vec<String> {
    let mut planned = plan(job);
    inherit_state(&mut planned, &plan(former));
    let runs = |task: &&PlannedTask| task.chain.operators().any(|op| op.id == operator);
    let shown = |task: &PlannedTask| match &task.restore_from {
        RestoreFrom::Own => "own".to_owned(),
        RestoreFrom::Parents(ranges) => format!("{ranges:?}"),
    };
    planned.tasks.iter().filter(runs).map(shown).collect()
}

#[test]
fn a_plan_says_whose_state_each_task_takes_over() {
    // The reference's example E25, and one that is no integer factor.
    let sum = |from, to| inherited(&job(from), &job(to), "sum");
    assert_eq!(sum(2, 4), ["[1..2]", "[1..2]", "[2..3]", "[2..3]"]);
    assert_eq!(sum(2, 1), ["[1..3]"]);
    assert_eq!(sum(3, 2), ["[1..3]", "[2..4]"]);
    let renamed = graph([op("a", &[]), op("out", &["a"])]);
    assert_eq!(inherited(&renamed, &job(2), "sum"), ["[]", "[]"]);
    assert!(plan(&job(2)).tasks.iter().all(|task| task.restore_from == RestoreFrom::Own));
}

#[test]
fn operators_that_are_chained_anew_bring_all_their_state() {
    let line = |parallelism| {
        let cnt = op("cnt", &["pre"]).keyed();
        let mut job = graph([op("in", &[]), op("pre", &["in"]), cnt, op("out", &["cnt"])]);
        job.override_parallelism(parallelism);
        job
    };
    // At 2, `pre` and `cnt` are apart: tasks 2 and 3, and 4 and 5.
    assert_eq!(inherited(&line(2), &line(1), "cnt"), ["[2..6]"]);
    assert_eq!(inherited(&line(1), &line(2), "pre"), ["[1..2]", "[1..2]"]);
    assert_eq!(inherited(&line(1), &line(2), "cnt"), ["[1..2]", "[1..2]"]);
    let ends = |b| {
        graph(
            [op("in", &[]).parallelism(2), op("a", &["in"]).parallelism(2)]
                .into_iter()
                .chain([op("b", &["a"]).parallelism(b), op("out", &["b"])]),
        )
    };
    // `a` had tasks 2 and 3, `b` had 4 to 6; the sink had 7.
    assert_eq!(inherited(&ends(3), &ends(2), "a"), ["[2..7]", "[2..7]"]);
    // With the ends fused, the state of the source and the sink comes along.
    let line = graph([op("in", &[]), op("a", &["in"]), op("out", &["a"])]);
    let fused = PlanOptions { fuse_par1: true, ..PlanOptions::default() };
    let mut fused = plan_job(&line, &fused, &ValidateFacts::default()).unwrap();
    inherit_state(&mut fused, &plan(&line));
    let RestoreFrom::Parents(parents) = &fused.tasks[0].restore_from else { panic!("its own") };
    assert_eq!(format!("{parents:?}"), "[0..3]");
}

#[test]
fn an_operator_is_found_again_by_its_uid() {
    let named = |id: &str, uid: &str, parallelism| {
        let sum = op(id, &["in"]).keyed().parallelism(parallelism).uid(uid);
        graph([op("in", &[]), sum, op("out", &[id])])
    };
    assert_eq!(
        inherited(&named("sum", "a", 2), &named("total", "a", 3), "total"),
        ["[1..2]", "[1..3]", "[2..3]"]
    );
    assert_eq!(inherited(&named("sum", "a", 2), &named("sum", "b", 2), "sum"), ["[]", "[]"]);
}

#[test]
fn state_without_keys_is_dealt_out_among_all() {
    let wide = |parallelism| {
        graph([op("in", &[]).parallelism(200), op("out", &["in"]).parallelism(parallelism)])
    };
    assert!(inherited(&wide(200), &wide(100), "in").iter().all(|from| from == "[0..200]"));
    assert!(inherited(&wide(200), &wide(100), "out").iter().all(|from| from == "[200..400]"));
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
        ["it is a sink: only operators between a source and a sink that do not tell two inputs \
          apart can be exchanged"]
    );
    let before = plan(&job(2));
    let unknown = cutover_obstacles(&before, &before, "sun");
    assert!(matches!(unknown[..], [CutoverObstacle::Unknown { .. }, _]), "{unknown:?}");
}

/// The obstacles where the job at parallelism 4 also changes otherwise.
fn obstacles_of(change: impl Fn(&mut JobGraphSpec)) -> Vec<String> {
    let changed = |parallelism| {
        let mut job = job(parallelism);
        job.operators.push(op("in2", &[]));
        job.operators.push(op("out2", &["in2"]));
        job.operators.push(op("out3", &["in"]));
        if parallelism == 4 {
            change(&mut job);
        }
        job
    };
    obstacles(changed, 2, 4)
}

#[test]
fn whatever_else_changes_is_an_obstacle() {
    let redefined = "its type, key, parameters or edges change, not its parallelism alone";
    assert_eq!(obstacles_of(|_| {}), [""; 0]);
    assert_eq!(obstacles_of(|job| job.operators[1].type_name += "x"), [redefined]);
    let params = |job: &mut JobGraphSpec| {
        job.operators[1].params.insert("a".to_owned(), "1".to_owned());
    };
    assert_eq!(obstacles_of(params), [redefined]);
    let key = |job: &mut JobGraphSpec| job.operators[1].key_by = "other".to_owned();
    assert_eq!(obstacles_of(key), [redefined, "the chains of `in` change as well"]);
    let input = |job: &mut JobGraphSpec| job.operators[1].inputs = vec!["in2".to_owned()];
    assert_eq!(obstacles_of(input), ["the chains of `in`, `in2` change as well"]);
    let bounds = |job: &mut JobGraphSpec| job.operators[1].max_parallelism = 16;
    assert_eq!(obstacles_of(bounds), ["the chains of `in` change as well"]);
    let other = |job: &mut JobGraphSpec| job.operators[3].type_name += "x";
    assert_eq!(obstacles_of(other), ["the chains of `in2` change as well"]);
    let edge = |job: &mut JobGraphSpec| job.operators[2].inputs.push("in2".to_owned());
    assert_eq!(obstacles_of(edge), ["the chains of `in2`, `out` change as well"]);
}

#[test]
fn a_join_beside_the_operator_is_an_obstacle() {
    let joined = |parallelism| {
        let mut job = job(parallelism);
        job.operators[2] = op("j", &["sum", "in"]).of_type("int64_int64_match_join").parallelism(3);
        job.operators.push(op("out", &["j"]));
        job
    };
    let planned =
        |parallelism| plan_job(&joined(parallelism), &PlanOptions::default(), &facts()).unwrap();
    let found = cutover_obstacles(&planned(2), &planned(4), "sum");
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        ["its neighbour `j` is a join, whose edges cannot be bent to other subtasks while it runs"]
    );
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
