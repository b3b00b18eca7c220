//! Finds the subtasks of the old plan whose state a subtask of the new plan takes over.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::key_group::overlapping_subtasks;
use crate::planner::{ChainOp, JobPlan, RestoreFrom};

/// Why there is no answer to whose state a subtask takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParentError {
    /// A parallelism is 0.
    NoSubtasks,
    /// The new subtask is none of those there are.
    NoSubtask {
        /// The subtask that was named.
        index: u32,
        /// How many there are.
        parallelism: u32,
    },
}

impl fmt::Display for ParentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParentError::NoSubtasks => {
                f.write_str("an operator has at least one subtask before and after a rescale")
            }
            ParentError::NoSubtask { index, parallelism } => {
                write!(f, "there is no subtask {index} of {parallelism}, counted from 0")
            }
        }
    }
}

impl std::error::Error for ParentError {}

/// The old subtasks that own a key group of new subtask `index` of a keyed operator: every pair of
/// parallelisms has an answer, and neighbouring subtasks may share a parent.
///
/// Above parallelism 128, which no keyed operator has, some subtasks own no key group: such a new
/// one has no parents, and such an old one may lie between two parents, with nothing to give.
///
/// # Errors
/// [`ParentError`] if a parallelism is 0 or `index` is not below the new one.
///
/// # Example
/// ```
/// use clink_plan::rescale::parents;
/// // Three subtasks become two: the one in the middle goes to both.
/// assert_eq!(parents(3, 2, 0), Ok(0..2));
/// assert_eq!(parents(3, 2, 1), Ok(1..3));
/// ```
pub fn parents(
    old_parallelism: u32,
    new_parallelism: u32,
    index: u32,
) -> Result<Range<u32>, ParentError> {
    if old_parallelism == 0 || new_parallelism == 0 {
        return Err(ParentError::NoSubtasks);
    }
    if index >= new_parallelism {
        return Err(ParentError::NoSubtask { index, parallelism: new_parallelism });
    }
    let overlaps = overlapping_subtasks(index, new_parallelism, old_parallelism);
    let mut owners = overlaps.map(|(owner, _)| owner);
    let Some(first) = owners.next() else {
        return Ok(0..0);
    };
    Ok(first..owners.last().unwrap_or(first) + 1)
}

/// Says of each task of `plan` which tasks of the `former` plan it takes state from.
///
/// An operator is found again by its uid, else by its id. Of a keyed one the parents are those that
/// own a key group of the task's own. State without keys is dealt out anew among all, so there all
/// are parents; a keyed operator that keeps such state besides reads that from all as well.
///
/// A task none of whose operators the former plan has starts from nothing.
pub fn inherit_state(plan: &mut JobPlan, former: &JobPlan) {
    // Where the subtasks of each operator begin, and how many there are.
    let mut blocks: BTreeMap<(bool, &str), (u32, u32)> = BTreeMap::new();
    for task in &former.tasks {
        for op in task.chain.operators() {
            blocks.entry(name(op)).or_insert((task.subtask_idx, task.parallelism));
        }
    }
    for task in &mut plan.tasks {
        let (index, parallelism) = (task.subtask_idx_in_op, task.parallelism);
        let inherited = task.chain.operators().filter_map(|op| {
            let &(first, old) = blocks.get(&name(op))?;
            // A task between 0 and its parallelism, of operators that have subtasks.
            let range = if op.key_by.is_empty() {
                0..old
            } else {
                parents(old, parallelism, index).ok().filter(|range| !range.is_empty())?
            };
            Some(first + range.start..first + range.end)
        });
        task.restore_from = RestoreFrom::Parents(joined(inherited.collect()));
    }
}

/// What an operator is known by from plan to plan: its uid if it has one, else its id.
fn name(op: &ChainOp) -> (bool, &str) {
    if op.uid.is_empty() { (false, &op.id) } else { (true, &op.uid) }
}

/// The same numbers as ranges in order that do not touch.
fn joined(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}
