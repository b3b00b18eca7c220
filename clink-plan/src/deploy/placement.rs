//! Chooses a slot for each subtask: spread over the workers, but neighbours together.
//!
//! Source: worst-fit decreasing (Johnson 1973), with the groups of forward edges as items and the
//!         free slots of workers as bins; an item that fits nowhere is cut.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::WorkerSlots;
use super::groups::forward_groups;
use crate::id::{SlotId, WorkerId};
use crate::planner::JobPlan;
use crate::validate::{Diagnostic, Rule, Severity};

/// A slot for each subtask of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The slots, in the order of the plan's tasks.
    pub slots: Vec<SlotId>,
    /// Every worker that was there and how many slots it has, those without a subtask included.
    pub workers: BTreeMap<WorkerId, u32>,
}

/// Why a plan cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlacementError {
    /// There are fewer free slots than subtasks.
    Shortage {
        /// How many slots the plan needs.
        needed: usize,
        /// The free slots and all slots of each worker.
        workers: Vec<(WorkerId, usize, u32)>,
    },
    /// A worker that subtasks must run on has fewer free slots than they need.
    WorkerShortage {
        /// The worker.
        worker: WorkerId,
        /// How many subtasks must run on it.
        needed: usize,
        /// How many of its slots are free.
        free: usize,
    },
    /// A subtask must run on a worker that is not there.
    UnknownWorker {
        /// The subtask.
        subtask_idx: u32,
        /// The worker it must run on.
        worker: WorkerId,
        /// The workers that are there.
        known: Vec<WorkerId>,
    },
    /// Two workers have one name.
    SameName {
        /// The name.
        worker: WorkerId,
    },
}

impl fmt::Display for PlacementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlacementError::Shortage { needed, workers } => {
                let free: usize = workers.iter().map(|(_, free, _)| free).sum();
                let missing = needed.saturating_sub(free);
                write!(f, "the plan needs {needed} slots and {free} are free, {missing} too few")?;
                let listed: Vec<String> = workers
                    .iter()
                    .map(|(worker, free, all)| format!("`{worker}` {free} of {all}"))
                    .collect();
                match listed.as_slice() {
                    [] => f.write_str(": there is no worker"),
                    listed => write!(f, ": {}", listed.join(", ")),
                }
            }
            PlacementError::WorkerShortage { worker, needed, free } => write!(
                f,
                "{needed} subtasks must run on worker `{worker}`, which has {free} free slots"
            ),
            PlacementError::UnknownWorker { subtask_idx, worker, known } => {
                let known: Vec<String> = known.iter().map(|id| format!("`{id}`")).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                write!(
                    f,
                    "subtask {subtask_idx} must run on worker `{worker}`, which is not there; \
                     there are: {known}"
                )
            }
            PlacementError::SameName { worker } => {
                write!(f, "two workers are named `{worker}`: each needs a name of its own")
            }
        }
    }
}

impl std::error::Error for PlacementError {}

/// What only placement can find wrong; the rules of the graph are [`crate::validate::RULES`].
pub const RULES: &[Rule] =
    &[Rule { code: "P0750", meaning: "there is a free slot for every subtask of the plan" }];

impl From<PlacementError> for Diagnostic {
    fn from(error: PlacementError) -> Diagnostic {
        let help = match &error {
            PlacementError::Shortage { .. } | PlacementError::WorkerShortage { .. } => {
                "one subtask takes one slot: add slots or workers, or lower a parallelism"
            }
            PlacementError::UnknownWorker { .. } => "let placement choose, or start that worker",
            PlacementError::SameName { .. } => "slots are addressed by the name of their worker",
        };
        Diagnostic {
            code: "P0750",
            severity: Severity::Error,
            operator: None,
            location: None,
            message: error.to_string(),
            help: Some(help.to_owned()),
        }
    }
}

