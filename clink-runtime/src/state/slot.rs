//! Lets the engine see every state slot of an operator without knowing its types.

use std::collections::BTreeSet;

use arrow_array::ArrayRef;
use arrow_schema::Field;

use crate::data::DataError;

/// Why a slot refused an access.
///
/// Slots on the heap never do; slots on disk may fail to read or decode.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The slot's rows in a checkpoint could not be read, or are of another type.
    #[error(
        "restore state slot `{slot}`: {reason}; give it the type it was written with, or another \
         name to start it afresh (with --allow-unmatched-state)"
    )]
    Restore {
        /// The slot.
        slot: String,
        /// Why not.
        reason: String,
    },
    /// The rows under a name in a checkpoint could not be read, or are of another type.
    #[error(
        "state `{name}` in the checkpoint: {reason}; ask for the type it was written with, or for \
         another name"
    )]
    RestoreByName {
        /// The name.
        name: String,
        /// Why not.
        reason: String,
    },
    /// State was asked for by a name that it cannot have.
    #[error("`{}` cannot name state: {reason}", .name.escape_debug())]
    Name {
        /// The name.
        name: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// State was asked for by the name of a field.
    #[error(
        "state `{name}` is a `#[state]` field of the operator: use the field, or ask for another \
         name"
    )]
    Field {
        /// The name.
        name: String,
    },
    /// State was asked for with another type than before.
    #[error(
        "state `{name}` holds `{holds}`, and `{asked}` was asked for: a name stands for one type \
         in all of an operator"
    )]
    OtherType {
        /// The name.
        name: String,
        /// The type of its values.
        holds: String,
        /// The type that was asked for.
        asked: String,
    },
    /// Keyed state in an operator that has no key.
    #[error("state slot `{slot}` is keyed, but its operator is not: implement `KeyedOperator`")]
    NoKey {
        /// The slot.
        slot: String,
    },
}

impl StateError {
    /// True if rows of a checkpoint do not fit the slot.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Restore { .. } | Self::RestoreByName { .. })
    }
}

/// The state of an operator, as far as it is known before it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownSlots {
    /// The names of its slots.
    pub names: BTreeSet<String>,
    /// True if it may ask for more, by name.
    pub asks_by_name: bool,
}

/// The rows of a slot, with their keys: one or several per key that has something.
#[derive(Debug)]
pub struct SlotRows {
    /// Dense key index of each row.
    pub indices: Vec<u32>,
    /// Value of each row.
    pub values: ArrayRef,
}

/// One state slot, its type erased.
pub trait ErasedSlot {
    /// The Arrow field of a value.
    fn value_field(&self) -> Field;
    /// All rows, in order of their key index.
    fn rows(&self) -> SlotRows;
    /// Marks the indices that hold a value.
    fn mark(&self, alive: &mut [bool]);
    /// Moves each value to where its key has gone.
    fn compact(&mut self, moved: &[Option<u32>]);
    /// Puts restored values at the indices of their keys.
    fn load(&mut self, values: &ArrayRef, indices: &[u32]) -> Result<(), DataError>;
}

/// One slot of operator state, its type erased.
pub trait ErasedOperatorSlot {
    /// The Arrow field of a row.
    fn value_field(&self) -> Field;
    /// All rows of this instance.
    fn rows(&self) -> ArrayRef;
    /// Takes this instance's part of the rows of all old instances, which come in their order.
    fn load(
        &mut self,
        parts: &[ArrayRef],
        subtask_index: u32,
        parallelism: u32,
    ) -> Result<(), DataError>;
}

/// Is shown each slot of an operator in turn.
pub trait StateVisitor {
    /// One slot of keyed state.
    fn slot(&mut self, name: &str, slot: &mut dyn ErasedSlot) -> Result<(), StateError>;

    /// One slot of operator state.
    fn operator_slot(
        &mut self,
        name: &str,
        slot: &mut dyn ErasedOperatorSlot,
    ) -> Result<(), StateError>;
}

/// A field type that may stand under `#[state]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state slot",
    label = "a `#[state]` field must be a state type",
    note = "use `ValueState<…>`; a field that is configuration needs no attribute, and one that is \
            rebuilt at each start takes `#[transient]`"
)]
pub trait StateSlot: Default + sealed::Slot {
    /// The kind of slot, as the descriptor names it.
    const KIND: &'static str;
    /// True if it holds something per key and so needs a keyed operator.
    const KEYED: bool;
    /// Shows the slot to the engine.
    ///
    /// # Errors
    /// What the visitor returned.
    #[doc(hidden)]
    fn visit(
        &mut self,
        name: &'static str,
        visitor: &mut dyn StateVisitor,
    ) -> Result<(), StateError>;
}

/// Only the engine makes slot types: it must be able to page and expire what they hold.
pub(super) mod sealed {
    /// Implemented by the slot types of this module's siblings.
    pub trait Slot {}
}
