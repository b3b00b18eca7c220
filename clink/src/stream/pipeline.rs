//! Collects the operators that a build function names, with the code behind them.

use std::cell::RefCell;
use std::sync::Arc;

use clink_plan::descriptor::SourceLocation;
use clink_runtime::dag::{Dag, DagJob};
use clink_runtime::data::Data;
use clink_runtime::operator::generate::Generate;
use clink_runtime::operator::{OperatorFields, Source};

use super::DataStream;

/// What a build function fills: the job's operators, in the order in which they are named.
pub struct Pipeline {
    dag: RefCell<Dag>,
}

impl Pipeline {
    pub(crate) fn new(parallelism: Option<u32>) -> Self {
        Self { dag: RefCell::new(Dag::new(parallelism)) }
    }

    /// Reads records from a source.
    #[track_caller]
    pub fn source<S: Source + OperatorFields>(&self, source: S) -> DataStream<'_, S::Out> {
        let at = SourceLocation::caller();
        let id = self.with(|dag| dag.source(&source, at));
        DataStream::new(self, id)
    }

    /// Emits these values, in order at parallelism 1.
    #[track_caller]
    pub fn elements<T: Data>(&self, values: Vec<T>) -> DataStream<'_, T> {
        let count = values.len() as u64;
        let value_at = move |index: u64| {
            let value = usize::try_from(index).ok().and_then(|index| values.get(index));
            value.expect("the source counts to the number of values").clone()
        };
        self.inline_source("elements", count, value_at)
    }

    /// Emits what a closure makes of each number in `0..count`, in order at parallelism 1.
    #[track_caller]
    pub fn generate<T: Data>(
        &self,
        count: u64,
        make: impl Fn(u64) -> T + Send + Sync + 'static,
    ) -> DataStream<'_, T> {
        self.inline_source("generate", count, make)
    }

    #[track_caller]
    fn inline_source<T: Data>(
        &self,
        kind: &str,
        count: u64,
        make: impl Fn(u64) -> T + Send + Sync + 'static,
    ) -> DataStream<'_, T> {
        let (make, at) = (Arc::new(make), SourceLocation::caller());
        let source = move || Generate::new(count, Arc::clone(&make));
        let id = self.with(|dag| dag.inline_source(kind, source, at));
        DataStream::new(self, id)
    }

    /// Sets how many subtasks each operator has that is not set itself. `--parallelism` on the
    /// command line stands above this.
    pub fn set_parallelism(&self, parallelism: u32) -> &Self {
        self.with(|dag| dag.set_default_parallelism(parallelism));
        self
    }

    pub(super) fn with<R>(&self, act: impl FnOnce(&mut Dag) -> R) -> R {
        act(&mut self.dag.borrow_mut())
    }

    pub(crate) fn build(self, name: &str) -> DagJob {
        self.dag.into_inner().build(name)
    }
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let operators = self.dag.borrow().operator_count();
        write!(f, "Pipeline of {operators} operators")
    }
}
