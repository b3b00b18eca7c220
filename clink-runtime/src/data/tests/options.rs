//! Goes through the forms and defaults that attributes give to fields.

use clink::Data as DeriveData;

use super::derived::facade;
use super::*;

#[derive(DeriveData, Clone, Copy, Debug, PartialEq)]
#[data(crate = facade)]
struct Instants {
    #[data(epoch = "s")]
    seconds: Timestamp,
    #[data(epoch = "ms")]
    millis: Timestamp,
    #[data(epoch = "us")]
    micros: Timestamp,
    #[data(epoch = "s")]
    at: Option<Timestamp>,
    plain: Timestamp,
}

fn instants(millis: i64) -> Instants {
    let at = Timestamp::from_millis(millis);
    Instants { seconds: at, millis: at, micros: at, at: Some(at), plain: at }
}

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Seconds(#[data(epoch = "s")] Timestamp, u8);

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Micros(#[data(epoch = "us")] Option<Timestamp>, u8);

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Payment {
    #[data(decimal)]
    amount: String,
    #[data(decimal, rename = "Fee")]
    fee: Option<String>,
}

#[derive(DeriveData, Clone, Debug, PartialEq, Default)]
#[data(crate = facade)]
struct Settings {
    name: String,
    #[data(default)]
    retries: u8,
    #[data(default)]
    note: Option<String>,
    #[data(default, rename = "since", epoch = "s")]
    since: Timestamp,
    #[data(default)]
    inner: Option<Inner>,
}

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Inner {
    #[data(default)]
    weight: f64,
    unit: Option<String>,
}

#[derive(DeriveData, Clone, Debug, PartialEq)]
#[data(crate = facade)]
struct Generic<T> {
    #[data(default)]
    value: T,
    #[data(default)]
    more: Option<T>,
}

/// The cells of a line without quotes.
struct Line<'a>(Vec<&'a [u8]>);

impl Row for Line<'_> {
    fn cell(&self, field: usize) -> Option<&[u8]> {
        self.0.get(field).copied()
    }
}

/// Writes the value as the CSV sink does, and reads the row.
#[track_caller]
fn through_csv<T: Data + Debug>(value: &T) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.serialize(AsSerialize(value)).unwrap();
    let line = writer.into_inner().unwrap();
    let line = line.strip_suffix(b"\n").unwrap();
    same(&T::from_row(&Line(line.split(|byte| *byte == b',').collect())).unwrap(), value);
    String::from_utf8(line.to_vec()).unwrap()
}

#[track_caller]
fn through_all(millis: i64) {
    let value = instants(millis);
    round_trip(&[value]);
    through_csv(&value);
    let value = Seconds(Timestamp::from_millis(millis), 7);
    round_trip(std::slice::from_ref(&value));
    through_csv(&value);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_millisecond_comes_back_in_every_unit(
        any in any::<i64>(),
        near in -4_102_444_800_000i64..4_102_444_800_000,
        border in -1_000_000_000_003_000i64..1_000_000_000_003_000,
    ) {
        for millis in [any, near, border] {
            through_all(millis);
        }
    }
}

#[test]
fn instants_at_the_borders_come_back_in_every_unit() {
    let float_end = 1_000_000_000_000_000;
    let micros_end = i64::MAX / 1000;
    for border in [0, float_end, -float_end, micros_end, -micros_end, 1 << 53, -(1 << 53)] {
        (border - 3..=border + 3).for_each(through_all);
    }
    [i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX].into_iter().for_each(through_all);
    let none = Micros(None, 1);
    round_trip(std::slice::from_ref(&none));
    assert_eq!(through_csv(&none), ",1");
}

