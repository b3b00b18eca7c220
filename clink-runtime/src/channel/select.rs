//! Chooses a branch of a split output for each record.

use std::any::Any;

use super::batch::ErasedBatch;
use crate::error::Error;

/// Names the branch of each record of a batch.
pub trait Selector: Any + Send {
    /// Appends one branch per record to `branches`.
    fn branches(&mut self, batch: &ErasedBatch, branches: &mut Vec<u32>);

    /// Its name in the graph, for messages.
    fn name(&self) -> &str;

    /// What the branches are called, as far as they have names.
    fn branch_names(&self) -> &[String] {
        &[]
    }
}

/// The error of a record for which a selector names a branch that nobody reads.
#[cold]
pub(super) fn no_such_branch(selector: &dyn Selector, branch: u32, branches: usize) -> Error {
    let names: Vec<_> = selector.branch_names().iter().map(|name| format!("`{name}`")).collect();
    let known = match branches.checked_sub(1) {
        None => "none is read".to_owned(),
        Some(0) => "only branch 0 is read".to_owned(),
        Some(last) => format!("branches 0 to {last} are read"),
    };
    let named = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    Error::new(format!(
        "selector `{}` named branch {branch} for a record, and {known}{named}: every record goes \
         to exactly one branch, so it must name one of these",
        selector.name()
    ))
    .terminal()
}
