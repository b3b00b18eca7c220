//! Prints a placement as JSON, for programs.

use serde::Serialize;

use super::placement_text::workers;
use crate::canonical_json;
use crate::deploy::Placement;
use crate::planner::JobPlan;

#[derive(Serialize)]
struct PlacementView<'p> {
    ok: bool,
    workers: Vec<WorkerView<'p>>,
}

#[derive(Serialize)]
struct WorkerView<'p> {
    worker_id: &'p str,
    slot_count: u32,
    channels_within: usize,
    channels_out: usize,
    subtasks: Vec<SubtaskView<'p>>,
}

#[derive(Serialize)]
struct SubtaskView<'p> {
    slot: u32,
    subtask_idx: u32,
    op_id: &'p str,
    subtask_idx_in_op: u32,
    parallelism: u32,
    key_group_first: u16,
    key_group_last: u16,
}

/// The placement of `plan` as JSON: `ok`, and the workers by name with what runs on their slots.
pub fn placement_to_json(plan: &JobPlan, placement: &Placement) -> String {
    let workers = workers(plan, placement).into_iter().map(|worker| WorkerView {
        worker_id: &worker.id.0,
        slot_count: worker.slot_count,
        channels_within: worker.channels_within,
        channels_out: worker.channels_out,
        subtasks: (worker.subtasks.into_iter())
            .map(|(slot, task)| SubtaskView {
                slot: slot.index,
                subtask_idx: task.subtask_idx,
                op_id: &task.op_id,
                subtask_idx_in_op: task.subtask_idx_in_op,
                parallelism: task.parallelism,
                key_group_first: task.key_groups.start,
                key_group_last: task.key_groups.end,
            })
            .collect(),
    });
    canonical_json::to_string(&PlacementView { ok: true, workers: workers.collect() })
}
