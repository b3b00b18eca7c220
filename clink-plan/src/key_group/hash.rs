//! Hashes key bytes with FNV-1a, in full or only as far as a key group needs.
//!
//! Source: Fowler, Noll, Vo, FNV-1a 64 bit; the seven-bit form follows from 128 being a power of
//! two: the low seven bits of a product depend only on the low seven bits of its factors, and an
//! exclusive or never carries, so the upper 57 bits of the state never reach the group.

use super::{KEY_GROUP_COUNT, KeyEncode, KeyGroup, KeyWrite};

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The bits of a hash that make the key group.
const GROUP_MASK: u32 = KEY_GROUP_COUNT as u32 - 1;
const OFFSET_BASIS_LOW: u32 = OFFSET_BASIS as u32 & GROUP_MASK;
const PRIME_LOW: u32 = PRIME as u32 & GROUP_MASK;

/// A running FNV-1a hash of 64 bits, fed key bytes as a [`KeyWrite`].
#[derive(Clone, Debug)]
pub struct Fnv1a64 {
    state: u64,
}

impl Fnv1a64 {
    /// A hash of nothing yet.
    pub const fn new() -> Fnv1a64 {
        Fnv1a64 { state: OFFSET_BASIS }
    }

    /// The hash of the bytes so far.
    pub const fn finish(&self) -> u64 {
        self.state
    }
}

impl Default for Fnv1a64 {
    fn default() -> Fnv1a64 {
        Fnv1a64::new()
    }
}

impl KeyWrite for Fnv1a64 {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.state = (self.state ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }
}

/// A running hash of which only the key group is right, at half the cost.
#[derive(Clone, Debug)]
pub struct KeyGroupHasher {
    state: u32,
}

impl KeyGroupHasher {
    /// A hash of nothing yet.
    #[inline]
    pub const fn new() -> KeyGroupHasher {
        KeyGroupHasher { state: OFFSET_BASIS_LOW }
    }

    /// The key group of the bytes so far.
    #[inline]
    pub const fn finish(&self) -> KeyGroup {
        KeyGroup((self.state & GROUP_MASK) as u16)
    }
}

impl Default for KeyGroupHasher {
    fn default() -> KeyGroupHasher {
        KeyGroupHasher::new()
    }
}

impl KeyWrite for KeyGroupHasher {
    // Integers arrive as arrays, so once this is inlined the loop has a constant length and the
    // compiler unrolls it.
    #[inline(always)]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.state = (self.state ^ u32::from(byte)).wrapping_mul(PRIME_LOW);
        }
    }
}

/// The FNV-1a hash of `bytes`, 64 bits.
///
/// # Example
/// ```
/// assert_eq!(clink_plan::key_group::fnv1a_64(b"a"), 0xaf63_dc4c_8601_ec8c);
/// ```
pub const fn fnv1a_64(bytes: &[u8]) -> u64 {
    let mut state = OFFSET_BASIS;
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        state = (state ^ byte as u64).wrapping_mul(PRIME);
        rest = tail;
    }
    state
}

/// The group that `key` belongs to: the hash of its canonical bytes, modulo 128.
///
/// # Example
/// ```
/// use clink_plan::key_group::{KeyGroup, key_group_of};
/// assert_eq!(key_group_of(&42i64), KeyGroup(111));
/// assert_eq!(key_group_of("alice"), KeyGroup(7));
/// ```
#[inline]
pub fn key_group_of<K: KeyEncode + ?Sized>(key: &K) -> KeyGroup {
    let mut hasher = KeyGroupHasher::new();
    key.encode(&mut hasher);
    hasher.finish()
}
