//! Goes through all four forms with newtypes, structs of unnamed fields and enums without fields.

use clink::Data as DeriveData;

use super::derived::facade;
use super::*;

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Code(String);

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Delay(Option<i64>);

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Point(f64, #[data(rename = "north")] f64);

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade, name = "class")]
enum Class {
    First,
    #[data(rename = "2nd class")]
    Second,
    r#Static {},
}

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Seat {
    code: Code,
    delay: Delay,
    place: Option<Point>,
    class: Class,
    before: Option<Class>,
    letter: char,
}

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Wrapped<T>(T);

fn seat(delay: Option<i64>) -> Seat {
    Seat {
        code: Code("A1".to_owned()),
        delay: Delay(delay),
        place: delay.map(|_| Point(0.5, -1.0)),
        class: Class::Second,
        before: delay.map(|_| Class::First),
        letter: 'ü',
    }
}

#[test]
fn every_form_of_struct_and_enum_survives() {
    round_trip(&[Code(String::new()), Code("x".to_owned())]);
    round_trip(&[Delay(None), Delay(Some(i64::MIN))]);
    round_trip(&[Point(0.1, f64::NAN)]);
    round_trip(&[Class::First, Class::Second, Class::Static {}]);
    round_trip(&[None, Some(Class::Second)]);
    round_trip(&[None, Some(Code("x".to_owned()))]);
    round_trip(&[seat(None), seat(Some(7))]);
    round_trip(&[Wrapped(seat(None)), Wrapped(seat(Some(7)))]);
    round_trip(&[Wrapped(Wrapped((1u8, "x".to_owned())))]);
}

#[test]
fn a_newtype_looks_like_what_it_holds() {
    assert_eq!(to_json(&Code("x".to_owned())), "\"x\"");
    assert_eq!(to_json(&Delay(None)), "null");
    assert_eq!(Delay::from_text(b"").unwrap(), Delay(None));
    assert_eq!(Code::from_text(b" x").unwrap(), Code(" x".to_owned()));
    assert!(Delay::nullable() && !Code::nullable());
    assert_eq!(Delay::absent(), Some(Delay(None)));
    assert!(Code::type_name().ends_with("forms::Code"));
    assert_eq!(schema::<Wrapped<Seat>>(), schema::<Seat>());
    assert_eq!(schema::<Wrapped<i64>>(), schema::<i64>());
    let missing = from_json::<Seat>(r#"{"code":"A","class":"First","letter":"x"}"#).unwrap();
    assert_eq!((missing.delay, missing.place), (Delay(None), None));
}

#[test]
fn unnamed_fields_are_an_array() {
    assert_eq!(to_json(&Point(1.0, 2.5)), "[1.0,2.5]");
    assert_eq!(Point::field_names(), ["0", "north"]);
    let error = |text| from_json::<Point>(text).unwrap_err().to_string();
    let short = error("[1]");
    assert!(short.starts_with("invalid length 1, expected an array of 2 values"), "{short}");
    assert!(error("[1,2,3]").contains("trailing characters"), "{}", error("[1,2,3]"));
    assert!(error(r#"{"0":1,"north":2}"#).contains("invalid type: map"));
    let row = Point::from_row(&Cells(vec![Some("1"), Some("2")])).unwrap();
    assert_eq!(row, Point(1.0, 2.0));
}

#[test]
fn an_enum_is_the_names_of_its_variants() {
    assert_eq!(to_json(&Class::Second), "\"2nd class\"");
    assert_eq!(Class::type_name(), "class");
    assert_eq!(Class::from_text(b" First ").unwrap(), Class::First);
    let words = "one of `First`, `2nd class`, `Static`";
    let error = Class::from_text(b"Second").unwrap_err();
    assert_eq!(error.to_string(), format!("expected {words}, found `Second`"));
    let error = from_json::<Class>("\"first\"").unwrap_err().to_string();
    assert!(error.starts_with(&format!("invalid value: string \"first\", expected {words}")));
    assert!(from_json::<Class>("0").unwrap_err().to_string().contains(words));
    let names: ArrayRef = Arc::new(StringArray::from(vec!["First", "Third\n"]));
    let error = from_record_batch::<Class>(&batch_of(vec![("value", names)])).unwrap_err();
    let expected = format!("column `value`: expected {words}, found `Third\\n` in row 1");
    assert_eq!(error.to_string(), expected);
}
