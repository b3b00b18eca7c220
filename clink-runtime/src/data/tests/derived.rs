//! Goes through all four forms with structs that derive `Data`, nested and generic ones included.

use clink::Data as DeriveData;

use super::*;

/// What generated code names, as this crate's own unit tests see it.
pub(super) mod facade {
    pub(in crate::data::tests) mod __private {
        pub(in crate::data::tests) use crate::data::*;
        pub(in crate::data::tests) use ::{core, std};
        pub(in crate::data::tests) use arrow_array::ArrayRef;
        pub(in crate::data::tests) use arrow_schema::{DataType, Field};
        pub(in crate::data::tests) use serde::de::{Error as DeserializeError, MapAccess};
        pub(in crate::data::tests) use serde::ser::{SerializeStruct, SerializeTuple};
        pub(in crate::data::tests) use serde::{Deserializer, Serializer};
    }
}

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Flight {
    carrier: String,
    dep_delay: Option<i64>,
    departed_at: Option<Timestamp>,
    #[data(rename = "type")]
    kind: u8,
}

/// The author's own serde form is another one, and neither disturbs the other.
#[derive(DeriveData, serde::Serialize, Clone, Debug, PartialEq)]
#[data(crate = facade)]
#[serde(rename_all = "UPPERCASE")]
struct Pair<T> {
    left: T,
    right: Option<T>,
}

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade, name = "trip")]
struct Trip {
    id: u64,
    first: Flight,
    last: Option<Flight>,
    gates: (String, Option<Pair<i8>>),
}

fn flight(number: u8) -> Flight {
    Flight {
        carrier: format!("C{number}"),
        dep_delay: number.is_multiple_of(2).then_some(i64::from(number)),
        departed_at: number.is_multiple_of(3).then(|| Timestamp::from_millis(i64::from(number))),
        kind: number,
    }
}

fn trip(number: u8) -> Trip {
    Trip {
        id: u64::MAX - u64::from(number),
        first: flight(number),
        last: (number % 2 == 1).then(|| flight(number + 1)),
        gates: (String::new(), Some(Pair { left: -1, right: (number > 2).then_some(7) })),
    }
}

#[test]
fn derived_structs_survive_every_form() {
    round_trip(&[0, 1, 2, 3].map(flight));
    round_trip(&[0, 1, 2, 3].map(trip));
    round_trip(&[Some(trip(1)), None]);
    round_trip(&[Pair { left: "a".to_owned(), right: None }]);
    round_trip::<Trip>(&[]);
}

#[test]
fn derived_names_and_schemas_are_those_of_the_source() {
    assert_eq!(Flight::type_name(), concat!(module_path!(), "::Flight"));
    assert_eq!(Pair::<i8>::type_name(), concat!(module_path!(), "::Pair<int8>"));
    assert_eq!(Trip::type_name(), "trip");
    assert_eq!(Flight::field_names(), ["carrier", "dep_delay", "departed_at", "type"]);
    let nullable = Flight::fields().iter().map(Field::is_nullable).collect::<Vec<_>>();
    assert_eq!(nullable, [false, true, true, false]);
}

#[test]
fn derived_json_is_lenient_where_it_is_safe() {
    let json = to_json(&flight(1));
    assert_eq!(json, r#"{"carrier":"C1","dep_delay":null,"departed_at":null,"type":1}"#);
    let read = |text: &str| from_json::<Flight>(text).map_err(|error| error.to_string());
    assert_eq!(read(r#"{"type":1,"more":[{}],"carrier":"C1"}"#), Ok(flight(1)));
    assert!(read(r#"{"type":1}"#).unwrap_err().starts_with("missing field `carrier`"));
    assert!(read(r#"{"type":1,"type":1}"#).unwrap_err().starts_with("duplicate field `type`"));
    assert!(read(r#"{"kind":1,"carrier":""}"#).unwrap_err().contains("missing field `type`"));
    assert!(read("[]").unwrap_err().contains("expected struct Flight"));
    let own = serde_json::to_string(&Pair { left: 1u8, right: None }).unwrap();
    assert_eq!(own, r#"{"LEFT":1,"RIGHT":null}"#);
}

#[test]
fn derived_rows_and_columns_name_the_field() {
    let read = |cells| Flight::from_row(&Cells(cells));
    let row = vec![Some("C1"), Some(""), Some(""), Some("1")];
    assert_eq!(read(row).unwrap(), flight(1));
    let error = read(vec![Some("C1"), Some("late"), Some(""), Some("1")]).unwrap_err().to_string();
    assert!(error.starts_with("column `dep_delay`: expected an integer"), "{error}");
    assert!(Trip::from_row(&Cells(vec![Some("1"), Some("x")])).is_err());

    let inner: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let batch = batch_of(vec![("id", inner.clone()), ("first", inner)]);
    let error = from_record_batch::<Trip>(&batch).unwrap_err().to_string();
    assert!(error.starts_with("column `id`: expected UInt64, found Int64"), "{error}");
    let mut rows = <Option<Flight> as Data>::Builder::default();
    rows.append_null();
    let nulls = rows.finish();
    let error = <Flight as Data>::View::of(&nulls).unwrap().get(0).unwrap_err().to_string();
    assert!(error.contains("found null in row 0"), "{error}");
}
