//! Captures the rows of state slots at a barrier and loads them again after a restore.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, UInt16Array};
use arrow_schema::{Field, Schema};
use arrow_select::concat::concat;

use clink_plan::id::OperatorId;
use clink_plan::key_group::KeyGroupRange;

use crate::data::{ColumnBuilder, ColumnView, DataError};

use super::Key;
use super::key_index::KeyTable;
use super::named::RestoredSlot;
use super::slot::{ErasedOperatorSlot, ErasedSlot, StateError, StateVisitor};

/// Column of key groups in a keyed slot.
pub const KEY_GROUP_COLUMN: &str = "key_group";
/// Column of keys in a keyed slot.
pub const KEY_COLUMN: &str = "key";
/// Column of values in every slot.
pub const VALUE_COLUMN: &str = crate::data::VALUE_COLUMN;

/// What an operator's state is filed under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperatorIdentity {
    /// The id every look-up goes by.
    pub id: OperatorId,
    /// The author's uid; empty when none was given.
    pub uid: String,
}

/// Whose rows a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotScope {
    /// One row per key, with its key group: restored by overlap of key-group ranges.
    Keyed,
    /// Rows of the subtask as a whole: restored by the redistribution that the operator declares.
    Operator,
}

/// The rows of one slot of one operator instance.
///
/// | scope | columns |
/// |---|---|
/// | keyed | `key_group` UInt16, `key`, `value` |
/// | operator | `value` |
///
/// `key` and `value` have the Arrow type of the author's type.
#[derive(Clone, Debug)]
pub struct SlotSnapshot {
    /// Whose state.
    pub operator: OperatorIdentity,
    /// Index of the instance among its siblings.
    pub subtask_index: u32,
    /// Parallelism of the operator.
    pub parallelism: u32,
    /// The slot's name.
    pub slot: String,
    /// Whose rows.
    pub scope: SlotScope,
    /// True if the operator asked for it by name: it is no field, and was not known before.
    pub by_name: bool,
    /// Key groups of the instance.
    pub key_groups: KeyGroupRange,
    /// The rows.
    pub rows: RecordBatch,
}

/// The operator instance whose state is captured or loaded.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Whose state.
    pub operator: OperatorIdentity,
    /// Index among its siblings.
    pub subtask_index: u32,
    /// How many there are.
    pub parallelism: u32,
    /// The key groups it owns.
    pub key_groups: KeyGroupRange,
}

/// Where restored rows come from: a checkpoint that has been verified.
pub trait RestoredState: Send + Sync {
    /// The rows of a keyed slot whose key groups lie in `range`; `None` if the checkpoint has no
    /// such slot.
    ///
    /// # Errors
    /// If the rows cannot be read.
    fn keyed_rows(
        &self,
        operator: OperatorId,
        slot: &str,
        range: KeyGroupRange,
    ) -> Result<Option<Vec<RecordBatch>>, crate::Error>;

    /// The names of an operator's keyed slots that are no fields.
    fn slots_by_name(&self, operator: OperatorId) -> Vec<String>;

    /// True if the instance had come to its end when the checkpoint was taken. At another
    /// parallelism: if all of them had.
    fn has_finished(&self, instance: &Instance) -> bool;

    /// The rows of an operator slot of all old instances, in their order.
    ///
    /// # Errors
    /// If the rows cannot be read.
    fn operator_rows(
        &self,
        operator: OperatorId,
        slot: &str,
    ) -> Result<Option<Vec<RecordBatch>>, crate::Error>;
}

/// Collects the slots of one operator instance.
pub struct SnapshotWriter<'a> {
    instance: &'a Instance,
    slots: &'a mut Vec<SlotSnapshot>,
    /// What is captured are no fields.
    by_name: bool,
}

impl<'a> SnapshotWriter<'a> {
    /// A writer that appends to `slots`.
    pub fn new(instance: &'a Instance, slots: &'a mut Vec<SlotSnapshot>) -> Self {
        Self { instance, slots, by_name: false }
    }

    /// Captures an operator slot that is no field.
    pub fn operator_rows(&mut self, slot: &str, field: Field, values: ArrayRef) {
        self.push(slot, SlotScope::Operator, vec![field.with_name(VALUE_COLUMN)], vec![values]);
    }

    /// A visitor that captures operator slots.
    pub fn operator_saver(&mut self) -> impl StateVisitor {
        OperatorSaver(self.again(false))
    }

