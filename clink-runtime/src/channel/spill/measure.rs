//! Tells how many bytes a value owns outside of itself, without encoding it (pure).
//!
//! It lets the value write itself to a serializer that keeps nothing: a text counts its length, an
//! item of a list its size, and what lies in the value itself counts nothing.
//! Exact for the types of [`data`](crate::data), but for two things: room that a `String` or `Vec`
//! has and does not use is not seen, and what columns hold as a word, a variant of an enum or a
//! `char`, counts its length. A type that implements `Data` by hand counts as what it writes.

use std::fmt;

use serde::ser::{self, Serialize, Serializer};

use crate::data::Data;

/// Bytes that the value owns outside of itself.
pub(super) fn owned_bytes<T: Data>(value: &T) -> usize {
    let mut counter = Counter::default();
    // The counter reports no error; after one of the value's own, what it wrote till then counts.
    let _ = Data::serialize(value, &mut counter);
    counter.bytes
}

/// A serializer that only counts.
#[derive(Default)]
struct Counter {
    bytes: usize,
    /// Whether the value at hand is an item of a list, and so lies elsewhere.
    listed: bool,
}

type Counted = Result<(), fmt::Error>;

impl Counter {
    #[inline]
    fn add(&mut self, bytes: usize) -> Counted {
        // What lies in memory never sums up to more; saturating keeps loops over bytes from melting
        // into one addition.
        self.bytes = self.bytes.wrapping_add(bytes);
        Ok(())
    }

    /// A part of a value that needs that many bytes where the value lies.
    #[inline]
    fn part(&mut self, bytes: usize) -> Counted {
        self.add(if self.listed { bytes } else { 0 })
    }

    #[inline]
    fn text(&mut self, bytes: &[u8]) -> Counted {
        self.part(size_of::<Vec<u8>>())?;
        self.add(bytes.len())
    }

    #[inline]
    fn list(&mut self) -> Result<Items<'_>, fmt::Error> {
        self.part(size_of::<Vec<u8>>())?;
        let outer = std::mem::replace(&mut self.listed, true);
        Ok(Items { counter: self, outer })
    }
}

/// What is a part of a value and owns nothing.
macro_rules! parts {
    ($($method:ident($type:ty))*) => {
        $(#[inline] fn $method(self, _: $type) -> Counted { self.part(size_of::<$type>()) })*
    };
}

impl<'a> Serializer for &'a mut Counter {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Items<'a>;
    type SerializeMap = Items<'a>;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    parts! {
        serialize_bool(bool) serialize_char(char)
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_i128(i128) serialize_u128(u128) serialize_f32(f32) serialize_f64(f64)
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Counted {
        self.text(text.as_bytes())
    }

    #[inline]
    fn serialize_bytes(self, bytes: &[u8]) -> Counted {
        self.text(bytes)
    }

    #[inline]
    fn serialize_none(self) -> Counted {
        Ok(())
    }

    #[inline]
    fn serialize_unit(self) -> Counted {
        Ok(())
    }

    #[inline]
    fn serialize_unit_struct(self, _name: &'static str) -> Counted {
        Ok(())
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
    ) -> Counted {
        self.part(1)
    }

    #[inline]
    fn serialize_some<V: Serialize + ?Sized>(self, value: &V) -> Counted {
        value.serialize(self)
    }

    #[inline]
    fn serialize_newtype_struct<V: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &V,
    ) -> Counted {
        value.serialize(self)
    }

    #[inline]
    fn serialize_newtype_variant<V: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        value: &V,
    ) -> Counted {
        value.serialize(self)
    }

    #[inline]
    fn serialize_seq(self, _items: Option<usize>) -> Result<Items<'a>, fmt::Error> {
        self.list()
    }

    #[inline]
    fn serialize_map(self, _entries: Option<usize>) -> Result<Items<'a>, fmt::Error> {
        self.list()
    }

    #[inline]
    fn serialize_tuple(self, _fields: usize) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    #[inline]
    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _fields: usize,
    ) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _fields: usize,
    ) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    #[inline]
    fn serialize_struct(self, _name: &'static str, _fields: usize) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _fields: usize,
    ) -> Result<Self, fmt::Error> {
        Ok(self)
    }

    fn is_human_readable(&self) -> bool {
        // The other forms of a value are text made for the occasion.
        false
    }
}

/// The items of a list, or the keys and values of a map.
struct Items<'a> {
    counter: &'a mut Counter,
    /// Whether the list is itself an item.
    outer: bool,
}

impl Items<'_> {
    #[inline]
    fn end(self) -> Counted {
        self.counter.listed = self.outer;
        Ok(())
    }
}

impl ser::SerializeSeq for Items<'_> {
    type Ok = ();
    type Error = fmt::Error;

    #[inline]
    fn serialize_element<V: Serialize + ?Sized>(&mut self, value: &V) -> Counted {
        value.serialize(&mut *self.counter)
    }

    #[inline]
    fn end(self) -> Counted {
        self.end()
    }
}

impl ser::SerializeMap for Items<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<V: Serialize + ?Sized>(&mut self, key: &V) -> Counted {
        key.serialize(&mut *self.counter)
    }

    fn serialize_value<V: Serialize + ?Sized>(&mut self, value: &V) -> Counted {
        value.serialize(&mut *self.counter)
    }

    fn end(self) -> Counted {
        self.end()
    }
}

/// The fields of what has a fixed number of them: they lie where the value lies.
macro_rules! fields {
    ($($kind:ident $method:ident($($name:ty)?);)*) => {$(
        impl ser::$kind for &mut Counter {
            type Ok = ();
            type Error = fmt::Error;

            #[inline]
            fn $method<V: Serialize + ?Sized>(&mut self, $(_: $name,)? value: &V) -> Counted {
                value.serialize(&mut **self)
            }

            #[inline]
            fn end(self) -> Counted {
                Ok(())
            }
        }
    )*};
}

fields! {
    SerializeTuple serialize_element();
    SerializeTupleStruct serialize_field();
    SerializeTupleVariant serialize_field();
    SerializeStruct serialize_field(&'static str);
    SerializeStructVariant serialize_field(&'static str);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Timestamp;

    #[track_caller]
    fn check<T: Data>(value: T, expected: usize) {
        assert_eq!(owned_bytes(&value), expected, "{}", T::type_name());
    }

    #[test]
    fn only_what_lies_elsewhere_counts() {
        check(7u64, 0);
        check((1.5f64, true), 0);
        check(Timestamp::from_millis(i64::MAX), 0);
        check("four".to_owned(), 4);
        check(vec![1u8, 2, 3], 3);
        check(Some("four".to_owned()), 4);
        check(None::<String>, 0);
        check(("four".to_owned(), Some((vec![0u8; 1000], 1i8))), 1004);
    }

    /// A value of a type that an author wrote by hand.
    struct Written;

    impl Serialize for Written {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use ser::SerializeTuple as _;
            let mut parts = serializer.serialize_tuple(4)?;
            parts.serialize_element(&[Some("four"), None].as_slice())?;
            parts.serialize_element(&vec![vec![(1u32, 'a')]; 2])?;
            parts.serialize_element(&1u64)?;
            Err(ser::Error::custom("no more"))
        }
    }

    #[test]
    fn items_of_lists_lie_elsewhere_and_what_was_written_before_an_error_counts() {
        let mut counter = Counter::default();
        assert!(Written.serialize(&mut counter).is_err());
        let list = size_of::<Vec<u8>>();
        assert_eq!(counter.bytes, (list + 4) + 2 * (list + 4 + 4));
    }
}
