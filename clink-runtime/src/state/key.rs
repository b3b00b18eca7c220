//! Says what may be a key.

use std::hash::Hash;

use clink_plan::key_group::KeyEncode;

use crate::data::Data;

/// What records are partitioned by: [`Data`] with a canonical byte encoding and an equality that
/// agrees with it. Routing, state and restore all use that one encoding.
///
/// An author's own struct or enum derives it, beside what it stands on:
///
/// ```text
/// #[derive(Data, Key, Clone, PartialEq, Eq, Hash)]
/// struct Route { from: String, to: String }
/// ```
///
/// Contract: two keys are equal if and only if their bytes are. Records are grouped by the bytes
/// alone; a subtask finds the state of a key by `Eq` and `Hash`, which is faster. A type for which
/// those say something else is refused where that shows: at the first sight of a key that is not
/// equal to its own copy, at a restore that finds two rows for one key, and in debug builds at
/// each record whose key has other bytes than the key it is found equal to. A release build takes
/// such keys for one if they meet in a subtask.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key",
    label = "not a key type",
    note = "a key is an integer, a `bool`, `char`, `String`, `Vec<u8>` or `Timestamp`, or an \
            option or a tuple of these: take it out of the record, `|r| r.id` or \
            `|r| (r.from, r.to)`; for a key that is borrowed from the record, call `key_by_ref`",
    note = "derive it on your own struct or enum: \
            `#[derive(Data, Key, Clone, PartialEq, Eq, Hash)]`",
    note = "a float is no key: 0.0 and -0.0 are equal but differ in bytes, and NaN equals nothing; \
            use an integer unit (cents, millimetres) or text"
)]
pub trait Key: Data + KeyEncode + Eq + Hash {}

#[diagnostic::do_not_recommend]
impl<K: Data + KeyEncode + Eq + Hash> Key for K {}
