//! Adds stages one after the other, with one subtask or several.

use std::sync::Arc;

use clink_plan::descriptor::SourceLocation;

use crate::data::Data;
use crate::operator::{
    CoOperator, KeyedCoOperator, KeyedOperator, Operator, OperatorFields, Sink, Source,
};
use crate::registry::TypedExtractor;
use crate::state::Key;

use super::{Dag, ParallelStageHandle, StageHandle};

/// A stage with a key: what the records of a stage are partitioned by.
pub type Extractor<T, K> = TypedExtractor<T, K>;

impl Dag {
    /// Adds a source with one subtask.
    #[track_caller]
    pub fn add_source<S: Source + OperatorFields>(&mut self, source: &S) -> StageHandle<S::Out> {
        let id = self.source(source, SourceLocation::caller());
        self.stage(id, 1)
    }

    /// Adds a source with that many subtasks, among which its splits are dealt out.
    #[track_caller]
    pub fn add_parallel_source<S: Source + OperatorFields>(
        &mut self,
        source: &S,
        parallelism: u32,
    ) -> ParallelStageHandle<S::Out> {
        let id = self.source(source, SourceLocation::caller());
        ParallelStageHandle::new(self.stage(id, parallelism), parallelism)
    }

    /// Adds an operator with one subtask.
    #[track_caller]
    pub fn add_operator<O: Operator + OperatorFields>(
        &mut self,
        upstream: StageHandle<O::In>,
        operator: &O,
    ) -> StageHandle<O::Out> {
        let at = SourceLocation::caller();
        let inputs = self.take(upstream, at);
        let id = self.operator(inputs, operator, at);
        self.stage(id, 1)
    }

    /// Adds an operator with as many subtasks as the stage before it: each reads its neighbour.
    #[track_caller]
    pub fn add_parallel_operator<O: Operator + OperatorFields>(
        &mut self,
        upstream: ParallelStageHandle<O::In>,
        operator: &O,
        parallelism: u32,
    ) -> ParallelStageHandle<O::Out> {
        let at = SourceLocation::caller();
        let from = upstream.parallelism;
        let inputs = self.take(upstream.stage, at);
        let id = self.operator(inputs, operator, at);
        if parallelism != from {
            let message = format!(
                "its parallelism is {parallelism} and that of the stage before it {from}: give it \
                 {from}, or use `add_parallel_operator_shuffled`"
            );
            self.problem("P0906", &id, at, message);
        }
        ParallelStageHandle::new(self.stage(id, parallelism), parallelism)
    }

    /// Adds a keyed operator with that many subtasks: each record goes to the one that owns its
    /// key.
    #[track_caller]
    pub fn add_parallel_operator_shuffled<O: KeyedOperator + OperatorFields>(
        &mut self,
        upstream: ParallelStageHandle<O::In>,
        key: Extractor<O::In, O::Key>,
        operator: &O,
        parallelism: u32,
    ) -> ParallelStageHandle<O::Out> {
        let at = SourceLocation::caller();
        let stage = self.add_keyed(upstream.stage, key, operator, parallelism, at);
        ParallelStageHandle::new(stage, parallelism)
    }

    /// Adds a keyed operator with one subtask.
    #[track_caller]
    pub fn add_keyed_operator<O: KeyedOperator + OperatorFields>(
        &mut self,
        upstream: StageHandle<O::In>,
        key: Extractor<O::In, O::Key>,
        operator: &O,
    ) -> StageHandle<O::Out> {
        self.add_keyed(upstream, key, operator, 1, SourceLocation::caller())
    }

    /// Adds a keyed operator in that many shards, which share nothing: between two stages of one
    /// subtask, several threads work on its keys. Control elements leave it once, when every shard
    /// has passed them.
    #[track_caller]
    pub fn add_sharded_keyed<O: KeyedOperator + OperatorFields>(
        &mut self,
        upstream: StageHandle<O::In>,
        key: Extractor<O::In, O::Key>,
        operator: &O,
        shards: u32,
    ) -> StageHandle<O::Out> {
        self.add_keyed(upstream, key, operator, shards, SourceLocation::caller())
    }

