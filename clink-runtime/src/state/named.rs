//! Keeps keyed state that an operator asks for by name, beside the slots that are its fields.
//!
//! Both forms end in the same slots of a checkpoint, so either finds what the other has left. What
//! a checkpoint holds under a name that nobody has asked for yet is kept as rows, in the columns it
//! came in: the next checkpoint has it again. Only its keys are read at the restore, for the table
//! of keys cannot grow while a record is at hand; the values become values when they are asked for.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use arrow_array::ArrayRef;
use arrow_schema::Field;
use clink_plan::descriptor::SlotDescriptor;

use crate::data::{Data, DataError, VALUE_COLUMN};

use super::slot::{ErasedSlot, SlotRows, StateError, StateVisitor};
use super::{CurrentKey, ValueState, sealed};

/// A slot that is asked for by name, but for the name.
pub(crate) const NAMED: SlotDescriptor =
    SlotDescriptor { name: "", kind: "value", keyed: true, version: 1 };

/// What the engine calls its own slots.
const RESERVED: &str = "__clink_";

/// Why state cannot have that name. The loops are by hand, for it also runs while an author's crate
/// compiles.
const fn refusal(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty");
    }
    let mut rest = name.as_bytes();
    while let Some((byte, others)) = rest.split_first() {
        if matches!(byte, b'|' | b'\n') {
            return Some("it holds `|` or a newline, which separate names where they are listed");
        }
        rest = others;
    }
    let (mut rest, mut reserved) = (name.as_bytes(), RESERVED.as_bytes());
    while let Some((own, more)) = reserved.split_first() {
        match rest.split_first() {
            Some((byte, others)) if *byte == *own => (rest, reserved) = (others, more),
            _ => return None,
        }
    }
    Some("names that begin with `__clink_` are the engine's")
}

/// Checks names that are written down in an operator, while it compiles.
///
/// # Panics
/// If one of them cannot name state.
pub(crate) const fn assert_names(mut names: &[&str]) {
    while let Some((name, others)) = names.split_first() {
        assert!(
            refusal(name).is_none(),
            "STATE_BY_NAME: a name is empty, begins with `__clink_`, or holds `|` or a newline"
        );
        names = others;
    }
}

/// The type of the values under each name, of all instances of all operators of a job: each would
/// notice a second type only at its own first record.
#[derive(Debug, Default)]
pub struct NamedTypes(Mutex<BTreeMap<(String, String), String>>);

impl NamedTypes {
    fn note<V: Data>(&self, operator: &str, name: &str) -> Result<(), StateError> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = V::type_name();
        let holds =
            all.entry((operator.to_owned(), name.to_owned())).or_insert_with(|| asked.clone());
        if *holds == asked { Ok(()) } else { Err(other_type(name, holds, asked)) }
    }
}

#[cold]
fn other_type(name: &str, holds: &str, asked: String) -> StateError {
    StateError::OtherType { name: name.to_owned(), holds: holds.to_owned(), asked }
}

/// Values of any type, one per key.
trait AnyValues: ErasedSlot + Any + Send {
    fn type_name(&self) -> String;
}

impl<V: Data> AnyValues for ValueState<V> {
    fn type_name(&self) -> String {
        V::type_name()
    }
}

/// The keyed state of one operator instance that has names and is no field.
#[derive(Default)]
pub struct NamedSlots {
    open: Vec<(String, Box<dyn AnyValues>)>,
    restored: Vec<RestoredSlot>,
    /// The slots that are fields.
    fields: &'static [SlotDescriptor],
}

impl NamedSlots {
    /// Beside these fields, empty.
    pub(crate) fn beside(fields: &'static [SlotDescriptor]) -> Self {
        Self { fields, ..Self::default() }
    }

    /// Keeps rows of a checkpoint, if there are any, until they are asked for.
    pub(crate) fn keep(&mut self, rows: Option<RestoredSlot>) {
        self.restored.extend(rows);
    }

    /// The state of that name; `operator` and `types` are those of the job.
    ///
    /// # Errors
    /// If it cannot have that name, or holds values of another type.
    #[inline]
    pub(crate) fn state<V: Data>(
        &mut self,
        name: &str,
        operator: &str,
        types: &NamedTypes,
    ) -> Result<&mut ValueState<V>, StateError> {
        let at = match self.open.iter().position(|(open, _)| open == name) {
            Some(at) => at,
            None => self.ask::<V>(name, operator, types)?,
        };
        let (_, values) = self.open.get_mut(at).expect("it was found or added at this place");
        let any: &dyn Any = values.as_ref();
        if !any.is::<ValueState<V>>() {
            return Err(other_type(name, &values.type_name(), V::type_name()));
        }
        let any: &mut dyn Any = values.as_mut();
        Ok(any.downcast_mut().expect("its type has just been looked at"))
    }

