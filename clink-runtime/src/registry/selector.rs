//! Keeps the closures that split a stream.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::channel::ErasedBatch;
use crate::channel::select::Selector;
use crate::data::Data;

/// Makes a selector for one subtask.
pub type NewSelector = Box<dyn Fn() -> Box<dyn Selector> + Send + Sync>;

/// Splits by the number of a branch that a closure names for each record.
pub struct ByIndex<F, T> {
    name: Arc<str>,
    branches: Arc<[String]>,
    select: Arc<F>,
    types: PhantomData<fn(&T)>,
}

impl<T: Data, F: Fn(&T) -> u32 + Send + Sync + 'static> ByIndex<F, T> {
    /// The factory of a selector that goes by this name in the graph; `branches` are the names of
    /// its branches, for messages.
    pub fn factory(name: &str, branches: Vec<String>, select: F) -> NewSelector {
        let (name, branches, select) = (Arc::from(name), Arc::from(branches), Arc::new(select));
        Box::new(move || {
            let (name, branches) = (Arc::clone(&name), Arc::clone(&branches));
            Box::new(Self { name, branches, select: Arc::clone(&select), types: PhantomData })
        })
    }
}

impl<T: Data, F: Fn(&T) -> u32 + Send + Sync + 'static> Selector for ByIndex<F, T> {
    fn branches(&mut self, batch: &ErasedBatch, branches: &mut Vec<u32>) {
        let batch = batch
            .downcast_ref::<T>()
            .expect("a selector is registered for the channel type it reads");
        branches.extend(batch.values().iter().map(|value| (self.select)(value)));
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn branch_names(&self) -> &[String] {
        &self.branches
    }
}
