//! Prints a placement as text for people: every worker, and what runs on its slots.

use super::graph_text::title;
use super::layout::{plural, table};
use crate::deploy::Placement;
use crate::graph::JobGraphSpec;
use crate::id::{SlotId, WorkerId};
use crate::planner::{JobPlan, PlannedTask};

/// The placement of `plan` as text: a tree of workers, slots and what runs there.
pub fn explain_placement(graph: &JobGraphSpec, plan: &JobPlan, placement: &Placement) -> String {
    let slots: u64 = placement.workers.values().map(|&slots| u64::from(slots)).sum();
    let mut text = format!(
        "{}: {} on {} with {}\n",
        title("placement", graph),
        plural(plan.tasks.len(), "subtask"),
        plural(placement.workers.len(), "worker"),
        plural(usize::try_from(slots).unwrap_or(usize::MAX), "slot"),
    );
    for worker in workers(plan, placement) {
        text += &format!("\n{}\n", worker.heading());
        let last = worker.subtasks.len().saturating_sub(1);
        let rows = worker.subtasks.iter().enumerate().map(|(place, (slot, task))| {
            let corner = if place == last { '└' } else { '├' };
            [
                format!("{corner} slot {}", slot.index),
                format!("subtask {}", task.subtask_idx),
                operators(task),
                index(task),
                key_groups(task),
            ]
        });
        text += &table(2, &rows.collect::<Vec<_>>());
    }
    text
}

/// One worker of a placement.
pub(super) struct PlacedWorker<'p> {
    pub(super) id: &'p WorkerId,
    pub(super) slot_count: u32,
    /// What runs there, by slot.
    pub(super) subtasks: Vec<(&'p SlotId, &'p PlannedTask)>,
    /// The channels that begin and end here.
    pub(super) channels_within: usize,
    /// The channels that begin here and end elsewhere.
    pub(super) channels_out: usize,
}

impl PlacedWorker<'_> {
    /// The worker in one line.
    pub(super) fn heading(&self) -> String {
        format!(
            "{}: {} of {}, {} within, {} to others",
            self.id,
            self.subtasks.len(),
            plural(self.slot_count as usize, "slot"),
            plural(self.channels_within, "channel"),
            self.channels_out,
        )
    }
}

/// The workers of a placement, by name.
pub(super) fn workers<'p>(plan: &'p JobPlan, placement: &'p Placement) -> Vec<PlacedWorker<'p>> {
    let mut workers: Vec<PlacedWorker<'p>> = (placement.workers.iter())
        .map(|(id, &slot_count)| PlacedWorker {
            id,
            slot_count,
            subtasks: Vec::new(),
            channels_within: 0,
            channels_out: 0,
        })
        .collect();
    for (task, slot) in plan.tasks.iter().zip(&placement.slots) {
        let Ok(place) = workers.binary_search_by(|worker| worker.id.cmp(&slot.worker)) else {
            continue;
        };
        let Some(worker) = workers.get_mut(place) else { continue };
        worker.subtasks.push((slot, task));
        for peer in &task.peer_refs {
            // Tasks are numbered by their place in the plan.
            let other = placement.slots.get(*peer as usize);
            if other.is_some_and(|other| other.worker == slot.worker) {
                worker.channels_within += 1;
            } else {
                worker.channels_out += 1;
            }
        }
    }
    workers.iter_mut().for_each(|worker| worker.subtasks.sort_by_key(|(slot, _)| slot.index));
    workers
}

/// What a subtask runs, in the order in which records pass.
pub(super) fn operators(task: &PlannedTask) -> String {
    let names: Vec<&str> = task.chain.operators().map(|op| op.id.as_str()).collect();
    names.join(" ↓ ")
}

/// Which of its siblings a subtask is.
pub(super) fn index(task: &PlannedTask) -> String {
    format!("{} of {}", task.subtask_idx_in_op, task.parallelism)
}

/// The key groups of a subtask, if it is keyed.
pub(super) fn key_groups(task: &PlannedTask) -> String {
    let keyed = task.chain.operators().any(|op| !op.key_by.is_empty());
    if keyed { format!("key groups {}", task.key_groups) } else { String::new() }
}
