//! Keeps records in memory, where a test of a job looks at them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::data::Data;
use crate::error::Result;

use super::super::contract::Sink;

/// The records that have come to a [`Collect`], while the job runs in this process and after.
///
/// They are in the order of arrival: that of the stream where it has one subtask, any order between
/// subtasks where it has several. Clones are handles of the same records.
///
/// Nothing of it is state: a job that goes on from a checkpoint begins with an empty one, and what
/// had come after the checkpoint comes again. If the job runs twice in this process, that is on top
/// of what had come before.
#[derive(Debug)]
pub struct Collected<T>(Arc<Mutex<Vec<T>>>);

impl<T> Collected<T> {
    /// Takes the records that have come so far.
    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.records())
    }

    /// How many have come and were not taken.
    pub fn len(&self) -> usize {
        self.records().len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.records().is_empty()
    }

    fn records(&self) -> MutexGuard<'_, Vec<T>> {
        // Nothing that holds it can leave it half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for Collected<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Collected<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

/// A sink that hands records to a [`Collected`], when it is flushed.
#[derive(Debug)]
pub struct Collect<T> {
    collected: Collected<T>,
    waiting: Vec<T>,
}

impl<T> Collect<T> {
    /// One instance; all of them share the handle.
    pub fn new(collected: Collected<T>) -> Self {
        Self { collected, waiting: Vec::new() }
    }
}

impl<T: Data> Sink for Collect<T> {
    type In = T;

    #[inline]
    fn on_data(&mut self, value: T) -> Result<()> {
        self.waiting.push(value);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.collected.records().append(&mut self.waiting);
        Ok(())
    }
}
