//! Says, in the author's words, that an operator does not fit the stream it is put on.
//!
//! An equality such as `Operator<In = T>` would do for the compiler, but its message tells of
//! projections. [`Takes`] and [`KeyedBy`] hold where their two types are equal, and let the
//! compiler infer either from the other.

use clink_runtime::data::Data;
use clink_runtime::operator::{CoOperator, KeyedCoOperator, KeyedOperator, Operator};
use clink_runtime::state::Key;

/// An operator or sink whose input `In` is the type `T` of the stream's records.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take `{T}`",
    label = "takes `{In}`, and this stream carries `{T}`",
    note = "turn the records into `{In}` with `.map(…)` before, or change the `type In` of \
            `{Self}`"
)]
pub trait Takes<T, In> {}

impl<O, T> Takes<T, T> for O {}

/// An operator whose `Key` is the type `K` of the stream's keys.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is keyed by `{Key}`, the stream by `{K}`",
    label = "keyed by `{Key}`, and this stream by `{K}`",
    note = "let `.key_by(…)` give a `{Key}`, or change the `type Key` of `{Self}`"
)]
pub trait KeyedBy<K, Key> {}

impl<O, K> KeyedBy<K, K> for O {}

/// An operator for a stream without a key: every [`Operator`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot process a stream without a key",
    label = "not an `Operator`; a `KeyedOperator` comes after `.key_by(…)`",
    note = "if it is a `KeyedOperator`, call `.key_by(…)` before `.process(…)`",
    note = "otherwise implement `clink::Operator` for it"
)]
pub trait Keyless: Operator {
    /// Its `In`.
    type Taken;
    /// Its `Out`.
    type Given: Data;
}

#[diagnostic::do_not_recommend]
impl<O: Operator> Keyless for O {
    type Taken = O::In;
    type Given = O::Out;
}

/// An operator for a stream with a key: every [`KeyedOperator`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot process a stream with a key",
    label = "not a `KeyedOperator`; an `Operator` comes before `.key_by(…)`",
    note = "if it is an `Operator`, call `.process(…)` before `.key_by(…)`",
    note = "otherwise implement `clink::KeyedOperator` for it"
)]
pub trait Keyed: KeyedOperator {
    /// Its `In`.
    type Taken;
    /// Its `Out`.
    type Given: Data;
    /// Its `Key`.
    type By;
}

#[diagnostic::do_not_recommend]
impl<O: KeyedOperator> Keyed for O {
    type Taken = O::In;
    type Given = O::Out;
    type By = O::Key;
}

/// An operator for two streams without keys: every [`CoOperator`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot process two connected streams without keys",
    label = "not a `CoOperator`",
    note = "if it is a `KeyedCoOperator`, call `.key_by(…)` on both streams before `.connect(…)`",
    note = "otherwise implement `clink::CoOperator` for it"
)]
pub trait TwoInputs: CoOperator {
    /// Its `In1`.
    type First;
    /// Its `In2`.
    type Second;
    /// Its `Out`.
    type Given: Data;
}

#[diagnostic::do_not_recommend]
impl<O: CoOperator> TwoInputs for O {
    type First = O::In1;
    type Second = O::In2;
    type Given = O::Out;
}

/// An operator for two streams with keys: every [`KeyedCoOperator`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot process two connected streams with keys",
    label = "not a `KeyedCoOperator`",
    note = "if it is a `CoOperator`, connect the streams before `.key_by(…)`",
    note = "otherwise implement `clink::KeyedCoOperator` for it"
)]
pub trait TwoKeyedInputs: KeyedCoOperator {
    /// Its `In1`.
    type First;
    /// Its `In2`.
    type Second;
    /// Its `Out`.
    type Given: Data;
    /// Its `Key`.
    type By;
}

#[diagnostic::do_not_recommend]
impl<O: KeyedCoOperator> TwoKeyedInputs for O {
    type First = O::In1;
    type Second = O::In2;
    type Given = O::Out;
    type By = O::Key;
}

/// A key of a stream: every [`Key`], which is its own `Checked`.
///
/// A type that cannot be a key has no `Checked`, so that the compiler, which then does not know the
/// type of the stream, says why once and nothing of the calls that follow. `M` is always `()`, and
/// for the compiler to infer: were there one implementation alone, it would take `Checked` from it
/// without a look at its bounds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key",
    label = "not a key type",
    note = "a key is an integer, a `bool`, `String`, `Vec<u8>` or `Timestamp`, or an option or a \
            tuple of these: take it out of the record, `|r| r.id` or `|r| (r.from, r.to)`; for a \
            key that is borrowed from the record, call `key_by_ref`",
    note = "a float is no key: 0.0 and -0.0 are equal but differ in bytes, and NaN equals nothing; \
            use an integer unit (cents, millimetres) or text"
)]
pub trait StreamKey<M>: Key {
    /// The same type.
    type Checked: Key;
}

/// Marks the implementation of [`StreamKey`] that never holds.
enum IsNoKey {}

/// Holds for nothing.
trait Never {}

#[diagnostic::do_not_recommend]
impl<K: Key> StreamKey<()> for K {
    type Checked = K;
}

#[diagnostic::do_not_recommend]
impl<K: Key> StreamKey<IsNoKey> for K
where
    (IsNoKey, K): Never,
{
    type Checked = K;
}
