//! Placement: every subtask a slot, spread over the workers, neighbours together.

use std::collections::{BTreeMap, BTreeSet};

use clink_plan::deploy::{PlacementError, WorkerSlots, place};
use clink_plan::explain::{
    DiagramLanguage, draw_placement, explain_placement, explain_plan, placement_to_json,
};
use clink_plan::graph::JobGraphSpec;
use clink_plan::id::WorkerId;
use clink_plan::planner::{JobPlan, RoutingMode};
use clink_plan::validate::Diagnostic;
use proptest::prelude::*;

use crate::graph_laws::acyclic;
use crate::support::{OperatorExt, compare_golden, graph, op, plan};

fn workers(slots: &[(&str, u32)]) -> Vec<WorkerSlots> {
    slots.iter().map(|&(name, count)| WorkerSlots::new(name, count)).collect()
}

/// The workers of the subtasks, in plan order.
fn homes(plan: &JobPlan, slots: &[(&str, u32)]) -> Vec<String> {
    let placement = place(plan, &workers(slots)).unwrap();
    placement.slots.into_iter().map(|slot| slot.worker.0).collect()
}

/// Source, keyed operator and sink, each with two subtasks.
fn keyed() -> JobGraphSpec {
    let mut job = graph([
        op("in", &[]),
        op("pre", &["in"]),
        op("sum", &["pre"]).keyed(),
        op("out", &["sum"]),
    ]);
    job.override_parallelism(2);
    job
}

#[test]
fn subtasks_of_one_index_that_forward_edges_join_share_a_worker() {
    // in and pre are joined, sum and out are, and between the pairs records are shuffled.
    let plan = plan(&keyed());
    assert_eq!(
        homes(&plan, &[("a", 4), ("b", 4)]),
        ["a", "b", "a", "b", "a", "b", "a", "b"],
        "{}",
        explain_plan(&keyed(), &plan)
    );
}

#[test]
fn the_roomiest_worker_comes_first_and_equals_go_by_name() {
    let apart = plan(&graph([op("in", &[]).parallelism(3), op("out", &["in"]).parallelism(2)]));
    assert_eq!(homes(&apart, &[("b", 2), ("a", 2), ("c", 3)]), ["c", "a", "b", "c", "a"]);
}

#[test]
fn a_group_too_large_for_any_worker_is_cut_along_its_edges() {
    let line = plan(&graph([op("in", &[]), op("a", &["in"]), op("out", &["a"])]));
    assert_eq!(homes(&line, &[("a", 2), ("b", 1)]), ["a", "a", "b"]);
}

#[test]
fn the_order_in_which_workers_are_listed_changes_nothing() {
    let plan = plan(&keyed());
    assert_eq!(homes(&plan, &[("a", 5), ("b", 3)]), homes(&plan, &[("b", 3), ("a", 5)]));
}

#[test]
fn slots_of_other_jobs_are_left_alone_and_the_lowest_free_one_is_taken() {
    let pair = plan(&graph([op("in", &[]), op("out", &["in"])]));
    let busy = WorkerSlots::new("a", 4).with_taken(0).with_taken(2).with_taken(9);
    assert_eq!(busy.free_count(), 2);
    let placement = place(&pair, &[busy]).unwrap();
    let slots: Vec<u32> = placement.slots.iter().map(|slot| slot.index).collect();
    assert_eq!(slots, [1, 3]);
}

#[test]
fn a_worker_that_says_it_has_no_slot_has_one() {
    assert_eq!(WorkerSlots::new("a", 0).slot_count(), 1);
}

