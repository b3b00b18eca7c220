//! Says, in the author's words, that an operator does not fit the stream it is put on.
//!
//! An equality such as `Operator<In = T>` would do for the compiler, but its message tells of
//! projections. Each trait here holds for all types that are equal, and for no others. Its `Self`
//! is what the stream has, which is known first: from it the compiler infers what a generic
//! operator takes.

use clink_runtime::operator::Operator;
use clink_runtime::state::Key;

/// Records of this type are what the operator `O` takes: `Taken` is the same type.
#[diagnostic::on_unimplemented(
    message = "`{O}` does not take `{Self}`",
    label = "takes `{Taken}`, and this stream carries `{Self}`",
    note = "turn the records into `{Taken}` with `.map(…)` before, or change the operator's \
            `type In`"
)]
pub trait TakenBy<O, Taken> {}

impl<T, O> TakenBy<O, T> for T {}

/// Keys of this type are what the operator `O` is keyed by: `Keyed` is the same type.
#[diagnostic::on_unimplemented(
    message = "`{O}` is keyed by `{Keyed}`, the stream by `{Self}`",
    label = "keyed by `{Keyed}`, and this stream is keyed by `{Self}`",
    note = "let `.key_by(…)` give a `{Keyed}`, or change the operator's `type Key`"
)]
pub trait KeyOf<O, Keyed> {}

impl<K, O> KeyOf<O, K> for K {}

/// An operator for a stream without a key: every [`Operator`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be put on a stream without a key",
    label = "not an `Operator`",
    note = "for a `KeyedOperator`, call `.key_by(…)` before `.process(…)`",
    note = "otherwise implement `clink::Operator` for it"
)]
pub trait Keyless: Operator {}

#[diagnostic::do_not_recommend]
impl<O: Operator> Keyless for O {}

/// What a key is once it is known to be one: itself.
///
/// A type that cannot be a key has no `Checked`, so the stream keyed by it is of an unknown type,
/// and the compiler, having said why, says nothing of what follows.
pub trait CheckedKey: Key {
    /// The same type.
    type Checked: Key;
}

#[diagnostic::do_not_recommend]
impl<K: Key> CheckedKey for K {
    type Checked = K;
}
