//! Holds numbers to their exact values: in range they come back bit for bit, else they are errors.

use super::*;

/// Literals at and beyond the borders of integers and of floats, and numbers that look like them.
const LITERALS: [&str; 23] = [
    "0",
    "-1",
    "127",
    "128",
    "255",
    "256",
    "-32768",
    "65536",
    "2147483648",
    "-2147483649",
    "4294967295",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1627668684594000000",
    "340282366920938463463374607431768211456",
];

/// Goes through the literals with one type of integer, as JSON and as cells.
#[track_caller]
fn exact_or_refused<T: Data + Debug + PartialEq + TryFrom<i128>>(range: &str) {
    let expected = format!("expected an integer {range}");
    for literal in LITERALS {
        let value = literal.parse().ok().and_then(|wide: i128| T::try_from(wide).ok());
        let (json, cell) = (from_json::<T>(literal), T::from_text(literal.as_bytes()));
        if let Some(value) = value {
            assert_eq!(
                (json.unwrap(), cell.unwrap()),
                (value, T::from_text(literal.as_bytes()).unwrap())
            );
            continue;
        }
        let cell = cell.unwrap_err().to_string();
        assert_eq!(cell, format!("{expected}, found `{literal}`"));
        let json = json.unwrap_err().to_string();
        // Of what goes beyond 64 bits, serde_json knows a float.
        let found = json.contains(&format!("`{literal}`")) || json.contains("floating point `");
        assert!(json.contains(&expected) && found, "{literal}: {json}");
    }
    for bad in ["1e3", "1.0", "-0.0", "\"1\"", "\"9007199254740993\"", "true", "null", "[1]"] {
        let json = from_json::<T>(bad).unwrap_err().to_string();
        assert!(json.contains(&expected), "{bad}: {json}");
    }
    for bad in ["1e3", "1.0", "0x1", "1_000", "1,000", "", "1 2", "NaN", "١"] {
        let cell = T::from_text(bad.as_bytes()).unwrap_err().to_string();
        assert!(cell.starts_with(&expected), "{bad}: {cell}");
    }
    assert_eq!(T::from_text(b" +7 ").unwrap(), from_json(" 7 ").unwrap());
}

#[test]
fn integers_are_exact_or_refused_with_their_range_i05() {
    exact_or_refused::<i8>("from -128 to 127");
    exact_or_refused::<i16>("from -32768 to 32767");
    exact_or_refused::<i32>("of 32 bits with a sign");
    exact_or_refused::<i64>("of 64 bits with a sign");
    exact_or_refused::<u8>("from 0 to 255");
    exact_or_refused::<u16>("from 0 to 65535");
    exact_or_refused::<u32>("of 32 bits without a sign");
    exact_or_refused::<u64>("of 64 bits without a sign");
    let error = from_json::<u8>("256").unwrap_err().to_string();
    let expected = "invalid value: integer `256`, expected an integer from 0 to 255";
    assert!(error.starts_with(expected), "{error}");
}

/// The nearest double of its shortest text lies in the middle between it and the next float.
#[test]
fn a_float_is_rounded_once_i06() {
    for (text, bits) in [("7.038531e-26", 0x15ae_43fd_u32), ("-7.038531e-26", 0x95ae_43fd)] {
        let value = f32::from_bits(bits);
        let written = serde_json::to_string(&AsSerialize(&value)).unwrap();
        assert_eq!(written, text);
        assert_eq!(from_json::<f32>(&written).unwrap().to_bits(), bits);
        assert_eq!(f32::from_text(written.as_bytes()).unwrap().to_bits(), bits);
    }
    // In the middle itself the even one is taken, as ever.
    assert_eq!(from_json::<f32>("16777217.0").unwrap(), 16_777_216.0);
    assert_eq!(from_json::<f32>("16777219.0").unwrap(), 16_777_220.0);
}

