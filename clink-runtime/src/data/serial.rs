//! Carries values through serde, with `Data` instead of serde's traits as the bound.
//!
//! The author's type need not implement serde's traits and may implement them differently: what
//! nests here is [`AsSerialize`] on the way out and [`FromData`] on the way in.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde::ser::{Serialize, SerializeStruct, SerializeTuple, Serializer};

use super::Data;

/// A value that serializes as its `Data` says.
#[derive(Debug, Clone, Copy)]
pub struct AsSerialize<'a, T>(pub &'a T);

impl<T: Data> Serialize for AsSerialize<'_, T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Data::serialize(self.0, serializer)
    }
}

/// The wish for a `T`, read as its `Data` says.
#[derive(Debug, Clone, Copy)]
pub struct FromData<T>(PhantomData<fn() -> T>);

impl<T> FromData<T> {
    /// The wish for a `T`.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T> Default for FromData<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'de, T: Data> DeserializeSeed<'de> for FromData<T> {
    type Value = T;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }
}

/// The fields of a derived struct while it is being read; `#[derive(Data)]` implements it.
pub trait StructParts: Default {
    /// The struct that the parts make up.
    type Whole: Data;

    /// The name that the struct has in messages.
    const NAME: &'static str;

    /// The place of a field in `Data::field_names`.
    fn index(name: &str) -> Option<usize>;

    /// Reads the value that follows the name of field `index`.
    ///
    /// # Errors
    /// A value of another shape, or a second value for the field.
    fn read<'de, A: MapAccess<'de>>(&mut self, index: usize, map: &mut A) -> Result<(), A::Error>;

    /// Puts the struct together.
    ///
    /// # Errors
    /// A field without a value.
    fn finish<E: Error>(self) -> Result<Self::Whole, E>;
}

/// Reads a derived struct from a map.
///
/// # Errors
/// What [`StructParts`] and the deserializer report.
pub fn deserialize_struct<'de, P: StructParts, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<P::Whole, D::Error> {
    let visitor = StructVisitor::<P>(PhantomData);
    deserializer.deserialize_struct(P::NAME, P::Whole::field_names(), visitor)
}

/// Reads a derived struct without field names from a sequence.
///
/// # Errors
/// What [`StructParts`] and the deserializer report.
pub fn deserialize_tuple_struct<'de, P: StructParts, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<P::Whole, D::Error> {
    let count = P::Whole::field_names().len();
    deserializer.deserialize_tuple(count, TupleStructVisitor::<P>(PhantomData))
}

/// Writes one field of a derived struct without field names.
///
/// # Errors
/// Only what the serializer reports.
#[inline]
pub fn serialize_element<T: Data, S: SerializeTuple>(
    out: &mut S,
    value: &T,
) -> Result<(), S::Error> {
    out.serialize_element(&AsSerialize(value))
}

/// Writes one field of a derived struct.
///
/// # Errors
/// Only what the serializer reports.
#[inline]
pub fn serialize_field<T: Data, S: SerializeStruct>(
    out: &mut S,
    name: &'static str,
    value: &T,
) -> Result<(), S::Error> {
    out.serialize_field(name, &AsSerialize(value))
}

/// Reads the value of the field `name` into its slot.
///
/// # Errors
/// A value of another shape, or a slot that is taken.
#[inline]
pub fn take_field<'de, T: Data, A: MapAccess<'de>>(
    slot: &mut Option<T>,
    name: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    take_with(FromData::new(), slot, name, map)
}

/// Reads the value of the field `name` with a seed into its slot, which must be free.
#[inline]
pub(super) fn take_with<'de, S: DeserializeSeed<'de>, A: MapAccess<'de>>(
    seed: S,
    slot: &mut Option<S::Value>,
    name: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    if slot.is_some() {
        return Err(A::Error::duplicate_field(name));
    }
    *slot = Some(map.next_value_seed(seed)?);
    Ok(())
}

/// The value of the field `name`, or what its absence means.
///
/// # Errors
/// A field without a value, of a type that has none for its absence.
#[inline]
pub fn missing_or_absent<T: Data, E: Error>(slot: Option<T>, name: &'static str) -> Result<T, E> {
    slot.or_else(T::absent).ok_or_else(|| E::missing_field(name))
}

/// Reads the entries of a map into the fields of a struct.
struct StructVisitor<P>(PhantomData<P>);

impl<'de, P: StructParts> Visitor<'de> for StructVisitor<P> {
    type Value = P::Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "struct {}", P::NAME)
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<P::Whole, A::Error> {
        let mut parts = P::default();
        while let Some(index) = map.next_key_seed(FieldIndex::<P>(PhantomData))? {
            match index {
                Some(index) => parts.read(index, &mut map)?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        parts.finish()
    }
}

/// Reads the items of a sequence into the fields of a struct.
struct TupleStructVisitor<P>(PhantomData<P>);

impl<'de, P: StructParts> Visitor<'de> for TupleStructVisitor<P> {
    type Value = P::Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = P::Whole::field_names().len();
        write!(f, "an array of {count} values for {}", P::NAME)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<P::Whole, S::Error> {
        let mut items = Items { seq, taken: 0, expected: &self };
        let mut parts = P::default();
        for index in 0..P::Whole::field_names().len() {
            parts.read(index, &mut items)?;
        }
        parts.finish()
    }
}

/// The items of a sequence as the values of a map whose keys are known.
struct Items<'a, S> {
    seq: S,
    taken: usize,
    expected: &'a dyn Expected,
}

impl<'de, S: SeqAccess<'de>> MapAccess<'de> for Items<'_, S> {
    type Error = S::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        _: K,
    ) -> Result<Option<K::Value>, S::Error> {
        // The fields are read by their place, and nobody asks for their names.
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, S::Error> {
        let item = self.seq.next_element_seed(seed)?;
        let value = item.ok_or_else(|| S::Error::invalid_length(self.taken, self.expected))?;
        self.taken += 1;
        Ok(value)
    }
}

/// Turns the name of a field into its place, without owning the name.
struct FieldIndex<P>(PhantomData<P>);

impl<'de, P: StructParts> DeserializeSeed<'de> for FieldIndex<P> {
    type Value = Option<usize>;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<P: StructParts> Visitor<'_> for FieldIndex<P> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    #[inline]
    fn visit_str<E: Error>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(P::index(name))
    }

    #[inline]
    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<Option<usize>, E> {
        Ok(std::str::from_utf8(name).ok().and_then(P::index))
    }
}
