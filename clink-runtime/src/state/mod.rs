//! Holds what operators remember per key, and lets the engine save and load it.
//!
//! **The operator is its state**: a `#[state]` field of an operator struct *holds* the values. The
//! runner turns the current key into a dense index once per record ([`key_index`]); every slot of
//! the operator is a vector at that index ([`value`]). A context that knows the current key is the
//! witness each access asks for, so state outside a key does not compile. What is asked for by name
//! ([`named`]) is a slot like the others, kept for the operator by its stage.

pub mod broadcast;
pub(crate) mod compaction;
pub mod key;
pub mod key_index;
pub mod named;
pub mod operator_list;
pub mod slot;
pub mod snapshot;
pub mod value;

pub use broadcast::BroadcastState;
pub use key::Key;
pub use key_index::{KeyLookup, KeyTable};
pub use named::{KeyedState, NamedSlots, NamedTypes};
pub use operator_list::{OperatorListState, Redistribution, Split, Union};
pub use slot::{
    ErasedOperatorSlot, ErasedSlot, KnownSlots, SlotRows, StateError, StateSlot, StateVisitor,
};
pub use value::ValueState;

/// A context in which a key is current. Sealed: only the engine knows when that is.
#[diagnostic::on_unimplemented(
    message = "keyed state needs a current key, and `{Self}` has none",
    label = "this context is not keyed",
    note = "keyed state belongs in a `KeyedOperator`, after `key_by`"
)]
pub trait CurrentKey: sealed::Sealed {
    /// The dense index of the current key.
    #[doc(hidden)]
    fn key_index(&self) -> u32;
}

pub(crate) mod sealed {
    /// Implemented by the engine's keyed contexts only.
    pub trait Sealed {}
}
