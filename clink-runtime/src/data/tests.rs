//! Sends values through all four forms and expects them back; sends rubbish and expects an error.

mod derived;
mod exact;
mod forms;
mod nesting;
mod options;

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow_schema::{DataType, Field, Schema};
use clink_plan::key_group::KeyEncode;
use proptest::prelude::*;
use serde::de::DeserializeSeed;

use super::*;

/// A row of cells.
struct Cells(Vec<Option<&'static str>>);

impl Row for Cells {
    fn cell(&self, field: usize) -> Option<&[u8]> {
        self.0.get(field).copied().flatten().map(str::as_bytes)
    }
}

fn to_json<T: Data>(value: &T) -> String {
    serde_json::to_string(&AsSerialize(value)).unwrap()
}

fn from_json<T: Data>(text: &str) -> Result<T, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = FromData::<T>::new().deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}

/// Equal in Debug form, which tells -0.0 from 0.0 and lets NaN be NaN.
#[track_caller]
fn same<T: Debug>(a: &T, b: &T) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[track_caller]
fn round_trip<T: Data + Debug>(values: &[T]) {
    let batch = to_record_batch(values);
    assert_eq!(batch.schema(), schema::<T>());
    assert_eq!(batch.num_rows(), values.len());
    same(&from_record_batch::<T>(&batch).unwrap(), &values.to_vec());
    for value in values {
        let json = to_json(value);
        same(&from_json::<T>(&json).unwrap(), value);
    }
}

#[test]
fn limits_survive_every_form() {
    round_trip(&[i8::MIN, 0, i8::MAX]);
    round_trip(&[i64::MIN, -1, 0, i64::MAX]);
    round_trip(&[u64::MAX, 0, 1 << 53, (1 << 53) + 1]);
    round_trip(&[true, false]);
    round_trip(&['a', 'ü', '🦀', '\0', ' ', '"', char::MAX]);
    round_trip(&["".to_owned(), "ä\"\n\0".to_owned()]);
    round_trip(&[vec![], vec![0u8, 255]]);
    round_trip(&[None, Some(0i64)]);
    round_trip(&[None, Some(String::new())]);
    round_trip::<u32>(&[]);
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, f64::MIN_POSITIVE, 0.1];
    round_trip(&odd);
    round_trip(&odd.map(|wide| wide as f32));
    let far = [i64::MIN, -1, 0, 1_357_035_300_123, i64::MAX].map(Timestamp::from_millis);
    round_trip(&far);
    round_trip(&[(1u8, "a".to_owned()), (2, "b".to_owned())]);
    round_trip(&[Some((1u8, Some(2i64), (0.5f64, true, vec![1u8], -3i32))), None]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn columns_and_json_give_back_what_they_got(
        values in prop::collection::vec(
            (any::<i64>(), any::<Option<u64>>(), any::<String>(), any::<Option<Vec<u8>>>()),
            0..20,
        ),
        times in prop::collection::vec(any::<Option<(i64, bool, i16)>>(), 0..20),
        words in prop::collection::vec(any::<f64>(), 0..20),
    ) {
        round_trip(&values);
        let instant = |(millis, flag, rest)| (Timestamp::from_millis(millis), flag, rest);
        round_trip(&times.into_iter().map(|time| time.map(instant)).collect::<Vec<_>>());
        let batch = to_record_batch(&words);
        same(&from_record_batch::<f64>(&batch).unwrap(), &words);
    }

    #[test]
    fn text_gives_back_what_was_printed(number in any::<i64>(), wide in any::<f64>()) {
        prop_assert_eq!(i64::from_text(number.to_string().as_bytes()).unwrap(), number);
        same(&f64::from_text(wide.to_string().as_bytes()).unwrap(), &wide);
        let instant = Timestamp::from_millis(number);
        prop_assert_eq!(instant.to_string().parse::<Timestamp>().unwrap(), instant);
    }

    #[test]
    fn no_text_panics(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = (i8::from_text(&bytes), f32::from_text(&bytes), bool::from_text(&bytes));
        let _ = (Timestamp::from_text(&bytes), Option::<String>::from_text(&bytes));
        let json = String::from_utf8_lossy(&bytes);
        let _ = (from_json::<(u8, Timestamp)>(&json), from_json::<Option<f64>>(&json));
    }
}

