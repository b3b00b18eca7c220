//! Lets the engine see every state slot of an operator without knowing its types.

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
        matches!(self, Self::Restore { .. })
    }
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
    fn slot(&mut self, name: &'static str, slot: &mut dyn ErasedSlot) -> Result<(), StateError>;

    /// One slot of operator state.
    fn operator_slot(
        &mut self,
        name: &'static str,
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
