//! Says what may be a key.

use std::hash::Hash;

use clink_plan::key_group::KeyEncode;

use crate::data::Data;

/// What records are partitioned by: [`Data`] with a canonical byte encoding and an equality that
/// agrees with it. Routing, state and restore all use that one encoding.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key",
    label = "not a key type",
    note = "a key is an integer, a `bool`, `String`, `Vec<u8>` or `Timestamp`, or an option or a \
            tuple of these: take it out of the record, `|r| r.id` or `|r| (r.from, r.to)`; for a \
            key that is borrowed from the record, call `key_by_ref`",
    note = "a float is no key: 0.0 and -0.0 are equal but differ in bytes, and NaN equals nothing; \
            use an integer unit (cents, millimetres) or text"
)]
pub trait Key: Data + KeyEncode + Eq + Hash {}

#[diagnostic::do_not_recommend]
impl<K: Data + KeyEncode + Eq + Hash> Key for K {}
