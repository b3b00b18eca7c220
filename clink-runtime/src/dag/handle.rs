//! Stand for what a stage emits, until something reads it.

use std::marker::PhantomData;

use super::recipes::Iteration;

/// The output of a stage with one subtask. Reading it uses it up: to read it twice,
/// [`fork`](super::Dag::fork) it.
#[must_use = "a stage that nothing reads is refused: end it with `add_sink`"]
pub struct StageHandle<T> {
    pub(super) dag: u64,
    pub(super) inputs: Vec<String>,
    types: PhantomData<fn() -> T>,
}

impl<T> StageHandle<T> {
    pub(super) fn new(dag: u64, inputs: Vec<String>) -> Self {
        Self { dag, inputs, types: PhantomData }
    }
}

impl<T> std::fmt::Debug for StageHandle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StageHandle of {}", self.inputs.join(", "))
    }
}

/// An iteration whose end is open. Closing it uses it up: there is one feedback.
#[must_use = "an iteration that is not closed is refused: end it with `close_with`"]
pub struct IterationHandle<T> {
    pub(super) dag: u64,
    pub(super) iteration: Iteration,
    types: PhantomData<fn() -> T>,
}

impl<T> IterationHandle<T> {
    pub(super) fn new(dag: u64, iteration: Iteration) -> Self {
        Self { dag, iteration, types: PhantomData }
    }
}

impl<T> std::fmt::Debug for IterationHandle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "IterationHandle of {}", self.iteration.head())
    }
}

/// The outputs of a stage with several subtasks.
#[must_use = "a stage that nothing reads is refused: end it with `add_parallel_sink`"]
pub struct ParallelStageHandle<T> {
    pub(super) stage: StageHandle<T>,
    pub(super) parallelism: u32,
}

impl<T> ParallelStageHandle<T> {
    pub(super) fn new(stage: StageHandle<T>, parallelism: u32) -> Self {
        Self { stage, parallelism }
    }

    /// How many subtasks the stage has.
    pub fn parallelism(&self) -> u32 {
        self.parallelism
    }
}

impl<T> std::fmt::Debug for ParallelStageHandle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ParallelStageHandle of {} × {}", self.stage.inputs.join(", "), self.parallelism)
    }
}