#[test]
fn names_are_stable() {
    assert_eq!(i64::type_name(), "int64");
    assert_eq!(u8::type_name(), "uint8");
    assert_eq!(f32::type_name(), "float32");
    assert_eq!(String::type_name(), "string");
    assert_eq!(Vec::<u8>::type_name(), "bytes");
    assert_eq!(Option::<Timestamp>::type_name(), "option<timestamp>");
    assert_eq!(<(bool, Option<i8>)>::type_name(), "(bool,option<int8>)");
    assert_eq!(<(bool, i8)>::field_names(), ["0", "1"]);
    assert_eq!(bool::field_names(), ["value"]);
    assert_eq!(char::type_name(), "char");
}

#[test]
fn json_numbers_are_exact_or_refused() {
    assert_eq!(from_json::<i64>("9223372036854775807").unwrap(), i64::MAX);
    assert_eq!(from_json::<u64>("18446744073709551615").unwrap(), u64::MAX);
    for bad in ["9223372036854775808", "1.0", "1e3", "\"1\"", "null", "true"] {
        assert!(from_json::<i64>(bad).is_err(), "{bad}");
    }
    assert!(from_json::<u8>("256").is_err() && from_json::<u8>("-1").is_err());
    assert!(from_json::<f64>("\"nan\"").is_err() && from_json::<f64>("null").is_err());
    assert!(from_json::<(u8, u8)>("[1]").is_err() && from_json::<(u8, u8)>("[1,2,3]").is_err());
    assert_eq!(from_json::<f64>("3").unwrap(), 3.0);
    assert_eq!(to_json(&f64::NAN), "\"NaN\"");
    assert_eq!(to_json(&vec![1u8, 2]), "[1,2]");
}

#[test]
fn instants_are_read_as_written_i16() {
    let parse = |text: &str| text.parse::<Timestamp>().map(Timestamp::as_millis);
    assert_eq!(parse("2013-01-01T10:15:00Z"), Ok(1_357_035_300_000));
    assert_eq!(parse("2013-01-01T05:15:00-05:00"), Ok(1_357_035_300_000));
    assert_eq!(parse("1969-12-31T23:59:59.9999Z"), Ok(-1));
    assert_eq!(parse("1970-01-01T00:00:00.0009Z"), Ok(0));
    assert_eq!(parse("9223372036854775807ms"), Ok(i64::MAX));
    for bad in ["", "2013", "20130101", "2013-01-01", "2013-01-01T10:15:00", "1700000000000"] {
        assert!(parse(bad).is_err(), "{bad}");
    }
    assert_eq!(Timestamp::from_millis(1_357_035_300_120).to_string(), "2013-01-01T10:15:00.12Z");
    assert_eq!(Timestamp::from_millis(i64::MAX).to_string(), "9223372036854775807ms");
    assert_eq!(from_json::<Timestamp>("17").unwrap(), Timestamp::from_millis(17));
    assert!(from_json::<Timestamp>("9223372036854775808").is_err());
    let error = parse("yesterday").unwrap_err().to_string();
    assert!(error.contains("RFC 3339") && error.contains("`yesterday`"), "{error}");
    let mut key = Vec::new();
    Timestamp::from_millis(258).encode(&mut key);
    assert_eq!(key, [2, 1, 0, 0, 0, 0, 0, 0]);
}

