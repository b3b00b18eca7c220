//! One value per key.

use arrow_array::ArrayRef;
use arrow_schema::Field;

use crate::data::{ColumnBuilder, ColumnView, Data, DataError};

use super::CurrentKey;
use super::slot::{ErasedSlot, SlotRows, StateError, StateSlot, StateVisitor, sealed};

/// Keyed state that holds at most one `V` per key.
///
/// Every access takes the context of the record at hand, whose key it uses. Accesses return
/// [`Result`](crate::Result) because a slot may live on disk; on the heap they never fail. On disk
/// the engine loads the values of a batch's keys before the first record, so that an error usually
/// fails the batch before any access.
///
/// `update` runs a closure that cannot use the context; to emit while changing a value, use
/// [`get_mut`](Self::get_mut).
///
/// # Example
/// ```
/// use clink_runtime::operator::{KeyedContext, KeyedOperator};
/// use clink_runtime::state::ValueState;
///
/// #[derive(Default)]
/// struct Count { seen: ValueState<u64> }
///
/// impl KeyedOperator for Count {
///     type Key = String;
///     type In = String;
///     type Out = u64;
///     fn process(
///         &mut self,
///         _: String,
///         ctx: &mut KeyedContext<'_, Self>,
///     ) -> clink_runtime::Result<()> {
///         let seen = self.seen.update(ctx, |n| n + 1)?;
///         ctx.emit(seen);
///         Ok(())
///     }
/// }
/// ```
#[derive(Debug)]
pub struct ValueState<V> {
    values: Vec<Option<V>>,
}

impl<V> Default for ValueState<V> {
    fn default() -> Self {
        Self { values: Vec::new() }
    }
}

impl<V: Data> ValueState<V> {
    /// The value of the current key, if it has one.
    ///
    /// # Errors
    /// [`StateError`] if the slot cannot be read.
    #[inline]
    pub fn get(&self, ctx: &impl CurrentKey) -> Result<Option<&V>, StateError> {
        Ok(self.values.get(ctx.key_index() as usize).and_then(Option::as_ref))
    }

    /// The value of the current key to change in place, the default put there first if there is
    /// none. Counts as a write, even if the value stays the same.
    ///
    /// # Errors
    /// [`StateError`] if the slot cannot be read.
    #[inline]
    pub fn get_mut(&mut self, ctx: &impl CurrentKey) -> Result<&mut V, StateError>
    where
        V: Default,
    {
        Ok(self.entry(ctx.key_index()).get_or_insert_default())
    }

    /// Replaces the value of the current key.
    ///
    /// # Errors
    /// [`StateError`] if the slot cannot be written.
    #[inline]
    pub fn set(&mut self, ctx: &impl CurrentKey, value: V) -> Result<(), StateError> {
        *self.entry(ctx.key_index()) = Some(value);
        Ok(())
    }

    /// Changes the value of the current key, which starts from the default, and returns the new
    /// one.
    ///
    /// # Errors
    /// [`StateError`] if the slot cannot be read or written.
    #[inline]
    pub fn update(
        &mut self,
        ctx: &impl CurrentKey,
        change: impl FnOnce(V) -> V,
    ) -> Result<V, StateError>
    where
        V: Default,
    {
        let entry = self.entry(ctx.key_index());
        let changed = change(entry.take().unwrap_or_default());
        Ok(entry.insert(changed).clone())
    }

    /// Forgets the value of the current key.
    ///
    /// # Errors
    /// [`StateError`] if the slot cannot be written.
    pub fn clear(&mut self, ctx: &impl CurrentKey) -> Result<(), StateError> {
        if let Some(entry) = self.values.get_mut(ctx.key_index() as usize) {
            *entry = None;
        }
        Ok(())
    }

    #[inline]
    fn entry(&mut self, index: u32) -> &mut Option<V> {
        let index = index as usize;
        if index >= self.values.len() {
            self.grow(index);
        }
        self.values.get_mut(index).expect("the slot was grown to hold the index")
    }

    #[cold]
    fn grow(&mut self, index: usize) {
        self.values.resize_with(index + 1, || None);
    }
}

impl<V: Data> sealed::Slot for ValueState<V> {}

impl<V: Data> StateSlot for ValueState<V> {
    const KIND: &'static str = "value";
    const KEYED: bool = true;

    fn visit(
        &mut self,
        name: &'static str,
        visitor: &mut dyn StateVisitor,
    ) -> Result<(), StateError> {
        visitor.slot(name, self)
    }
}

impl<V: Data> ErasedSlot for ValueState<V> {
    fn value_field(&self) -> Field {
        Field::new("value", V::data_type(), V::nullable())
    }

    fn rows(&self) -> SlotRows {
        let mut builder = V::Builder::default();
        let mut indices = Vec::new();
        for (index, value) in (0u32..).zip(&self.values) {
            if let Some(value) = value {
                indices.push(index);
                builder.append(value);
            }
        }
        SlotRows { indices, values: builder.finish() }
    }

    fn mark(&self, alive: &mut [bool]) {
        for (alive, value) in alive.iter_mut().zip(&self.values) {
            *alive |= value.is_some();
        }
    }

    fn compact(&mut self, moved: &[Option<u32>]) {
        let mut index = 0;
        // Keys that live keep their order, so what stays is in its place.
        self.values.retain(|_| {
            let stays = moved.get(index).copied().flatten().is_some();
            index += 1;
            stays
        });
        self.values.shrink_to_fit();
    }

    fn load(&mut self, values: &ArrayRef, indices: &[u32]) -> Result<(), DataError> {
        let view = V::View::of(values)?;
        for (row, index) in indices.iter().enumerate() {
            // Two rows for one key: the later one must not take the earlier one's place in silence.
            if self.entry(*index).replace(view.get(row)?).is_some() {
                return Err(DataError::repeated_key(row));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::Int64Array;

    use super::*;

    #[test]
    fn a_second_row_for_a_key_is_refused_k04() {
        let mut state = ValueState::<i64>::default();
        let rows: ArrayRef = Arc::new(Int64Array::from(vec![7, 8]));
        state.load(&rows, &[0, 1]).unwrap();
        let error = state.load(&rows, &[2, 1]).unwrap_err();
        assert_eq!(error, DataError::RepeatedKey { column: String::new(), row: 1 });
    }
}
