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

    /// The instance that takes the row at this position among all rows; `None` for every one.
    fn owner(position: usize, parallelism: u32) -> Option<u32>;
}

/// Each row goes to exactly one instance.
#[derive(Debug, Default)]
pub struct Split;

/// Each instance gets all rows.
#[derive(Debug, Default)]
pub struct Union;

impl Redistribution for Split {
    const KIND: &'static str = "operator_list_split";

    fn owner(position: usize, parallelism: u32) -> Option<u32> {
        u32::try_from(position % (parallelism.max(1) as usize)).ok()
    }
}

impl Redistribution for Union {
    const KIND: &'static str = "operator_list_union";

    fn owner(_position: usize, _parallelism: u32) -> Option<u32> {
        None
    }
}

/// Operator state: a list of rows per instance, redistributed as `R` says: [`Split`] or [`Union`].
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

    /// Adds a row to those of this instance.
    pub fn push(&mut self, row: V) {
        self.rows.push(row);
    }

    /// Removes all rows of this instance.
    pub fn clear(&mut self) {
        self.rows.clear();
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
        let same = parts.len() == parallelism as usize;
        let mut position = 0;
        for (part_index, part) in (0u32..).zip(parts) {
            let view = V::View::of(part)?;
            for row in 0..part.len() {
                let dealt = R::owner(position, parallelism);
                // At the same parallelism each instance gets its own rows back.
                let owner = dealt.map(|owner| if same { part_index } else { owner });
                if owner.is_none_or(|owner| owner == subtask_index) {
                    self.rows.push(view.get(row)?);
                }
                position += 1;
            }
        }
        Ok(())
    }
}
