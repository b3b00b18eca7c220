//! Turns a key into its one canonical byte string.
//!
//! | key | bytes |
//! |---|---|
//! | `i8`…`i128`, `u8`…`u128` | two's complement, little-endian, as wide as the type |
//! | `bool` | one byte, 0 or 1 |
//! | `char` | its UTF-8 bytes: the key that the text of one letter is |
//! | `str`, `String`, `[u8]`, `Vec<u8>`, `[u8; N]` | the bytes themselves, no length |
//! | `Option<K>` | one byte 0; or one byte 1, then `K` |
//! | `()` | nothing |
//! | `(A, …, Z)`, derived structs | a `u32` little-endian length before every part but the last |
//! | derived enums, a variant without fields | the variant's name |
//! | derived enums, a variant with fields | as a tuple of the name and the fields |
//!
//! A derived struct with one field is thus the key that its field is.
//! Variants go by name, so a variant may be inserted anywhere and the others stay where they are.
//! In an enum with both kinds no name is taken for a length: lengths hold zero bytes, names none.
//!
//! Three ways to have no key are three keys: the empty text and the empty byte string are no bytes
//! at all, `None` is one byte 0, and `Some` of an empty text one byte 1.
//!
//! The width of an integer is part of the key: changing a key from `u32` to `u64` moves it to
//! another group, and its state with it.

use std::borrow::Cow;
use std::sync::Arc;

/// Where key bytes go: a buffer, or a hash that never stores them.
pub trait KeyWrite {
    /// Takes the next bytes of the key.
    fn write(&mut self, bytes: &[u8]);
}

impl KeyWrite for Vec<u8> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Counts the bytes of a key instead of keeping them.
#[derive(Clone, Debug, Default)]
pub struct KeyLen(usize);

impl KeyLen {
    /// How many bytes `key` encodes to: what `encoded_len` may answer where nothing is faster.
    #[inline]
    pub fn of<K: KeyEncode + ?Sized>(key: &K) -> usize {
        let mut len = KeyLen::default();
        key.encode(&mut len);
        len.0
    }
}

impl KeyWrite for KeyLen {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }
}

/// A value that records can be partitioned by.
///
/// Equal keys have equal bytes and different keys of one type different bytes, on every machine
/// and in every release: routing, state and restore all depend on it. `encoded_len` is the number
/// of bytes that `encode` writes. `#[derive(Key)]` keeps this for an author's own types.
///
/// # Example
/// ```
/// use clink_plan::key_group::KeyEncode;
/// let mut bytes = Vec::new();
/// ("ab", 7u8).encode(&mut bytes);
/// assert_eq!(bytes, [2, 0, 0, 0, b'a', b'b', 7]);
/// ```
/// Floats are not keys:
/// ```compile_fail,E0277
/// clink_plan::key_group::key_group_of(&0.5f64);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key",
    label = "records cannot be partitioned by `{Self}`",
    note = "keys are integers, `bool`, `char`, strings, byte strings, `Timestamp`, `Option`s and \
            tuples of keys, and structs and enums of keys that derive `Key`",
    note = "floats are not keys: equal values can have different bytes (0.0 and -0.0), and NaN \
            equals nothing; use an integer unit (cents, milliseconds) or a string",
    note = "`usize` and `isize` are not keys: their width depends on the machine"
)]
pub trait KeyEncode {
    /// How many bytes [`KeyEncode::encode`] writes.
    fn encoded_len(&self) -> usize;

    /// Writes the canonical bytes.
    fn encode<W: KeyWrite + ?Sized>(&self, out: &mut W);
}

/// Writes `part` after its length, as every part of a composite key but the last.
///
/// # Panics
/// If a part of a key is 4 GiB or more.
#[inline]
pub fn encode_part<K: KeyEncode + ?Sized, W: KeyWrite + ?Sized>(part: &K, out: &mut W) {
    let len = u32::try_from(part.encoded_len()).expect("a part of a key is shorter than 4 GiB");
    out.write(&len.to_le_bytes());
    part.encode(out);
}

