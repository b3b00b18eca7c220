//! Reads nested JSON in every spelling that means the same, and refuses what does not.

use clink::Data as DeriveData;
use serde_json::{Map, Value, json};

use super::derived::facade;
use super::*;

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Order {
    id: u64,
    customer: Customer,
    #[data(rename = "shipTo")]
    ship_to: Option<Address>,
    state: State,
    before: Option<State>,
}

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Customer {
    name: String,
    home: Option<Address>,
    score: Option<f64>,
}

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Address {
    street: Option<String>,
    place: (i64, Option<i16>),
    #[data(default)]
    kind: Kind,
}

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
enum State {
    Open,
    #[data(rename = "on hold")]
    Hold,
}

#[derive(DeriveData, Clone, Debug, PartialEq, Default)]
#[data(crate = facade)]
struct Kind(u32);

fn address() -> impl Strategy<Value = Address> {
    (any::<Option<String>>(), any::<(i64, Option<i16>)>(), any::<u32>())
        .prop_map(|(street, place, kind)| Address { street, place, kind: Kind(kind) })
}

fn order() -> impl Strategy<Value = Order> {
    let state = || prop_oneof![Just(State::Open), Just(State::Hold)];
    let customer = (any::<String>(), prop::option::of(address()), any::<Option<f64>>())
        .prop_map(|(name, home, score)| Customer { name, home, score });
    let rest = (prop::option::of(address()), state(), prop::option::of(state()));
    (any::<u64>(), customer, rest).prop_map(|(id, customer, (ship_to, state, before))| Order {
        id,
        customer,
        ship_to,
        state,
        before,
    })
}

/// The objects in a value, by path, in any order.
fn objects(value: &Value, path: String, found: &mut Vec<String>) {
    if let Value::Object(map) = value {
        for (key, inner) in map {
            objects(inner, format!("{path}/{key}"), found);
        }
        found.push(path);
    }
}

/// The same with its fields in another order, others added, and nulls left out if `lean`.
fn respelled(value: &Value, extra: u8, lean: bool) -> Value {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<(String, Value)> = map
                .iter()
                .filter(|(_, value)| !(lean && value.is_null()))
                .map(|(key, value)| (key.clone(), respelled(value, extra, lean)))
                .collect();
            if extra > 0 {
                fields.push(("extra".to_owned(), json!({ "id": [null, { "id": extra }] })));
                fields.push((String::new(), json!(-0.5)));
            }
            let turns = usize::from(extra) % fields.len().max(1);
            fields.rotate_left(turns);
            Value::Object(fields.into_iter().collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn nested_values_come_back_from_every_spelling(
        order in order(),
        extra in any::<u8>(),
        lean in any::<bool>(),
        pretty in any::<bool>(),
    ) {
        round_trip(std::slice::from_ref(&order));
        let value: Value = serde_json::from_str(&to_json(&order)).unwrap();
        let value = respelled(&value, extra, lean);
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        same(&from_json::<Order>(&text).unwrap(), &order);
    }

    #[test]
    fn a_field_given_twice_is_refused_at_every_depth(
        order in order(),
        at in any::<prop::sample::Index>(),
    ) {
        let value: Value = serde_json::from_str(&to_json(&order)).unwrap();
        let mut paths = Vec::new();
        objects(&value, String::new(), &mut paths);
        let path = paths.get(at.index(paths.len())).unwrap();
        let object = value.pointer(path).unwrap().as_object().unwrap();
        let (name, first) = object.iter().next().unwrap();
        // A map cannot hold the field twice, so a mark is replaced in the text.
        let mut marked = value.clone();
        let place = marked.pointer_mut(path).unwrap().as_object_mut().unwrap();
        place.insert("MARK".to_owned(), Value::Null);
        let again = format!("{}:{first}", json!(name));
        let text = marked.to_string().replace("\"MARK\":null", &again);
        let error = from_json::<Order>(&text).unwrap_err().to_string();
        prop_assert!(error.starts_with(&format!("duplicate field `{name}`")), "{}", error);
    }

    #[test]
    fn no_json_panics_and_what_is_read_reads_again(
        order in order(),
        cut in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut text = to_json(&order).into_bytes();
        let at = cut.index(text.len());
        *text.get_mut(at).unwrap() = byte;
        if let Ok(text) = String::from_utf8(text)
            && let Ok(read) = from_json::<Order>(&text)
        {
            same(&from_json::<Order>(&to_json(&read)).unwrap(), &read);
        }
    }
}

#[test]
fn what_is_missing_null_or_of_another_shape_is_named() {
    let error = |text: &str| from_json::<Order>(text).unwrap_err().to_string();
    let order = |customer: &str| format!(r#"{{"id":1,"state":"Open","customer":{customer}}}"#);
    let read = from_json::<Order>(&order(r#"{"name":"a"}"#)).unwrap();
    assert_eq!((read.ship_to, read.before, read.customer.home), (None, None, None));
    for (customer, part) in [
        ("null", "invalid type: null, expected struct Customer"),
        ("[]", "invalid type: sequence, expected struct Customer"),
        ("{}", "missing field `name`"),
        (r#"{"name":null}"#, "invalid type: null, expected a string"),
        (r#"{"name":"a","home":{}}"#, "missing field `place`"),
        (r#"{"name":"a","home":{"place":[1]}}"#, "invalid length 1, expected an array of 2 values"),
        (r#"{"name":"a","home":{"place":[1.5,2]}}"#, "expected an integer of 64 bits with a sign"),
        (r#"{"name":"a","home":{"place":[1,2],"kind":-1}}"#, "expected an integer of 32 bits"),
        (r#"{"name":"a","score":"high"}"#, "expected a number, \"NaN\""),
    ] {
        let found = error(&order(customer));
        assert!(found.contains(part), "{customer}: {found}");
    }
    let state = error(r#"{"id":1,"customer":{"name":"a"},"state":"Hold"}"#);
    assert!(state.contains("expected one of `Open`, `on hold`"), "{state}");
    assert!(error(r#"{"id":1,"ship_to":null}"#).starts_with("missing field `customer`"));
}
