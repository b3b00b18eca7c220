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
    /// Subtasks must run on a worker that is not there.
    UnknownWorker {
        /// The subtasks, by their numbers in the plan.
        subtasks: Vec<u32>,
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
            PlacementError::UnknownWorker { subtasks, worker, known } => {
                let listed: Vec<String> = subtasks.iter().map(u32::to_string).collect();
                let known: Vec<String> = known.iter().map(|id| format!("`{id}`")).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                write!(
                    f,
                    "{} {} must run on worker `{worker}`, which is not there; there are: \
                     {known}",
                    if listed.len() == 1 { "subtask" } else { "subtasks" },
                    listed.join(", ")
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
/// subtask whose worker is given already goes there, and its neighbours with it while there is
/// room.
///
/// # Errors
/// Everything that keeps the plan from being placed.
pub fn place(plan: &JobPlan, workers: &[WorkerSlots]) -> Result<Placement, Vec<PlacementError>> {
    let mut room = Room::of(workers)?;
    let mut slots: Vec<Option<SlotId>> = vec![None; plan.tasks.len()];
    let errors = room.shortages(plan);
    if !errors.is_empty() {
        return Err(errors);
    }
    for (task, slot) in plan.tasks.iter().zip(&mut slots) {
        if let Some(worker) = &task.worker_id {
            *slot = room.take(worker);
        }
    }
    for group in forward_groups(plan) {
        let (open, bound): (Vec<usize>, Vec<usize>) =
            group.into_iter().partition(|&at| matches!(slots.get(at), Some(None)));
        // Where a neighbour has to be already, there first.
        let mut beside: Vec<&WorkerId> =
            (bound.iter().rev()).filter_map(|&at| plan.tasks.get(at)?.worker_id.as_ref()).collect();
        let mut rest = open.as_slice();
        while let Some((worker, free)) = std::iter::from_fn(|| beside.pop())
            .find_map(|worker| room.of_worker(worker))
            .or_else(|| room.roomiest())
            && !rest.is_empty()
        {
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
    fn of(workers: &'s [WorkerSlots]) -> Result<Room<'s>, Vec<PlacementError>> {
        let mut room = Room { workers: BTreeMap::new(), by_count: BTreeSet::new() };
        let mut twice = BTreeSet::new();
        for slots in workers {
            let (worker, count) = (slots.worker(), slots.free_count());
            room.by_count.insert((count, Reverse(worker)));
            if room.workers.insert(worker, Free { slots, count, next: 0 }).is_some() {
                twice.insert(worker);
            }
        }
        let same = |worker: &WorkerId| PlacementError::SameName { worker: worker.clone() };
        if twice.is_empty() { Ok(room) } else { Err(twice.into_iter().map(same).collect()) }
    }

    /// What is missing for every subtask to find a slot, those that must run on a worker one there.
    fn shortages(&self, plan: &JobPlan) -> Vec<PlacementError> {
        let mut bound: BTreeMap<&WorkerId, Vec<u32>> = BTreeMap::new();
        for task in &plan.tasks {
            if let Some(worker) = &task.worker_id {
                bound.entry(worker).or_default().push(task.subtask_idx);
            }
        }
        let missing = bound.into_iter().filter_map(|(worker, subtasks)| {
            let (worker, needed) = (worker.clone(), subtasks.len());
            match self.workers.get(&worker).map(|free| free.count) {
                Some(free) if free < needed => {
                    Some(PlacementError::WorkerShortage { worker, needed, free })
                }
                Some(_) => None,
                None => {
                    let known = self.workers.keys().map(|&known| known.clone()).collect();
                    Some(PlacementError::UnknownWorker { subtasks, worker, known })
                }
            }
        });
        let mut errors: Vec<PlacementError> = missing.collect();
        let free: usize = self.workers.values().map(|free| free.count).sum();
        // Those that a worker lacks are said already.
        if errors.is_empty() && plan.tasks.len() > free {
            let workers = self
                .workers
                .iter()
                .map(|(&worker, free)| (worker.clone(), free.count, free.slots.slot_count()));
            let (needed, workers) = (plan.tasks.len(), workers.collect());
            errors.push(PlacementError::Shortage { needed, workers });
        }
        errors
    }

    /// A worker and the number of its free slots, if it has one.
    fn of_worker(&self, worker: &WorkerId) -> Option<(&'s WorkerId, usize)> {
        let (&worker, free) = self.workers.get_key_value(worker)?;
        (free.count > 0).then_some((worker, free.count))
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