    /// Takes a name in at its first mention; its place.
    #[cold]
    fn ask<V: Data>(
        &mut self,
        name: &str,
        operator: &str,
        types: &NamedTypes,
    ) -> Result<usize, StateError> {
        if let Some(reason) = refusal(name) {
            return Err(StateError::Name { name: name.to_owned(), reason });
        }
        if self.fields.iter().any(|field| field.name == name) {
            return Err(StateError::Field { name: name.to_owned() });
        }
        types.note::<V>(operator, name)?;
        let mut state = ValueState::<V>::default();
        if let Some(at) = self.restored.iter().position(|slot| slot.name == name) {
            let RestoredSlot { values, indices, .. } = self.restored.swap_remove(at);
            state.load(&values, &indices).map_err(|error| StateError::RestoreByName {
                name: name.to_owned(),
                reason: error.in_column(VALUE_COLUMN).to_string(),
            })?;
        }
        self.open.push((name.to_owned(), Box::new(state)));
        Ok(self.open.len() - 1)
    }

    /// Shows every slot to a visitor.
    ///
    /// # Errors
    /// What the visitor returned.
    pub(crate) fn visit(&mut self, visitor: &mut dyn StateVisitor) -> Result<(), StateError> {
        for (name, values) in &mut self.open {
            visitor.slot(name, values.as_mut())?;
        }
        for slot in &mut self.restored {
            let name = slot.name.clone();
            visitor.slot(&name, slot)?;
        }
        Ok(())
    }
}

impl fmt::Debug for NamedSlots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.open.iter().map(|(name, _)| name);
        f.debug_list().entries(open.chain(self.restored.iter().map(|slot| &slot.name))).finish()
    }
}

/// Rows of a checkpoint that nobody has asked for, at the indices of their keys.
#[derive(Debug)]
pub(crate) struct RestoredSlot {
    pub(crate) name: String,
    pub(crate) field: Field,
    pub(crate) values: ArrayRef,
    pub(crate) indices: Vec<u32>,
}

impl ErasedSlot for RestoredSlot {
    fn value_field(&self) -> Field {
        self.field.clone()
    }

    fn rows(&self) -> SlotRows {
        SlotRows { indices: self.indices.clone(), values: ArrayRef::clone(&self.values) }
    }

    fn mark(&self, alive: &mut [bool]) {
        for index in &self.indices {
            if let Some(alive) = alive.get_mut(*index as usize) {
                *alive = true;
            }
        }
    }

    fn compact(&mut self, moved: &[Option<u32>]) {
        // Each of its keys has been marked, so none of them is gone.
        for index in &mut self.indices {
            *index = moved.get(*index as usize).copied().flatten().unwrap_or(*index);
        }
    }

    /// It is made of its rows; nothing is loaded later.
    fn load(&mut self, _: &ArrayRef, _: &[u32]) -> Result<(), DataError> {
        Ok(())
    }
}

/// The state of the current key under some name, as
/// [`keyed_state`](crate::operator::KeyContext::keyed_state) gives it.
///
/// A [`ValueState`] without a field: the same calls, the same slot in a checkpoint.
pub struct KeyedState<'c, V> {
    values: &'c mut ValueState<V>,
    key: At,
}

/// The key that is current.
struct At(u32);

impl sealed::Sealed for At {}

impl CurrentKey for At {
    #[inline]
    fn key_index(&self) -> u32 {
        self.0
    }
}

impl<'c, V: Data> KeyedState<'c, V> {
    /// Of the key with that index.
    pub(crate) fn new(values: &'c mut ValueState<V>, key_index: u32) -> Self {
        Self { values, key: At(key_index) }
    }

    /// The value, if there is one.
    ///
    /// # Errors
    /// [`StateError`] if the slot cannot be read.
    #[inline]
    pub fn get(&self) -> Result<Option<&V>, StateError> {
        self.values.get(&self.key)
    }

    /// The value to change in place, the default put there first if there is none. Counts as a
    /// write, even if the value stays the same.
    ///
    /// # Errors
    /// [`StateError`] if the slot cannot be read.
    #[inline]
    pub fn get_mut(&mut self) -> Result<&mut V, StateError>
    where
        V: Default,
    {
        self.values.get_mut(&self.key)
    }

    /// Replaces the value.
    ///
    /// # Errors
    /// [`StateError`] if the slot cannot be written.
    #[inline]
    pub fn set(&mut self, value: V) -> Result<(), StateError> {
        self.values.set(&self.key, value)
    }

    /// Changes the value, which starts from the default, and returns the new one.
    ///
    /// # Errors
    /// [`StateError`] if the slot cannot be read or written.
    #[inline]
    pub fn update(&mut self, change: impl FnOnce(V) -> V) -> Result<V, StateError>
    where
        V: Default,
    {
        self.values.update(&self.key, change)
    }

    /// Forgets the value.
    ///
    /// # Errors
    /// [`StateError`] if the slot cannot be written.
    pub fn clear(&mut self) -> Result<(), StateError> {
        self.values.clear(&self.key)
    }
}

impl<V> fmt::Debug for KeyedState<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedState").field("key_index", &self.key.0).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_refused_for_a_reason() {
        for good in ["seen", "__clink", "_clink_x", "a b", "é", "__clinkx", "x__clink_"] {
            assert_eq!(refusal(good), None, "{good}");
        }
        assert_eq!(refusal(""), Some("it is empty"));
        for bad in ["__clink_", "__clink_timers"] {
            assert!(refusal(bad).unwrap().contains("the engine's"), "{bad}");
        }
        for bad in ["a|b", "|", "a\n", "__clink_|"] {
            assert!(refusal(bad).unwrap().contains("newline"), "{bad}");
        }
    }
}
