//! Stand for what a stage emits, until something reads it.

use std::marker::PhantomData;

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
