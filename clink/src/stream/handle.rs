//! Stands for a sink, to name it.

use clink_plan::descriptor::SourceLocation;

use super::Pipeline;

/// A sink that has been added to the job.
pub struct SinkHandle<'p> {
    pipeline: &'p Pipeline,
    id: String,
}

impl<'p> SinkHandle<'p> {
    pub(super) fn new(pipeline: &'p Pipeline, id: String) -> Self {
        Self { pipeline, id }
    }

    /// Gives the sink a label for people.
    pub fn name(self, name: &str) -> Self {
        self.pipeline.with(|dag| dag.set_name(&self.id, name));
        self
    }

    /// Gives the sink the stable name under which its state is filed.
    #[track_caller]
    pub fn uid(self, uid: &str) -> Self {
        let at = SourceLocation::caller();
        self.pipeline.with(|dag| dag.set_uid(&self.id, uid, at));
        self
    }

    /// Sets how many subtasks the sink has, whatever the job's default.
    pub fn set_parallelism(self, parallelism: u32) -> Self {
        self.pipeline.with(|dag| dag.set_parallelism(&self.id, parallelism));
        self
    }

    /// Says between which numbers of subtasks, both included, the sink may be rescaled.
    pub fn rescalable(self, least: u32, most: u32) -> Self {
        self.pipeline.with(|dag| dag.set_rescale_bounds(&self.id, least, most));
        self
    }
}

impl std::fmt::Debug for SinkHandle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SinkHandle of {}", self.id)
    }
}