    /// Adds an operator with two inputs and one subtask.
    #[track_caller]
    pub fn add_co_operator<O: CoOperator + OperatorFields>(
        &mut self,
        first: StageHandle<O::In1>,
        second: StageHandle<O::In2>,
        operator: &O,
    ) -> StageHandle<O::Out> {
        let at = SourceLocation::caller();
        let (first, second) = (self.take(first, at), self.take(second, at));
        let id = self.co_operator(first, second, operator, at);
        self.stage(id, 1)
    }

    /// Adds a keyed operator with two inputs and one subtask.
    #[track_caller]
    pub fn add_keyed_co_operator<O: KeyedCoOperator + OperatorFields>(
        &mut self,
        first: StageHandle<O::In1>,
        first_key: Extractor<O::In1, O::Key>,
        second: StageHandle<O::In2>,
        second_key: Extractor<O::In2, O::Key>,
        operator: &O,
    ) -> StageHandle<O::Out> {
        let at = SourceLocation::caller();
        let (first, second) = (self.take(first, at), self.take(second, at));
        let first = (first, Arc::new(first_key) as _);
        let second = (second, Arc::new(second_key) as _);
        let id = self.keyed_co_operator(first, second, operator, at);
        self.stage(id, 1)
    }

    /// Adds a sink with one subtask.
    #[track_caller]
    pub fn add_sink<S: Sink + OperatorFields>(&mut self, upstream: StageHandle<S::In>, sink: &S) {
        let at = SourceLocation::caller();
        let inputs = self.take(upstream, at);
        let id = self.sink(inputs, sink, at);
        self.set_parallelism(&id, 1);
    }

    /// Adds a sink with as many subtasks as the stage before it, or with one.
    #[track_caller]
    pub fn add_parallel_sink<S: Sink + OperatorFields>(
        &mut self,
        upstream: ParallelStageHandle<S::In>,
        sink: &S,
        parallelism: u32,
    ) {
        let at = SourceLocation::caller();
        let from = upstream.parallelism;
        let inputs = self.take(upstream.stage, at);
        let id = self.sink(inputs, sink, at);
        if parallelism != from && parallelism != 1 {
            let message = format!(
                "its parallelism is {parallelism} and that of the stage before it {from}: give it \
                 {from}, or 1"
            );
            self.problem("P0906", &id, at, message);
        }
        self.set_parallelism(&id, parallelism);
    }

    fn add_keyed<O: KeyedOperator + OperatorFields>(
        &mut self,
        upstream: StageHandle<O::In>,
        key: Extractor<O::In, O::Key>,
        operator: &O,
        parallelism: u32,
        at: SourceLocation,
    ) -> StageHandle<O::Out> {
        let inputs = self.take(upstream, at);
        let key_by = self.key::<O::In>(Arc::new(key));
        let id = self.keyed_operator((inputs, key_by), operator, at);
        self.stage(id, parallelism)
    }

    /// The handle of an operator that has just been added.
    pub(super) fn stage<T>(&mut self, id: String, parallelism: u32) -> StageHandle<T> {
        self.set_parallelism(&id, parallelism);
        StageHandle::new(self.number, vec![id])
    }

    /// The outputs behind a handle; none, and a problem, if it is another `Dag`'s.
    pub(super) fn take<T>(&mut self, handle: StageHandle<T>, at: SourceLocation) -> Vec<String> {
        if handle.dag == self.number {
            return handle.inputs;
        }
        let message = "a handle of another `Dag` is used: a stage can only read stages of its own";
        self.problem("P0905", "", at, message.to_owned());
        Vec::new()
    }

    /// Gives the stage a label for people.
    #[track_caller]
    pub fn name<T>(&mut self, stage: &StageHandle<T>, name: &str) {
        if let Some(id) = self.operator_of(&stage.inputs, "name", SourceLocation::caller()) {
            self.set_name(id, name);
        }
    }

    /// Gives the stage the stable name under which its state is filed.
    #[track_caller]
    pub fn uid<T>(&mut self, stage: &StageHandle<T>, uid: &str) {
        let at = SourceLocation::caller();
        if let Some(id) = self.operator_of(&stage.inputs, "uid", at) {
            self.set_uid(id, uid, at);
        }
    }
}

/// How records are partitioned: by a key that is computed from each.
pub fn key<T: Data, K: Key>(of: impl Fn(&T) -> K + Send + Sync + 'static) -> Extractor<T, K> {
    TypedExtractor::owned(of)
}