/// Up to the last millisecond of the year 9999, and from the first of -9999.
#[test]
fn the_last_day_has_text_in_every_zone_i16() {
    let same = |text: &str, millis: i64| {
        assert_eq!(text.parse(), Ok(Timestamp::from_millis(millis)));
        assert_eq!(Timestamp::from_millis(millis).to_string(), text);
    };
    same("9999-12-31T23:59:59.999Z", 253_402_300_799_999);
    same("9999-12-30T22:00:01Z", 253_402_207_201_000);
    same("-009999-01-01T00:00:00Z", -377_705_116_800_000);
    let parse = |text: &str| text.parse::<Timestamp>().map(Timestamp::as_millis);
    assert_eq!(parse("9999-12-31 20:29:59.999-03:30"), Ok(253_402_300_799_999));
    assert_eq!(parse("9999-12-31T23:59:59-01:00"), Ok(253_402_304_399_000));
    assert_eq!(parse("-009999-01-01T00:00:00.0009+00:00"), Ok(-377_705_116_800_000));
    assert_eq!(parse("-009999-01-01T00:00:00.9999+01:00"), Ok(-377_705_120_399_001));
    assert_eq!(Timestamp::from_millis(253_402_300_800_000).to_string(), "253402300800000ms");
    for bad in
        ["9999-12-31T23:59:59", "9999-12-31", "9999-12-31T23:59:59Zulu", "10000-01-01T00:00Z"]
    {
        assert!(parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_character_is_text_of_one() {
    assert_eq!(to_json(&'ü'), "\"ü\"");
    assert_eq!(char::from_text(b" ").unwrap(), ' ');
    assert_eq!(char::from_text(b" a ").unwrap(), 'a');
    for bad in ["", "ab", "  "] {
        let error = char::from_text(bad.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("expected one character, found"), "{error}");
    }
    assert!(from_json::<char>("\"\"").is_err() && from_json::<char>("97").is_err());
}

/// Three ways to hold nothing. JSON keeps all of them; CSV has one empty cell for the three.
#[test]
fn nothing_the_empty_text_and_empty_bytes_stay_apart_k10() {
    let texts = [None, Some(String::new())];
    round_trip(&texts);
    assert_eq!(texts.map(|text| to_json(&text)), ["null", "\"\""]);
    assert_eq!(to_json(&Vec::<u8>::new()), "[]");
    round_trip(&[None, Some(Vec::<u8>::new())]);
    assert_eq!(String::from_text(b"").unwrap(), "");
    assert_eq!(Vec::<u8>::from_text(b"").unwrap(), b"");
    assert_eq!(Option::<String>::from_text(b"").unwrap(), None);
}

#[test]
fn rows_name_the_cell_that_is_wrong() {
    type Wide = (String, Option<i64>, u8, bool);
    let read = |cells| Wide::from_row(&Cells(cells));
    let good = vec![Some(" a "), Some(""), Some(" 7 "), Some("true")];
    assert_eq!(read(good).unwrap(), (" a ".to_owned(), None, 7, true));
    let empty = read(vec![Some(""), Some(""), Some("0"), Some("false")]).unwrap();
    assert_eq!(empty, (String::new(), None, 0, false));
    let error = read(vec![Some(""), None, Some("0"), Some("false")]).unwrap_err();
    assert_eq!(error.to_string(), "column `1`: expected a column of that name, found none");
    let error = read(vec![Some("a"), Some("NA"), Some("7"), Some("true")]).unwrap_err();
    assert_eq!((error.field, error.name), (1, "1"));
    let expected = "column `1`: expected an integer of 64 bits with a sign, found `NA`";
    assert_eq!(error.to_string(), expected);
    let error = read(vec![Some("a"), Some("1"), Some("256"), Some("true")]).unwrap_err();
    assert!(error.to_string().ends_with("from 0 to 255, found `256`"), "{error}");
    let error = read(vec![Some("a"), Some("1"), Some("1")]).unwrap_err();
    assert_eq!(error.to_string(), "column `3`: expected a column of that name, found none");
    let error = u8::from_text("ü".repeat(1000).as_bytes()).unwrap_err();
    assert_eq!(error.found, format!("`{}…`", "ü".repeat(40)));
    assert!(String::from_text(&[0xff, b'a']).unwrap_err().found.ends_with("a`"));
    let error = Option::<(u8, u8)>::from_text(b"1").unwrap_err().to_string();
    assert!(error.contains("a nested struct has no CSV form"), "{error}");
}

fn batch_of(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(schema), arrays).unwrap()
}

#[test]
fn wrong_columns_are_errors_that_name_them_i24() {
    type Pair = (i64, Option<String>);
    let error = |columns| from_record_batch::<Pair>(&batch_of(columns)).unwrap_err().to_string();
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
    let short: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    assert_eq!(
        error(vec![("0", numbers.clone()), ("1", text.clone())]),
        "column `0`: expected Int64, found null in row 1"
    );
    assert_eq!(
        error(vec![("0", short.clone()), ("1", text.clone())]),
        "column `0`: expected Int64, found Int32"
    );
    assert_eq!(
        error(vec![("x", numbers.clone()), ("1", text.clone())]),
        "column `0` is missing; there are: `x`, `1`"
    );
    let single = from_record_batch::<i64>(&batch_of(vec![("v", numbers.clone())])).unwrap_err();
    assert_eq!(single.to_string(), "column `value` is missing; there are: `v`");
    let zoneless: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1]));
    let view = <Timestamp as Data>::View::of(&zoneless);
    assert!(view.is_err(), "an instant without a zone could be anybody's");
    let view = <i64 as Data>::View::of(&numbers).unwrap();
    assert!(matches!(view.get(7), Err(DataError::RowOutOfRange { row: 7, rows: 2, .. })));
}

