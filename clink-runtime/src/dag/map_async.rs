//! Adds maps whose closure gives a future for each record.

use clink_plan::descriptor::SourceLocation;

use crate::data::Data;
use crate::error::Result;
use crate::operator::async_map::AsyncOptions;

use super::{Dag, ParallelStageHandle, StageHandle};

impl Dag {
    /// Turns each record into one other record by a future, in one subtask.
    #[track_caller]
    pub fn add_map_async<In: Data, Out: Data, Fut>(
        &mut self,
        upstream: StageHandle<In>,
        options: AsyncOptions,
        apply: impl Fn(In) -> Fut + Send + Sync + 'static,
    ) -> StageHandle<Out>
    where
        Fut: Future<Output = Result<Out>> + Send + 'static,
    {
        let at = SourceLocation::caller();
        let inputs = self.take(upstream, at);
        let id = self.map_async(inputs, options, apply, at);
        self.stage(id, 1)
    }

    /// The same in as many subtasks as the stage before it has: each reads its neighbour, and has
    /// as many records in flight as the options say.
    #[track_caller]
    pub fn add_parallel_map_async<In: Data, Out: Data, Fut>(
        &mut self,
        upstream: ParallelStageHandle<In>,
        options: AsyncOptions,
        apply: impl Fn(In) -> Fut + Send + Sync + 'static,
    ) -> ParallelStageHandle<Out>
    where
        Fut: Future<Output = Result<Out>> + Send + 'static,
    {
        let at = SourceLocation::caller();
        let ParallelStageHandle { stage, parallelism } = upstream;
        let inputs = self.take(stage, at);
        let id = self.map_async(inputs, options, apply, at);
        ParallelStageHandle::new(self.stage(id, parallelism), parallelism)
    }
}