/// Minus nothing is nothing: a cell with a sign says so, JSON calls it a float.
#[test]
fn minus_zero_is_no_other_integer_i05() {
    assert_eq!(i64::from_text(b"-0").unwrap(), 0);
    for refused in [from_json::<i64>("-0").map(|_| ()), from_json::<u64>("-0").map(|_| ())] {
        let error = refused.unwrap_err().to_string();
        assert!(error.starts_with("invalid type: floating point `-0.0`"), "{error}");
    }
    assert!(u64::from_text(b"-0").is_err());
    assert_eq!(from_json::<f64>("-0").unwrap().to_bits(), (-0.0f64).to_bits());
    assert_eq!(f64::from_text(b"-0").unwrap().to_bits(), (-0.0f64).to_bits());
}

/// The value as the CSV sink writes it.
fn to_cell<T: Data>(value: T) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.serialize(AsSerialize(&(value, 0u8))).unwrap();
    let row = writer.into_inner().unwrap();
    row.strip_suffix(b",0\n").unwrap().to_vec()
}

/// Compares the bits of a float before and after each form; text has one NaN for all.
macro_rules! check_bits {
    ($type:ty, $bits:expr) => {
        let value = <$type>::from_bits($bits);
        let text = if value.is_nan() { <$type>::NAN } else { value };
        let column = from_record_batch::<$type>(&to_record_batch(&[value])).unwrap();
        assert_eq!(column.first().map(|float| float.to_bits()), Some($bits), "{value:?}");
        let json = to_json(&value);
        assert_eq!(from_json::<$type>(&json).unwrap().to_bits(), text.to_bits(), "{json}");
        let cell = to_cell(value);
        let read = <$type>::from_text(&cell).unwrap();
        assert_eq!(read.to_bits(), text.to_bits(), "{value:?}: {}", cell.escape_ascii());
    };
}

#[test]
fn odd_floats_keep_their_bits_i06() {
    let quiet = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0];
    let small = [f64::MIN_POSITIVE, f64::from_bits(1), -f64::from_bits(1), 2e-310];
    let large = [f64::MAX, f64::MIN, 9007199254740993.0, 0.1, 1e21, 1e-7, 1.0 / 3.0];
    for float in quiet.into_iter().chain(small).chain(large) {
        check_bits!(f64, float.to_bits());
    }
    check_bits!(f64, 0x7ff4_0000_dead_beef);
    let quiet = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0];
    let small = [f32::MIN_POSITIVE, f32::from_bits(1), -f32::from_bits(1), 2e-40];
    let large = [f32::MAX, f32::MIN, 16777217.0, 0.1, 1e21, 1e-7, 1.0 / 3.0];
    for float in quiet.into_iter().chain(small).chain(large) {
        check_bits!(f32, float.to_bits());
    }
    check_bits!(f32, 0xffa0_beef);
    assert_eq!(
        [f64::NAN, -f64::INFINITY].map(|float| to_json(&float)),
        ["\"NaN\"", "\"-Infinity\""]
    );
    assert_eq!(to_cell(f32::INFINITY), b"Infinity");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_float_keeps_its_bits_i06(wide in any::<u64>(), narrow in any::<u32>()) {
        check_bits!(f64, wide);
        check_bits!(f32, narrow);
    }
}

/// A finite number that would become infinite is refused; words for infinity are not.
#[test]
fn numbers_too_large_for_a_float_are_refused_i06() {
    let cell = f32::from_text(b"1e39").unwrap_err().to_string();
    assert_eq!(cell, "expected a number within 3.4028235e38 of zero, found `1e39`");
    let json = from_json::<f32>("-1e39").unwrap_err().to_string();
    assert!(
        json.contains("floating point `-1e+39`, expected a number within 3.4028235e38 of zero"),
        "{json}"
    );
    assert!(f64::from_text(b"-1e999").is_err() && from_json::<f64>("1e999").is_err());
    assert_eq!(f32::from_text(b" -inf ").unwrap(), f32::NEG_INFINITY);
    assert!(f64::from_text(b"NAN").unwrap().is_nan());
    assert_eq!(from_json::<f32>("16777217").unwrap(), 16_777_216.0);
    for bad in ["\"1\"", "\"inf\"", "true", "null"] {
        assert!(from_json::<f64>(bad).is_err(), "{bad}");
    }
}