    /// A visitor that captures keyed slots, with the keys they are indexed by.
    pub fn keyed_saver<K: Key>(&mut self, keys: &KeyTable<K>) -> impl StateVisitor {
        KeyedSaver { writer: self.again(false), keys }
    }

    /// The same for keyed slots that the operator asked for by name.
    pub fn named_saver<K: Key>(&mut self, keys: &KeyTable<K>) -> impl StateVisitor {
        KeyedSaver { writer: self.again(true), keys }
    }

    fn again(&mut self, by_name: bool) -> SnapshotWriter<'_> {
        SnapshotWriter { instance: self.instance, slots: self.slots, by_name }
    }

    fn push(&mut self, slot: &str, scope: SlotScope, fields: Vec<Field>, columns: Vec<ArrayRef>) {
        let rows = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
            .expect("builders make columns of one length and of the type their field says");
        self.slots.push(SlotSnapshot {
            operator: self.instance.operator.clone(),
            subtask_index: self.instance.subtask_index,
            parallelism: self.instance.parallelism,
            slot: slot.to_owned(),
            scope,
            by_name: self.by_name,
            key_groups: self.instance.key_groups,
            rows,
        });
    }
}

struct OperatorSaver<'a>(SnapshotWriter<'a>);

impl StateVisitor for OperatorSaver<'_> {
    fn slot(&mut self, name: &str, _slot: &mut dyn ErasedSlot) -> Result<(), StateError> {
        Err(StateError::NoKey { slot: name.to_owned() })
    }

    fn operator_slot(
        &mut self,
        name: &str,
        slot: &mut dyn ErasedOperatorSlot,
    ) -> Result<(), StateError> {
        self.0.operator_rows(name, slot.value_field(), slot.rows());
        Ok(())
    }
}

struct KeyedSaver<'a, 'k, K> {
    writer: SnapshotWriter<'a>,
    keys: &'k KeyTable<K>,
}

impl<K: Key> StateVisitor for KeyedSaver<'_, '_, K> {
    fn slot(&mut self, name: &str, slot: &mut dyn ErasedSlot) -> Result<(), StateError> {
        let rows = slot.rows();
        let mut keys = K::Builder::default();
        rows.indices.iter().for_each(|index| keys.append(self.keys.key(*index)));
        let groups = rows.indices.iter().map(|index| self.keys.group(*index).0);
        let fields = vec![
            Field::new(KEY_GROUP_COLUMN, arrow_schema::DataType::UInt16, false),
            Field::new(KEY_COLUMN, K::data_type(), K::nullable()),
            slot.value_field().with_name(VALUE_COLUMN),
        ];
        let groups: ArrayRef = Arc::new(UInt16Array::from_iter_values(groups));
        let columns = vec![groups, keys.finish(), rows.values];
        self.writer.push(name, SlotScope::Keyed, fields, columns);
        Ok(())
    }

    fn operator_slot(
        &mut self,
        name: &str,
        slot: &mut dyn ErasedOperatorSlot,
    ) -> Result<(), StateError> {
        self.writer.operator_rows(name, slot.value_field(), slot.rows());
        Ok(())
    }
}

/// The restored rows of one operator instance.
pub struct RestoredSlots<'a> {
    instance: &'a Instance,
    state: &'a dyn RestoredState,
}

impl<'a> RestoredSlots<'a> {
    /// The part of `state` that belongs to `instance`.
    pub fn new(instance: &'a Instance, state: &'a dyn RestoredState) -> Self {
        Self { instance, state }
    }