#[test]
fn columns_are_found_by_name_and_missing_options_are_none() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let other: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
    let batch = batch_of(vec![("other", other), ("0", numbers)]);
    let read = from_record_batch::<(i64, Option<String>)>(&batch).unwrap();
    assert_eq!(read, vec![(1, None), (2, None)]);
}

#[test]
fn builders_start_over() {
    let mut builder = <Option<(u8, String)> as Data>::Builder::default();
    builder.append(&Some((1, "a".to_owned())));
    builder.append_null();
    let first = builder.finish();
    assert_eq!((first.len(), first.null_count()), (2, 1));
    builder.append(&None);
    assert_eq!(builder.finish().len(), 1);
    let empty = builder.finish();
    assert_eq!(empty.data_type(), &DataType::Struct(<(u8, String)>::fields().into()));
}

/// What a derive makes, by hand: unknown fields are skipped, missing and double ones are not.
#[test]
fn structs_take_their_fields_in_any_order() {
    #[derive(Default)]
    struct Parts(Option<u64>, Option<Option<String>>);

    impl StructParts for Parts {
        type Whole = (u64, Option<String>);

        const NAME: &'static str = "Pair";

        fn index(name: &str) -> Option<usize> {
            HashMap::from([("a", 0), ("b", 1)]).get(name).copied()
        }

        fn read<'de, A: serde::de::MapAccess<'de>>(
            &mut self,
            index: usize,
            map: &mut A,
        ) -> Result<(), A::Error> {
            match index {
                0 => take_field(&mut self.0, "a", map),
                _ => take_field(&mut self.1, "b", map),
            }
        }

        fn finish<E: serde::de::Error>(self) -> Result<Self::Whole, E> {
            Ok((missing_or_absent(self.0, "a")?, missing_or_absent(self.1, "b")?))
        }
    }

    let read = |text: &str| {
        deserialize_struct::<Parts, _>(&mut serde_json::Deserializer::from_str(text))
            .map_err(|error| error.to_string())
    };
    assert_eq!(read(r#"{"b":"x","c":{"a":[1]},"a":1}"#), Ok((1, Some("x".to_owned()))));
    assert_eq!(read(r#"{"a":1}"#), Ok((1, None)));
    assert_eq!(read(r#"{"a":1,"b":null}"#), Ok((1, None)));
    assert!(read(r#"{"b":"x"}"#).unwrap_err().starts_with("missing field `a`"));
    assert!(read(r#"{"a":1,"a":2}"#).unwrap_err().starts_with("duplicate field `a`"));
    assert!(read("[1,\"x\"]").unwrap_err().starts_with("invalid type"));
}
