//! Finds the subtasks that want to be together: those of one index that forward edges join.

use std::collections::BTreeMap;

use crate::planner::{JobPlan, RoutingMode};

/// The groups of subtasks that forward edges join, each listed along its edges, so that a group
/// that must be cut is cut at few of them; largest groups first, then by their first subtask.
pub(super) fn forward_groups(plan: &JobPlan) -> Vec<Vec<usize>> {
    let neighbours = forward_neighbours(plan);
    let mut seen = vec![false; plan.tasks.len()];
    let mut groups = Vec::new();
    for start in 0..plan.tasks.len() {
        let mut group = Vec::new();
        let mut waiting = vec![start];
        while let Some(task) = waiting.pop() {
            let Some(mark) = seen.get_mut(task).filter(|mark| !**mark) else {
                continue;
            };
            *mark = true;
            group.push(task);
            waiting.extend(neighbours.get(task).into_iter().flatten().rev());
        }
        if !group.is_empty() {
            groups.push(group);
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}

/// The other ends of each subtask's forward edges, downstream and upstream.
fn forward_neighbours(plan: &JobPlan) -> Vec<Vec<usize>> {
    let tasks = plan.tasks.iter().enumerate();
    let places: BTreeMap<u32, usize> =
        tasks.map(|(place, task)| (task.subtask_idx, place)).collect();
    let mut neighbours = vec![Vec::new(); plan.tasks.len()];
    for (from, task) in plan.tasks.iter().enumerate() {
        let groups = task.chain.output_groups.iter();
        let forward = groups.filter(|group| group.mode == RoutingMode::Forward);
        for edge in forward.flat_map(|group| &group.edges) {
            let Some(&to) = places.get(&edge.peer_subtask_idx) else {
                continue;
            };
            for (end, other) in [(from, to), (to, from)] {
                if let Some(others) = neighbours.get_mut(end) {
                    others.push(other);
                }
            }
        }
    }
    neighbours
}