    /// The value columns of an operator slot, one per old instance in their order.
    ///
    /// # Errors
    /// If the rows cannot be read.
    pub fn operator_rows(&self, slot: &str) -> Result<Option<Vec<ArrayRef>>, crate::Error> {
        let Some(parts) = self.state.operator_rows(self.instance.operator.id, slot)? else {
            return Ok(None);
        };
        parts
            .iter()
            .map(|part| column(part, slot, VALUE_COLUMN))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// A visitor that loads operator slots.
    pub fn operator_loader(&self) -> impl StateVisitor {
        OperatorLoader(RestoredSlots { ..*self })
    }

    /// The names of keyed slots that are no fields.
    pub(crate) fn slots_by_name(&self) -> Vec<String> {
        self.state.slots_by_name(self.instance.operator.id)
    }

    /// The rows of a keyed slot as they are, their keys taken in; `None` if there are none.
    pub(crate) fn kept<K: Key>(
        &self,
        name: &str,
        keys: &mut KeyTable<K>,
    ) -> Result<Option<RestoredSlot>, crate::Error> {
        let Instance { ref operator, key_groups, .. } = *self.instance;
        let parts = self.state.keyed_rows(operator.id, name, key_groups)?.unwrap_or_default();
        let (mut values, mut indices) = (Vec::new(), Vec::new());
        for part in &parts {
            take_keys(part, name, keys, &mut indices)?;
            values.push(column(part, name, VALUE_COLUMN)?);
        }
        let Some(part) = parts.first() else { return Ok(None) };
        let field = part.schema_ref().field_with_name(VALUE_COLUMN)?.clone();
        let values: Vec<&dyn Array> = values.iter().map(AsRef::as_ref).collect();
        let (name, values) = (name.to_owned(), concat(&values)?);
        Ok(Some(RestoredSlot { name, field, values, indices }))
    }

    /// A visitor that loads keyed slots and the keys they are indexed by.
    pub fn keyed_loader<'s, K: Key>(&'s self, keys: &'s mut KeyTable<K>) -> impl StateVisitor {
        KeyedLoader { restored: RestoredSlots { ..*self }, keys }
    }
}

fn column(rows: &RecordBatch, slot: &str, name: &str) -> Result<ArrayRef, crate::Error> {
    rows.column_by_name(name).cloned().ok_or_else(|| {
        crate::Error::new(format!("state slot `{slot}` has no column `{name}`")).terminal()
    })
}

/// Takes the keys of rows in, and appends the index of each.
fn take_keys<K: Key>(
    part: &RecordBatch,
    slot: &str,
    keys: &mut KeyTable<K>,
    indices: &mut Vec<u32>,
) -> Result<(), crate::Error> {
    let in_key = |error: DataError| error.in_column(KEY_COLUMN);
    let view = K::View::of(&column(part, slot, KEY_COLUMN)?).map_err(in_key)?;
    for row in 0..part.num_rows() {
        indices.push(keys.insert(view.get(row).map_err(in_key)?)?);
    }
    Ok(())
}

fn unreadable(slot: &str, error: &crate::Error) -> StateError {
    StateError::Restore { slot: slot.to_owned(), reason: error.to_string() }
}

struct OperatorLoader<'a>(RestoredSlots<'a>);

impl StateVisitor for OperatorLoader<'_> {
    fn slot(&mut self, name: &str, _slot: &mut dyn ErasedSlot) -> Result<(), StateError> {
        Err(StateError::NoKey { slot: name.to_owned() })
    }

    fn operator_slot(
        &mut self,
        name: &str,
        slot: &mut dyn ErasedOperatorSlot,
    ) -> Result<(), StateError> {
        let parts = self.0.operator_rows(name).map_err(|error| unreadable(name, &error))?;
        let Instance { subtask_index, parallelism, .. } = *self.0.instance;
        slot.load(&parts.unwrap_or_default(), subtask_index, parallelism)
            .map_err(|error| unreadable(name, &error.in_column(VALUE_COLUMN).into()))
    }
}

struct KeyedLoader<'a, K> {
    restored: RestoredSlots<'a>,
    keys: &'a mut KeyTable<K>,
}

impl<K: Key> KeyedLoader<'_, K> {
    fn load(&mut self, name: &str, slot: &mut dyn ErasedSlot) -> Result<(), crate::Error> {
        let Instance { ref operator, key_groups, .. } = *self.restored.instance;
        let parts = self.restored.state.keyed_rows(operator.id, name, key_groups)?;
        for part in parts.unwrap_or_default() {
            let mut indices = Vec::with_capacity(part.num_rows());
            take_keys(&part, name, self.keys, &mut indices)?;
            slot.load(&column(&part, name, VALUE_COLUMN)?, &indices)
                .map_err(|error| error.in_column(VALUE_COLUMN))?;
        }
        Ok(())
    }
}

impl<K: Key> StateVisitor for KeyedLoader<'_, K> {
    fn slot(&mut self, name: &str, slot: &mut dyn ErasedSlot) -> Result<(), StateError> {
        self.load(name, slot).map_err(|error| unreadable(name, &error))
    }

    fn operator_slot(
        &mut self,
        name: &str,
        slot: &mut dyn ErasedOperatorSlot,
    ) -> Result<(), StateError> {
        OperatorLoader(RestoredSlots { ..self.restored }).operator_slot(name, slot)
    }
}