/// How many bytes [`encode_part`] writes.
#[inline]
pub fn encoded_part_len<K: KeyEncode + ?Sized>(part: &K) -> usize {
    size_of::<u32>() + part.encoded_len()
}

macro_rules! integer_keys {
    ($($int:ty),*) => {$(
        impl KeyEncode for $int {
            #[inline]
            fn encoded_len(&self) -> usize {
                size_of::<$int>()
            }

            #[inline(always)]
            fn encode<W: KeyWrite + ?Sized>(&self, out: &mut W) {
                out.write(&self.to_le_bytes());
            }
        }
    )*};
}

integer_keys!(i8, i16, i32, i64, i128, u8, u16, u32, u64, u128);

impl KeyEncode for bool {
    #[inline]
    fn encoded_len(&self) -> usize {
        1
    }

    #[inline]
    fn encode<W: KeyWrite + ?Sized>(&self, out: &mut W) {
        out.write(&[u8::from(*self)]);
    }
}

impl KeyEncode for char {
    #[inline]
    fn encoded_len(&self) -> usize {
        self.len_utf8()
    }

    #[inline]
    fn encode<W: KeyWrite + ?Sized>(&self, out: &mut W) {
        out.write(self.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl KeyEncode for [u8] {
    #[inline]
    fn encoded_len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn encode<W: KeyWrite + ?Sized>(&self, out: &mut W) {
        out.write(self);
    }
}

impl KeyEncode for str {
    #[inline]
    fn encoded_len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn encode<W: KeyWrite + ?Sized>(&self, out: &mut W) {
        out.write(self.as_bytes());
    }
}

/// Keys that are the bytes of what they hold.
macro_rules! keys_by_target {
    ($([$($generics:tt)*] $key:ty => $target:ty;)*) => {$(
        impl<$($generics)*> KeyEncode for $key {
            #[inline]
            fn encoded_len(&self) -> usize {
                <$target as KeyEncode>::encoded_len(self)
            }

            #[inline]
            fn encode<W: KeyWrite + ?Sized>(&self, out: &mut W) {
                <$target as KeyEncode>::encode(self, out);
            }
        }
    )*};
}

keys_by_target! {
    [] String => str;
    [] Box<str> => str;
    [] Arc<str> => str;
    ['a] Cow<'a, str> => str;
    [] Vec<u8> => [u8];
    [const N: usize] [u8; N] => [u8];
    ['a, K: KeyEncode + ?Sized] &'a K => K;
}

impl<K: KeyEncode> KeyEncode for Option<K> {
    #[inline]
    fn encoded_len(&self) -> usize {
        1 + self.as_ref().map_or(0, K::encoded_len)
    }

    #[inline]
    fn encode<W: KeyWrite + ?Sized>(&self, out: &mut W) {
        out.write(&[u8::from(self.is_some())]);
        if let Some(key) = self {
            key.encode(out);
        }
    }
}

impl KeyEncode for () {
    #[inline]
    fn encoded_len(&self) -> usize {
        0
    }

    #[inline]
    fn encode<W: KeyWrite + ?Sized>(&self, _out: &mut W) {}
}

macro_rules! tuple_keys {
    ($(($($part:ident)* ; $last:ident))*) => {$(
        impl<$($part: KeyEncode,)* $last: KeyEncode> KeyEncode for ($($part,)* $last,) {
            #[inline]
            #[allow(non_snake_case, reason = "the part's type parameter names its binding")]
            fn encoded_len(&self) -> usize {
                let ($($part,)* $last,) = self;
                0 $(+ encoded_part_len($part))* + $last.encoded_len()
            }

            #[inline]
            #[allow(non_snake_case, reason = "the part's type parameter names its binding")]
            fn encode<Out: KeyWrite + ?Sized>(&self, out: &mut Out) {
                let ($($part,)* $last,) = self;
                $(encode_part($part, out);)*
                $last.encode(out);
            }
        }
    )*};
}

tuple_keys! {
    (; A)
    (A; B)
    (A B; C)
    (A B C; D)
}
