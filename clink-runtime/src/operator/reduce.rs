//! Combines all records of a key into one, and emits the result so far after each record.

use std::marker::PhantomData;
use std::sync::Arc;

use clink_plan::descriptor::SlotDescriptor;

use crate::data::Data;
use crate::error::Result;
use crate::state::{Key, StateError, StateSlot, StateVisitor, ValueState};

use super::{KeyedContext, KeyedOperator};

/// The one state slot.
pub const SLOT: SlotDescriptor =
    SlotDescriptor { name: "so_far", kind: "value", keyed: true, version: 1 };

/// Folds the values of each key with a closure; the first value of a key stands as it is.
pub struct Reduce<F, K, T> {
    combine: Arc<F>,
    so_far: ValueState<T>,
    types: PhantomData<fn(K)>,
}

impl<F, K, T: Data> Reduce<F, K, T> {
    /// An instance around a closure that all instances share.
    pub fn new(combine: Arc<F>) -> Self {
        Self { combine, so_far: ValueState::default(), types: PhantomData }
    }

    /// Shows the state to the engine.
    ///
    /// # Errors
    /// What the visitor returned.
    pub fn visit_state(&mut self, visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        self.so_far.visit(SLOT.name, visitor)
    }
}

impl<K: Key, T: Data, F: Fn(T, T) -> T + Send + Sync + 'static> KeyedOperator for Reduce<F, K, T> {
    type Key = K;
    type In = T;
    type Out = T;

    #[inline]
    fn process(&mut self, value: T, ctx: &mut KeyedContext<'_, Self>) -> Result<()> {
        let combined = match self.so_far.get(ctx)? {
            Some(so_far) => (self.combine)(so_far.clone(), value),
            None => value,
        };
        self.so_far.set(ctx, combined.clone())?;
        ctx.emit(combined);
        Ok(())
    }
}
