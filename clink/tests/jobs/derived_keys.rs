//! Holds derived keys to their frozen bytes, and stops, restores and rescales jobs keyed by them.

use std::collections::BTreeSet;

use clink::prelude::*;
use clink_plan::key_group::{KeyEncode, KeyGroup, key_group_of};

use crate::keys::check;

#[derive(Data, Key, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Route {
    from: String,
    flights: u64,
    to: Option<char>,
}

#[derive(Data, Key, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Code(String);

#[derive(Data, Key, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Maybe(Option<i64>);

#[derive(Data, Key, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Gate(Code, u16, Class);

#[derive(Data, Key, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Class {
    First,
    #[data(rename = "2nd")]
    Second,
    #[deprecated]
    Third,
}

#[derive(Data, Key, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Pair<T, const N: usize> {
    left: T,
    right: Option<T>,
}

fn bytes<K: KeyEncode + ?Sized>(key: &K) -> Vec<u8> {
    let mut bytes = Vec::new();
    key.encode(&mut bytes);
    assert_eq!(bytes.len(), key.encoded_len());
    bytes
}

#[track_caller]
fn frozen<K: KeyEncode>(key: &K, expected: &[u8], group: u16) {
    assert_eq!((bytes(key).as_slice(), key_group_of(key)), (expected, KeyGroup(group)));
}

/// Frozen: a change here moves the state of every job. Other keys are in `clink-plan`'s tests.
#[test]
fn derived_keys_have_their_frozen_bytes_and_groups_k01() {
    let route = |from: &str, flights, to| Route { from: from.to_owned(), flights, to };
    let code = |text: &str| Code(text.to_owned());
    let gate = Gate(code("A"), 7, Class::Second);
    frozen(&route("ab", 7, Some('ü')), b"\x02\0\0\0ab\x08\0\0\0\x07\0\0\0\0\0\0\0\x01\xc3\xbc", 53);
    frozen(&route("", 0, None), b"\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0", 55);
    frozen(&code("alice"), b"alice", 7);
    frozen(&Maybe(None), b"\0", 95);
    frozen(&Maybe(Some(1)), b"\x01\x01\0\0\0\0\0\0\0", 77);
    frozen(&gate, b"\x01\0\0\0A\x02\0\0\0\x07\x002nd", 82);
    frozen(&Class::First, b"First", 33);
    frozen(&Class::Second, b"2nd", 31);
    frozen(&Pair::<_, 3> { left: 1u8, right: Some(2) }, b"\x01\0\0\0\x01\x01\x02", 104);
}

#[test]
fn a_derived_struct_is_the_tuple_of_its_fields_and_a_newtype_its_field_k01() {
    let route = Route { from: "ab".to_owned(), flights: 7, to: None };
    assert_eq!(bytes(&route), bytes(&("ab", 7u64, None::<char>)));
    assert_eq!(bytes(&Code("x".to_owned())), bytes("x"));
    assert_eq!(bytes(&Maybe(Some(3))), bytes(&Some(3i64)));
}

#[test]
fn an_inserted_variant_moves_no_other_k01() {
    mod later {
        use clink::prelude::*;

        /// `Class` as a later release may have it.
        #[derive(Data, Key, Clone, Copy, PartialEq, Eq, Hash)]
        pub(super) enum Class {
            Staff,
            First,
            Business,
            #[data(rename = "2nd")]
            Economy,
        }
    }
    assert_eq!(bytes(&Class::First), bytes(&later::Class::First));
    assert_eq!(bytes(&Class::Second), bytes(&later::Class::Economy));
    let [staff, business] =
        [later::Class::Staff, later::Class::Business].map(|class| bytes(&class));
    assert!(staff != business);
}

#[test]
fn structs_and_enums_that_derive_key_are_keys() {
    check(|n| Route { from: format!("{}", n % 5), flights: n / 5, to: None });
    check(|n| Code(format!("key {n}")));
    check(|n| Maybe((n % 7 != 0).then_some(n.cast_signed())));
    check(|n| if n % 3 == 0 { Class::First } else { Class::Second });
    check(|n| Gate(Code("g".repeat(n as usize % 4)), n as u16 / 4, Class::First));
    check(|n| Pair::<_, 0> { left: format!("{n}"), right: None });
    check(|n| char::from_u32(n as u32 * 100).unwrap());
}

/// Not Data by derive, since it has fields; a key needs to be Data all the same.
#[derive(Key, Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Nowhere,
    Gate(char, u16),
    Other { name: String },
}

impl Data for Place {
    type Builder = clink::__private::StubColumn;
    type View = clink::__private::StubColumn;

    fn type_name() -> String {
        "place".to_owned()
    }

    fn data_type() -> clink::__private::DataType {
        clink::__private::DataType::Null
    }

    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_none()
    }

    fn deserialize<'de, D: serde::Deserializer<'de>>(_: D) -> std::result::Result<Self, D::Error> {
        Ok(Self::Nowhere)
    }

    fn from_text(_: &[u8]) -> std::result::Result<Self, clink::__private::TextError> {
        Ok(Self::Nowhere)
    }
}

#[test]
fn variants_with_and_without_fields_are_told_apart_k01() {
    let other = |name: &str| Place::Other { name: name.to_owned() };
    frozen(&Place::Nowhere, b"Nowhere", 65);
    frozen(&Place::Gate('B', 7), b"\x04\0\0\0Gate\x01\0\0\0B\x07\0", 24);
    frozen(&other("x"), b"\x05\0\0\0Otherx", 126);
    let places = [
        Place::Nowhere,
        Place::Gate('B', 7),
        Place::Gate('B', 263),
        Place::Gate('\u{7}', 0),
        other(""),
        other("Nowhere"),
        other("\x01\0\0\0"),
    ];
    let different: BTreeSet<Vec<u8>> = places.iter().map(bytes).collect();
    assert_eq!(different.len(), places.len());
}