#[test]
fn epochs_are_numbers_and_strings_where_a_number_could_be_rounded() {
    let json = to_json(&instants(1_700_000_000_123));
    let expected = [
        r#"{"seconds":1700000000.123,"millis":1700000000123,"micros":1700000000123000,"#,
        r#""at":1700000000.123,"plain":"2023-11-14T22:13:20.123Z"}"#,
    ];
    assert_eq!(json, expected.concat());
    assert_eq!(through_csv(&instants(-1)), "-0.001,-1,-1000,-0.001,1969-12-31T23:59:59.999Z");
    assert_eq!(to_json(&Seconds(Timestamp::from_millis(-2_000), 1)), "[-2,1]");
    let far = to_json(&instants(i64::MIN));
    assert!(far.contains(r#""seconds":"-9223372036854775.808""#), "{far}");
    assert!(far.contains(r#""micros":"-9223372036854775808000""#), "{far}");
    // Columns hold instants whatever the form.
    let at = DataType::Timestamp(arrow_schema::TimeUnit::Millisecond, Some("UTC".into()));
    assert!(Instants::fields().iter().all(|field| *field.data_type() == at));
}

/// Reads one JSON value as seconds and as microseconds.
fn epochs(json: &str) -> (Result<i64, String>, Result<i64, String>) {
    let error = |error: serde_json::Error| error.to_string();
    let seconds = from_json::<Seconds>(&format!("[{json},1]")).map_err(error);
    let micros = from_json::<Micros>(&format!("[{json},1]")).map_err(error);
    let micros = micros.map(|read| read.0.unwrap_or_default().as_millis());
    (seconds.map(|read| read.0.as_millis()), micros)
}

#[test]
fn what_is_below_the_millisecond_is_cut_towards_the_past() {
    for (json, seconds, micros) in [
        ("1700000000", 1_700_000_000_000, 1_700_000),
        ("1700000000.123", 1_700_000_000_123, 1_700_000),
        ("1700000000.1239999", 1_700_000_000_123, 1_700_000),
        ("\"1700000000.122999999999\"", 1_700_000_000_122, 1_700_000),
        ("\" +17.5 \"", 17_500, 0),
        ("0.0005", 0, 0),
        ("-0.0005", -1, -1),
        ("-0.001", -1, -1),
        ("-1.0011", -1_002, -1),
        ("-0", 0, 0),
        ("1e3", 1_000_000, 1),
        ("1.7e9", 1_700_000_000_000, 1_700_000),
        ("\"-1000.5\"", -1_000_500, -2),
        ("-1001", -1_001_000, -2),
        ("999999999999.999", 999_999_999_999_999, 999_999_999),
        ("\"9007199254740.993\"", 9_007_199_254_740_993, 9_007_199_254),
    ] {
        assert_eq!(epochs(json), (Ok(seconds), Ok(micros)), "{json}");
    }
    let cell = |cell: &'static str| {
        let row = Seconds::from_row(&Cells(vec![Some(cell), Some("1")]));
        row.map(|read| read.0.as_millis()).map_err(|error| error.to_string())
    };
    assert_eq!(cell(" 1700000000.1 "), Ok(1_700_000_000_100));
    assert_eq!(cell("-000.0000000000000000000000001"), Ok(-1));
    assert_eq!(cell("000000000000000000000000000009"), Ok(9_000));
}

#[test]
fn what_is_no_epoch_is_an_error_that_says_the_unit() {
    let unit = "expected seconds since 1970 such as 1700000000.123";
    for bad in
        ["\"\"", "\"2013-01-01T10:15:00Z\"", "\"1e3\"", "\"1.\"", "\".5\"", "\"-\"", "\"1,5\""]
    {
        let error = epochs(bad).0.unwrap_err();
        assert!(error.starts_with(unit), "{bad}: {error}");
    }
    for bad in ["true", "null", "[]"] {
        let error = epochs(bad).0.unwrap_err();
        assert!(error.contains(unit) && error.starts_with("invalid type"), "{bad}: {error}");
    }
    let range = "expected seconds since 1970 from -9223372036854775.808 to 9223372036854775.807, \
                 found `";
    for bad in ["9223372036854776", "-9223372036854776", "18446744073709551615", "1e300"] {
        let error = epochs(bad).0.unwrap_err();
        assert!(error.starts_with(range), "{bad}: {error}");
    }
    let (seconds, micros) = epochs("\"9223372036854775.808\"");
    assert!(seconds.unwrap_err().starts_with(range));
    assert_eq!(micros, Ok(9_223_372_036_854));
    let error = epochs("\"9223372036854775808000\"").1.unwrap_err();
    assert!(error.starts_with("expected microseconds since 1970 from -922"), "{error}");
    assert_eq!(epochs("\"-9223372036854775808000\"").1, Ok(i64::MIN));
    let error = epochs("\"-9223372036854775808001\"").1.unwrap_err();
    assert!(error.contains("found `-9223372036854775808001`"), "{error}");
    let row = Seconds::from_row(&Cells(vec![Some("yesterday"), Some("1")])).unwrap_err();
    assert_eq!(row.to_string(), format!("column `0`: {unit}, found `yesterday`"));
    let row = Seconds::from_row(&Cells(vec![None, Some("1")])).unwrap_err();
    assert_eq!(row.to_string(), "column `0`: expected a column of that name, found none");
    assert_eq!(epochs("null").1, Ok(0), "an optional one may be null");
}

#[test]
fn decimals_keep_their_digits() {
    let read = |json: &str| from_json::<Payment>(json).map_err(|error| error.to_string());
    let long = "12345678901234567890.123456789012345678900";
    for (amount, expected) in [
        ("12.10", "12.10"),
        ("\"12.10\"", "12.10"),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        (long, long),
        ("-0", "-0"),
        ("1E+2", "1E+2"),
        ("\" +.50 \"", "+.50"),
        ("\"\\u0031.0\"", "1.0"),
    ] {
        let payment = read(&format!("{{\"amount\": {amount} ,\"Fee\": {amount}}}")).unwrap();
        assert_eq!((payment.amount.as_str(), payment.fee.as_deref()), (expected, Some(expected)));
        round_trip(std::slice::from_ref(&payment));
        through_csv(&payment);
    }
    assert_eq!(read("{\"amount\":1}").unwrap().fee, None);
    assert_eq!(read("{\"amount\":1,\"Fee\":null}").unwrap().fee, None);
    let payment = Payment { amount: "12.10".to_owned(), fee: None };
    assert_eq!(to_json(&payment), r#"{"amount":"12.10","Fee":null}"#);
    assert_eq!(through_csv(&payment), "12.10,");
}

#[test]
fn what_is_no_decimal_is_refused_when_it_is_read() {
    let expected = "expected a decimal number such as 12.10, found `";
    for bad in
        ["true", "null", "{}", "\"12,10\"", "\"1.2.3\"", "\"1e\"", "\"e1\"", "\".\"", "\"$1\""]
    {
        let error = from_json::<Payment>(&format!("{{\"amount\":{bad}}}")).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{bad}: {error}");
    }
    for bad in ["1_000", "NaN", "--1", "0x10", "1 000"] {
        let error = Payment::from_row(&Cells(vec![Some(bad), Some("")])).unwrap_err().to_string();
        assert_eq!(error, format!("column `amount`: {expected}{bad}`"));
    }
    let twice = from_json::<Payment>(r#"{"amount":1,"amount":1}"#).unwrap_err().to_string();
    assert!(twice.starts_with("duplicate field `amount`"), "{twice}");
    assert!(from_json::<Payment>(r#"{"amount":01}"#).is_err(), "that is no JSON");
}

/// Who has numbers and meets a text is told which attribute there is.
#[test]
fn numbers_without_a_form_are_refused_with_the_attribute_that_helps() {
    for cell in ["1700000000", " -1.5 ", "1e9"] {
        let error = Timestamp::from_text(cell.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("the field needs `#[data(epoch = \"s\")]`"), "{error}");
    }
    let error = Timestamp::from_text(b"2013-01-01").unwrap_err().to_string();
    assert!(!error.contains("epoch"), "{error}");
    for (json, found) in [("12.10", "floating point `12.1`"), ("-1", "integer `-1`"), ("1", "`1`")]
    {
        let error = from_json::<String>(json).unwrap_err().to_string();
        let help = "expected a string (to keep the digits of a number, write it in quotes, or put \
                    `#[data(decimal)]` on the field)";
        assert!(error.contains(found) && error.contains(help), "{error}");
    }
    let error = from_json::<String>("null").unwrap_err().to_string();
    assert!(error.starts_with("invalid type: null, expected a string at"), "{error}");
}

#[test]
fn a_default_stands_in_for_what_is_missing() {
    let read = |json: &str| from_json::<Settings>(json).map_err(|error| error.to_string());
    let bare = Settings { name: "a".to_owned(), ..Settings::default() };
    assert_eq!(read(r#"{"name":"a"}"#), Ok(bare.clone()));
    assert_eq!(read(r#"{"name":"a","note":null,"inner":null}"#), Ok(bare.clone()));
    let inner = Some(Inner { weight: 0.0, unit: None });
    assert_eq!(read(r#"{"name":"a","inner":{}}"#), Ok(Settings { inner, ..bare.clone() }));
    let since = Timestamp::from_millis(1_500);
    let with_since = Settings { since, ..bare.clone() };
    assert_eq!(read(r#"{"name":"a","since":1.5}"#), Ok(with_since));
    // What is there has to fit, and null is there.
    assert!(read(r#"{"name":"a","retries":null}"#).unwrap_err().contains("invalid type: null"));
    assert!(read(r#"{"retries":1}"#).unwrap_err().starts_with("missing field `name`"));
    assert!(read(r#"{"name":"a","since":1,"since":1}"#).unwrap_err().starts_with("duplicate"));

    let full = Cells(vec![Some("a"), None, None, None, None]);
    assert_eq!(Settings::from_row(&full).unwrap(), bare);
    let row = Settings::from_row(&Cells(vec![Some("a"), Some("")])).unwrap_err().to_string();
    assert_eq!(row, "column `retries`: expected an integer from 0 to 255, found an empty cell");
    let may_lack = (0..6).map(Settings::has_default).collect::<Vec<_>>();
    assert_eq!(may_lack, [false, true, true, true, true, false]);

    let names: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let batch = batch_of(vec![("name", names.clone())]);
    assert_eq!(from_record_batch::<Settings>(&batch).unwrap(), std::slice::from_ref(&bare));
    let batch = batch_of(vec![("name", names.clone()), ("retries", names)]);
    let error = from_record_batch::<Settings>(&batch).unwrap_err().to_string();
    assert_eq!(error, "column `retries`: expected UInt8, found Utf8");
    round_trip(&[bare]);

    let json = from_json::<Generic<u8>>("{}").unwrap();
    assert_eq!(json, Generic { value: 0, more: None });
    round_trip(&[Generic { value: "a".to_owned(), more: Some("b".to_owned()) }]);
}