/// Places `plan`.
///
/// Subtasks that forward edges join go to one worker where one has room for them all, and each
/// group of them to the worker with the most free slots; equals in the order of their names. A
/// subtask whose worker is given already goes there.
///
/// # Errors
/// [`PlacementError`] if a slot is missing anywhere.
pub fn place(plan: &JobPlan, workers: &[WorkerSlots]) -> Result<Placement, PlacementError> {
    let mut room = Room::of(workers)?;
    let mut slots: Vec<Option<SlotId>> = vec![None; plan.tasks.len()];
    room.fits(plan)?;
    for (task, slot) in plan.tasks.iter().zip(&mut slots) {
        if let Some(worker) = &task.worker_id {
            *slot = room.take(worker);
        }
    }
    for group in forward_groups(plan) {
        let open: Vec<usize> =
            group.into_iter().filter(|&at| matches!(slots.get(at), Some(None))).collect();
        let mut rest = open.as_slice();
        while let Some((worker, free)) = room.roomiest().filter(|_| !rest.is_empty()) {
            let (here, later) = rest.split_at(rest.len().min(free));
            for &at in here {
                if let Some(slot) = slots.get_mut(at) {
                    *slot = room.take(worker);
                }
            }
            rest = later;
        }
    }
    let slots = slots.into_iter().map(|slot| slot.expect("there are slots enough for all tasks"));
    Ok(Placement {
        slots: slots.collect(),
        workers: workers.iter().map(|one| (one.worker().clone(), one.slot_count())).collect(),
    })
}

/// The slots that are still free.
struct Room<'s> {
    workers: BTreeMap<&'s WorkerId, Free<'s>>,
    /// The workers by the number of their free slots; of equals the first name last.
    by_count: BTreeSet<(usize, Reverse<&'s WorkerId>)>,
}

/// The free slots of one worker: a count and a place, since there may be any number.
struct Free<'s> {
    slots: &'s WorkerSlots,
    count: usize,
    /// No slot below this one is free.
    next: u32,
}

impl<'s> Room<'s> {
    fn of(workers: &'s [WorkerSlots]) -> Result<Room<'s>, PlacementError> {
        let mut room = Room { workers: BTreeMap::new(), by_count: BTreeSet::new() };
        for slots in workers {
            let (worker, count) = (slots.worker(), slots.free_count());
            room.by_count.insert((count, Reverse(worker)));
            if room.workers.insert(worker, Free { slots, count, next: 0 }).is_some() {
                return Err(PlacementError::SameName { worker: worker.clone() });
            }
        }
        Ok(room)
    }

    /// Whether every subtask finds a slot, those that must run on a worker one there.
    fn fits(&self, plan: &JobPlan) -> Result<(), PlacementError> {
        let free: usize = self.workers.values().map(|free| free.count).sum();
        if plan.tasks.len() > free {
            let workers = self
                .workers
                .iter()
                .map(|(&worker, free)| (worker.clone(), free.count, free.slots.slot_count()));
            let (needed, workers) = (plan.tasks.len(), workers.collect());
            return Err(PlacementError::Shortage { needed, workers });
        }
        let mut bound: BTreeMap<&WorkerId, usize> = BTreeMap::new();
        for task in &plan.tasks {
            let Some(worker) = &task.worker_id else { continue };
            if !self.workers.contains_key(worker) {
                return Err(PlacementError::UnknownWorker {
                    subtask_idx: task.subtask_idx,
                    worker: worker.clone(),
                    known: self.workers.keys().map(|&known| known.clone()).collect(),
                });
            }
            *bound.entry(worker).or_default() += 1;
        }
        for (worker, needed) in bound {
            let free = self.workers.get(worker).map_or(0, |free| free.count);
            if needed > free {
                let worker = worker.clone();
                return Err(PlacementError::WorkerShortage { worker, needed, free });
            }
        }
        Ok(())
    }

    /// The worker with the most free slots, if there is a free slot, and their number.
    fn roomiest(&self) -> Option<(&'s WorkerId, usize)> {
        let (free, Reverse(worker)) = *self.by_count.last()?;
        (free > 0).then_some((worker, free))
    }

    /// Takes the lowest free slot of `worker`, if it has one.
    fn take(&mut self, worker: &WorkerId) -> Option<SlotId> {
        let free = self.workers.get_mut(worker)?;
        let slot = free.slots.free_from(free.next).next()?;
        free.next = slot.index + 1;
        let worker = free.slots.worker();
        self.by_count.remove(&(free.count, Reverse(worker)));
        free.count -= 1;
        self.by_count.insert((free.count, Reverse(worker)));
        Some(slot)
    }
}