#[test]
fn a_subtask_whose_worker_is_given_goes_there() {
    let mut plan = plan(&graph([op("in", &[]), op("out", &["in"])]));
    plan.tasks[1].worker_id = Some(WorkerId("b".to_owned()));
    assert_eq!(homes(&plan, &[("a", 8), ("b", 1)]), ["a", "b"]);
    plan.tasks[0].worker_id = Some(WorkerId("b".to_owned()));
    let refused = |plan: &JobPlan| {
        let errors = place(plan, &workers(&[("a", 8), ("b", 1)])).unwrap_err();
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(refused(&plan), ["2 subtasks must run on worker `b`, which has 1 free slots"]);
    plan.tasks[0].worker_id = Some(WorkerId("d".to_owned()));
    plan.tasks[1].worker_id = Some(WorkerId("c".to_owned()));
    assert_eq!(
        refused(&plan),
        [
            "subtask 1 must run on worker `c`, which is not there; there are: `a`, `b`",
            "subtask 0 must run on worker `d`, which is not there; there are: `a`, `b`",
        ]
    );
}

#[test]
fn a_neighbour_of_a_subtask_whose_worker_is_given_goes_there_too() {
    let mut plan = plan(&graph([op("in", &[]), op("a", &["in"]), op("out", &["a"])]));
    plan.tasks[2].worker_id = Some(WorkerId("b".to_owned()));
    assert_eq!(homes(&plan, &[("a", 8), ("b", 8)]), ["b", "b", "b"]);
    let some_there = homes(&plan, &[("a", 8), ("b", 2)]);
    assert_eq!(some_there.iter().filter(|home| *home == "b").count(), 2, "{some_there:?}");
    // Where one neighbour's worker is full, another's is next.
    let outs = [op("out1", &["a"]), op("out2", &["a"])];
    let job = graph([op("in", &[]), op("a", &["in"])].into_iter().chain(outs));
    let mut plan = crate::support::plan(&job);
    plan.tasks[2].worker_id = Some(WorkerId("b".to_owned()));
    plan.tasks[3].worker_id = Some(WorkerId("c".to_owned()));
    assert_eq!(homes(&plan, &[("a", 9), ("b", 1), ("c", 8)]), ["c", "c", "b", "c"]);
}

#[test]
fn a_shortage_says_how_many_slots_are_missing_and_where_there_are_some() {
    let plan = plan(&keyed());
    let [error] =
        <[PlacementError; 1]>::try_from(place(&plan, &workers(&[("a", 4), ("b", 2)])).unwrap_err())
            .unwrap();
    let expect = "the plan needs 8 slots and 6 are free, 2 too few: `a` 4 of 4, `b` 2 of 2";
    assert_eq!(error.to_string(), expect);
    let diagnostic = Diagnostic::from(error);
    assert_eq!(diagnostic.code, "P0750");
    let nobody = place(&plan, &[]).unwrap_err()[0].to_string();
    assert!(nobody.ends_with("8 too few: there is no worker"), "{nobody}");
    let twice = place(&plan, &workers(&[("a", 9), ("a", 9)])).unwrap_err();
    assert_eq!(twice, [PlacementError::SameName { worker: WorkerId("a".to_owned()) }]);
}

#[test]
fn slots_are_needed_for_planned_tasks_not_for_operators() {
    // The reference's older count, the sum over operators, would ask for 4.
    let chained =
        plan(&graph([op("in", &[]), op("a", &["in"]), op("b", &["a"]), op("out", &["b"])]));
    assert!(place(&chained, &workers(&[("a", 3)])).is_ok());
}

#[test]
fn a_worker_may_have_more_slots_than_memory_holds() {
    assert!(place(&plan(&keyed()), &workers(&[("a", u32::MAX)])).is_ok());
}

#[test]
fn a_placement_reads_well() {
    let mut job = keyed();
    job.name = "sums".to_owned();
    let plan = plan(&job);
    let placement = place(&plan, &workers(&[("alpha", 5), ("beta", 3), ("gamma", 0)])).unwrap();
    compare_golden("placement.txt", &explain_placement(&job, &plan, &placement));
    let drawn = draw_placement(&job, &plan, &placement, DiagramLanguage::Mermaid);
    compare_golden("placement.mermaid", &drawn);
    let json: serde_json::Value =
        serde_json::from_str(&placement_to_json(&plan, &placement)).unwrap();
    assert_eq!(json["ok"], true);
    assert_eq!(json["workers"][1]["worker_id"], "beta");
    let subtasks = json["workers"].as_array().unwrap().iter();
    let placed = subtasks.map(|worker| worker["subtasks"].as_array().unwrap().len());
    assert_eq!(placed.sum::<usize>(), plan.tasks.len());
}

/// The number of subtasks in the largest group that forward edges join.
fn largest_group(plan: &JobPlan) -> usize {
    let mut groups: Vec<usize> = (0..plan.tasks.len()).collect();
    for _ in 0..plan.tasks.len() {
        for (from, task) in plan.tasks.iter().enumerate() {
            let joined = task.chain.output_groups.iter();
            for group in joined.filter(|group| group.mode == RoutingMode::Forward) {
                let to = group.edges[0].peer_subtask_idx as usize;
                let both = groups[from].min(groups[to]);
                (groups[from], groups[to]) = (both, both);
            }
        }
    }
    (0..plan.tasks.len())
        .map(|name| groups.iter().filter(|group| **group == name).count())
        .max()
        .unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn every_subtask_has_a_slot_of_its_own_or_slots_are_missing(
        graph in acyclic(),
        slots in prop::collection::vec((0..9u32, prop::collection::vec(0..9u32, 0..3)), 0..6),
    ) {
        let plan = plan(&graph);
        let workers: Vec<WorkerSlots> = slots.iter().zip('a'..).map(|((count, taken), name)| {
            let worker = WorkerSlots::new(name, *count);
            taken.iter().fold(worker, |worker, &index| worker.with_taken(index))
        }).collect();
        let free: usize = workers.iter().map(WorkerSlots::free_count).sum();
        match place(&plan, &workers) {
            Err(error) => {
                prop_assert!(free < plan.tasks.len(), "{error:?}");
            }
            Ok(placement) => {
                let distinct: BTreeSet<_> = placement.slots.iter().collect();
                prop_assert_eq!(distinct.len(), plan.tasks.len());
                for slot in &placement.slots {
                    let (worker, name) =
                        workers.iter().zip('a'..).find(|(one, _)| *one.worker() == slot.worker)
                            .unwrap();
                    prop_assert!(slot.index < worker.slot_count());
                    let taken = slots.iter().zip('a'..).find(|(_, other)| *other == name).unwrap();
                    prop_assert!(!taken.0.1.contains(&slot.index), "{slot} is taken");
                }
                let shown = explain_placement(&graph, &plan, &placement);
                prop_assert_eq!(shown.matches(" slot ").count(), plan.tasks.len());
            }
        }
    }

    #[test]
    fn with_room_for_each_group_no_forward_edge_leaves_its_worker(graph in acyclic()) {
        let plan = plan(&graph);
        // Each of three workers could hold the whole job.
        let room = u32::try_from(plan.tasks.len()).unwrap();
        let placement = place(&plan, &workers(&[("a", room), ("b", room), ("c", room)])).unwrap();
        let mut load: BTreeMap<&str, usize> = BTreeMap::new();
        for (task, slot) in plan.tasks.iter().zip(&placement.slots) {
            *load.entry(&slot.worker.0).or_default() += 1;
            let groups = task.chain.output_groups.iter();
            for group in groups.filter(|group| group.mode == RoutingMode::Forward) {
                let peer = group.edges[0].peer_subtask_idx as usize;
                prop_assert_eq!(&placement.slots[peer].worker, &slot.worker);
            }
        }
        // The next group goes to the least loaded worker, so loads differ by a group at most.
        let least = ["a", "b", "c"].map(|name| load.get(name).copied().unwrap_or(0));
        let (least, most) = (least.iter().min().unwrap(), least.iter().max().unwrap());
        prop_assert!(most - least <= largest_group(&plan), "{load:?}");
    }
}
