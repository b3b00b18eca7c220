//! Finds the subtasks of the old plan whose state a subtask of the new plan takes over.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::key_group::overlapping_subtasks;
use crate::planner::JobPlan;

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

/// The old subtasks that own a key group of new subtask `index`: every pair of parallelisms has an
/// answer, and neighbouring subtasks may share a parent.
///
/// Above parallelism 128 some subtasks have no key group: such a new one has no parents, and such
/// an old one may lie between two parents, with nothing to give.
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

/// Says of each task of `plan` which tasks of the `former` plan it takes state from: those that ran
/// the first operator of its chain and own a key group of its own.
///
/// A task whose operator the former plan does not have starts from nothing.
pub fn inherit_state(plan: &mut JobPlan, former: &JobPlan) {
    // Where the subtasks of each operator begin, and how many there are.
    let mut blocks: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for task in &former.tasks {
        for op in task.chain.operators() {
            blocks.entry(&op.id).or_insert((task.subtask_idx, task.parallelism));
        }
    }
    for task in &mut plan.tasks {
        let block = blocks.get(task.op_id.as_str());
        let parents = block.and_then(|&(first, parallelism)| {
            let parents = parents(parallelism, task.parallelism, task.subtask_idx_in_op).ok()?;
            Some(first + parents.start..first + parents.end)
        });
        let parents = parents.filter(|parents| !parents.is_empty());
        task.restore_from_subtask_idx = parents.as_ref().map(|parents| parents.start);
        task.restore_from_parent_count = parents.map_or(0, |parents| parents.end - parents.start);
    }
}
