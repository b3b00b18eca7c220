//! One value that every instance of an operator has, changed by a stream that all of them get.

use arrow_array::ArrayRef;
use arrow_schema::Field;

use crate::data::{ColumnBuilder, ColumnView, Data, DataError};

use super::slot::ErasedOperatorSlot;

/// Operator state with one value, equal in all instances: what a control stream has made of it.
///
/// Each instance saves it, and any one of these copies is what each instance gets after a restore.
#[derive(Debug)]
pub struct BroadcastState<V> {
    value: V,
}

impl<V: Data> BroadcastState<V> {
    /// With this value at a fresh start.
    pub fn new(value: V) -> Self {
        Self { value }
    }

    /// The value.
    #[inline]
    pub fn get(&self) -> &V {
        &self.value
    }

    /// The value, to be changed: only by a control record, which every instance gets.
    pub(crate) fn get_mut(&mut self) -> &mut V {
        &mut self.value
    }
}

impl<V: Data> ErasedOperatorSlot for BroadcastState<V> {
    fn value_field(&self) -> Field {
        Field::new("value", V::data_type(), V::nullable())
    }

    fn rows(&self) -> ArrayRef {
        let mut builder = V::Builder::default();
        builder.append(&self.value);
        builder.finish()
    }

    fn load(&mut self, parts: &[ArrayRef], _: u32, _: u32) -> Result<(), DataError> {
        if let Some(part) = parts.iter().find(|part| !part.is_empty()) {
            self.value = V::View::of(part)?.get(0)?;
        }
        Ok(())
    }
}
