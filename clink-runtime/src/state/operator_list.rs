//! Rows that belong to an operator instance as a whole, dealt out anew at each restore.

use std::marker::PhantomData;

use arrow_array::ArrayRef;
use arrow_schema::Field;

use crate::data::{ColumnBuilder, ColumnView, Data, DataError};

use super::slot::{ErasedOperatorSlot, StateError, StateSlot, StateVisitor, sealed};

/// How the rows of all old instances reach the new ones.
pub trait Redistribution: Default + Send + 'static {
    /// The kind of slot, as the descriptor names it.
    const KIND: &'static str;

    /// True if the instance takes the row at this position among all rows.
    fn takes(position: usize, subtask_index: u32, parallelism: u32) -> bool;
}

/// Each row goes to exactly one instance.
#[derive(Debug, Default)]
pub struct Split;

/// Each instance gets all rows.
#[derive(Debug, Default)]
pub struct Union;

impl Redistribution for Split {
    const KIND: &'static str = "operator_list_split";

    fn takes(position: usize, subtask_index: u32, parallelism: u32) -> bool {
        position % (parallelism.max(1) as usize) == subtask_index as usize
    }
}

impl Redistribution for Union {
    const KIND: &'static str = "operator_list_union";

    fn takes(_position: usize, _subtask_index: u32, _parallelism: u32) -> bool {
        true
    }
}

/// Operator state: a list of rows per instance, redistributed as `R` says.
#[derive(Debug)]
pub struct OperatorListState<V, R = Split> {
    rows: Vec<V>,
    redistribution: PhantomData<R>,
}

impl<V, R> Default for OperatorListState<V, R> {
    fn default() -> Self {
        Self { rows: Vec::new(), redistribution: PhantomData }
    }
}

impl<V: Data, R: Redistribution> OperatorListState<V, R> {
    /// The rows of this instance.
    pub fn rows(&self) -> &[V] {
        &self.rows
    }

    /// Replaces the rows of this instance.
    pub fn set(&mut self, rows: Vec<V>) {
        self.rows = rows;
    }
}

impl<V: Data, R: Redistribution> sealed::Slot for OperatorListState<V, R> {}

impl<V: Data, R: Redistribution> StateSlot for OperatorListState<V, R> {
    const KIND: &'static str = R::KIND;
    const KEYED: bool = false;

    fn visit(
        &mut self,
        name: &'static str,
        visitor: &mut dyn StateVisitor,
    ) -> Result<(), StateError> {
        visitor.operator_slot(name, self)
    }
}

impl<V: Data, R: Redistribution> ErasedOperatorSlot for OperatorListState<V, R> {
    fn value_field(&self) -> Field {
        Field::new("value", V::data_type(), V::nullable())
    }

    fn rows(&self) -> ArrayRef {
        let mut builder = V::Builder::default();
        self.rows.iter().for_each(|row| builder.append(row));
        builder.finish()
    }

    fn load(
        &mut self,
        parts: &[ArrayRef],
        subtask_index: u32,
        parallelism: u32,
    ) -> Result<(), DataError> {
        self.rows.clear();
        let mut position = 0;
        for part in parts {
            let view = V::View::of(part)?;
            for row in 0..part.len() {
                if R::takes(position, subtask_index, parallelism) {
                    self.rows.push(view.get(row)?);
                }
                position += 1;
            }
        }
        Ok(())
    }
}
