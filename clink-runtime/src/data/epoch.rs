//! Reads and writes instants as numbers: seconds, milliseconds or microseconds since 1970.
//!
//! Every `i64` of milliseconds comes back. A number that a reader of JSON could round, because it
//! has more digits than a float keeps or does not fit 64 bits, is written as a string.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;

use super::{Data, InForm, TextError, Timestamp};

/// From here on, milliseconds as a float of seconds may have more digits than a float keeps: 15.
const FLOAT_MILLIS_END: u64 = 1_000_000_000_000_000;

/// A unit in which the time since 1970 is counted.
pub trait EpochUnit: 'static {
    /// How far the decimal point moves to the right when such a number becomes milliseconds.
    const SHIFT: i32;

    /// What a number in this unit is, for messages.
    const EXPECTED: &'static str;

    /// Which numbers are instants, for messages.
    const RANGE: &'static str;

    /// Writes so many milliseconds in this unit.
    ///
    /// # Errors
    /// Only what the serializer reports.
    fn serialize<S: Serializer>(millis: i64, serializer: S) -> Result<S::Ok, S::Error>;
}

/// Seconds since 1970, with a fraction where there is one.
#[derive(Debug)]
pub enum EpochSeconds {}

impl EpochUnit for EpochSeconds {
    const SHIFT: i32 = 3;

    const EXPECTED: &'static str = "seconds since 1970 such as 1700000000.123";

    const RANGE: &'static str =
        "seconds since 1970 from -9223372036854775.808 to 9223372036854775.807";

    fn serialize<S: Serializer>(millis: i64, serializer: S) -> Result<S::Ok, S::Error> {
        let (seconds, rest) = (millis / 1000, millis % 1000);
        if rest == 0 {
            return serializer.serialize_i64(seconds);
        }
        if millis.unsigned_abs() < FLOAT_MILLIS_END {
            return serializer.serialize_f64(millis as f64 / 1000.0);
        }
        serializer.collect_str(&format_args!("{seconds}.{:03}", rest.unsigned_abs()))
    }
}

/// Milliseconds since 1970.
#[derive(Debug)]
pub enum EpochMillis {}

impl EpochUnit for EpochMillis {
    const SHIFT: i32 = 0;

    const EXPECTED: &'static str = "milliseconds since 1970 such as 1700000000123";

    const RANGE: &'static str =
        "milliseconds since 1970 from -9223372036854775808 to 9223372036854775807";

    fn serialize<S: Serializer>(millis: i64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(millis)
    }
}

/// Microseconds since 1970.
#[derive(Debug)]
pub enum EpochMicros {}

impl EpochUnit for EpochMicros {
    const SHIFT: i32 = -3;

    const EXPECTED: &'static str = "microseconds since 1970 such as 1700000000123456";

    const RANGE: &'static str =
        "microseconds since 1970 from -9223372036854775808000 to 9223372036854775807999";

    fn serialize<S: Serializer>(millis: i64, serializer: S) -> Result<S::Ok, S::Error> {
        match millis.checked_mul(1000) {
            Some(micros) => serializer.serialize_i64(micros),
            None => serializer.collect_str(&(i128::from(millis) * 1000)),
        }
    }
}

impl<U: EpochUnit> InForm<U> for Timestamp {
    fn serialize_in<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return U::serialize(self.as_millis(), serializer);
        }
        Data::serialize(self, serializer)
    }

    fn deserialize_in<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return deserializer.deserialize_any(EpochVisitor::<U>(PhantomData));
        }
        <Self as Data>::deserialize(deserializer)
    }

    #[inline]
    fn from_text_in(cell: &[u8]) -> Result<Self, TextError> {
        let error = |expected| TextError::new(expected, cell);
        let number = Number::of(cell.trim_ascii()).ok_or_else(|| error(U::EXPECTED))?;
        let millis = number.shifted(U::SHIFT).ok_or_else(|| error(U::RANGE))?;
        Ok(Self::from_millis(millis))
    }
}

/// Takes a number in the unit `U`, or a string that holds one.
struct EpochVisitor<U>(PhantomData<U>);

impl<U: EpochUnit> EpochVisitor<U> {
    #[inline]
    fn whole<E: de::Error>(number: i128) -> Result<Timestamp, E> {
        let factor = 10i128.pow(U::SHIFT.unsigned_abs());
        let millis = if U::SHIFT < 0 { number.div_euclid(factor) } else { number * factor };
        let error = |_| E::custom(TextError::new(U::RANGE, number.to_string().as_bytes()));
        i64::try_from(millis).map(Timestamp::from_millis).map_err(error)
    }

    fn text<E: de::Error>(text: &str) -> Result<Timestamp, E> {
        InForm::<U>::from_text_in(text.as_bytes()).map_err(E::custom)
    }
}

impl<U: EpochUnit> Visitor<'_> for EpochVisitor<U> {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(U::EXPECTED)
    }

    #[inline]
    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Timestamp, E> {
        Self::whole(i128::from(number))
    }

    #[inline]
    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Timestamp, E> {
        Self::whole(i128::from(number))
    }

    /// A float is the shortest decimal number that it is nearest to, which is what programs write:
    /// arithmetic on the float itself would turn 1700000000.123 into a millisecond less.
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Timestamp, E> {
        Self::text(&number.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
        Self::text(text)
    }
}

/// A decimal number as text.
struct Number<'a> {
    is_negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
}

impl<'a> Number<'a> {
    /// Digits with or without a sign and a fraction.
    fn of(text: &'a [u8]) -> Option<Self> {
        let (is_negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        let Some(point) = memchr::memchr(b'.', digits) else {
            return is_number(digits).then_some(Self { is_negative, whole: digits, fraction: &[] });
        };
        let (whole, fraction) = (digits.get(..point)?, digits.get(point + 1..)?);
        (is_number(whole) && is_number(fraction)).then_some(Self { is_negative, whole, fraction })
    }

    /// The whole part after the decimal point has moved so many digits to the right; what comes
    /// behind it is cut, towards the past.
    fn shifted(&self, digits: i32) -> Option<i64> {
        let kept = self.whole.len().saturating_add_signed(isize::try_from(digits).ok()?);
        let mut digits = self.whole.iter().chain(self.fraction).map(|digit| digit - b'0');
        let mut magnitude = 0u64;
        for _ in 0..kept {
            let digit = digits.next().unwrap_or_default();
            magnitude = magnitude.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        if !self.is_negative {
            return i64::try_from(magnitude).ok();
        }
        let is_cut = digits.any(|digit| digit != 0);
        0i64.checked_sub_unsigned(magnitude.checked_add(u64::from(is_cut))?)
    }
}
