//! Keeps the digits of decimal numbers, such as amounts of money, as text.
//!
//! A float would round `12.10` and lose the zero. What the text means is up to the author, who
//! parses it with the decimal type of their choice.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;
use serde_json::value::RawValue;

use super::{Data, InForm, TextError};

/// What a decimal number is, for messages.
const EXPECTED: &str = "a decimal number such as 12.10";

/// A decimal number as it was written: in JSON a number or a string that holds one.
///
/// It is written as a string, since most readers of JSON make a float of a number.
#[derive(Debug)]
pub enum Decimal {}

impl InForm<Decimal> for String {
    fn serialize_in<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }

    fn deserialize_in<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return <Self as Data>::deserialize(deserializer);
        }
        // The text of the value is all that has the digits; every other way makes a float of them.
        let json = Box::<RawValue>::deserialize(deserializer)?;
        if json.get().starts_with('"') {
            let text: String = serde_json::from_str(json.get()).map_err(D::Error::custom)?;
            return Self::from_text_in(text.as_bytes()).map_err(D::Error::custom);
        }
        let number = Self::from(Box::<str>::from(json));
        match is_decimal(number.as_bytes()) {
            true => Ok(number),
            false => Err(D::Error::custom(TextError::new(EXPECTED, number.as_bytes()))),
        }
    }

    fn from_text_in(cell: &[u8]) -> Result<Self, TextError> {
        let digits = cell.trim_ascii();
        let text = std::str::from_utf8(digits).ok().filter(|_| is_decimal(digits));
        text.map(str::to_owned).ok_or_else(|| TextError::new(EXPECTED, cell))
    }
}

/// Digits, with or without a sign, a point among them and an exponent.
fn is_decimal(text: &[u8]) -> bool {
    let (number, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (text.get(..at), text.get(at + 1..)),
        None => (Some(text), None),
    };
    let is_number = number.map(without_sign).is_some_and(|number| {
        let points = number.iter().filter(|byte| **byte == b'.').count();
        let digits = number.iter().filter(|byte| byte.is_ascii_digit()).count();
        points <= 1 && digits > 0 && points + digits == number.len()
    });
    let is_whole = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number && exponent.map(without_sign).is_none_or(is_whole)
}

/// The text after its sign, if it has one.
fn without_sign(text: &[u8]) -> &[u8] {
    match text {
        [b'+' | b'-', rest @ ..] | rest => rest,
    }
}
