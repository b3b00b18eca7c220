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
        self.pipeline.change(&self.id, |spec| name.clone_into(&mut spec.display_name));
        self
    }

    /// Gives the sink the stable name under which its state is filed.
    #[track_caller]
    pub fn uid(self, uid: &str) -> Self {
        self.pipeline.set_uid(&self.id, uid, SourceLocation::caller());
        self
    }

    /// Sets how many subtasks the sink has, whatever the job's default.
    pub fn set_parallelism(self, parallelism: u32) -> Self {
        self.pipeline.fix_parallelism(&self.id, parallelism);
        self
    }
}

impl std::fmt::Debug for SinkHandle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SinkHandle of {}", self.id)
    }
}
