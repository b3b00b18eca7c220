//! An instant: milliseconds since 1970 in UTC, written as RFC 3339.

use std::fmt;
use std::str::FromStr;

use arrow_array::types::TimestampMillisecondType;
use arrow_schema::{DataType, TimeUnit};
use clink_plan::key_group::{KeyEncode, KeyWrite};
use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use super::column::Native;
use super::text::parse_trimmed;
use super::{Data, PrimitiveColumn, PrimitiveView, Required, TextError};

/// What text an instant is read from.
const EXPECTED: &str = "an RFC 3339 instant such as 2013-01-31T09:30:00Z";

/// The same to somebody who has a number: without a unit, it could be any instant.
const EXPECTED_NOT_NUMBER: &str = "an RFC 3339 instant such as 2013-01-31T09:30:00Z (for a number \
     the field needs `#[data(epoch = \"s\")]`, `ms` or `us`)";

/// The zone of every column of instants; without one, readers would put their own in its place.
const ZONE: &str = "UTC";

/// An instant in time, to the millisecond.
///
/// Any `i64` of milliseconds is a value. Text covers the years -9999 to 9999; beyond them an
/// instant is written as its milliseconds with the unit, `9223372036854775807ms`. A JSON number
/// is milliseconds, too. Digits below the millisecond are cut, towards the past.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp {
    millis: i64,
}

impl Timestamp {
    /// The instant that many milliseconds after 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self { millis }
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.millis
    }
}

/// Where milliseconds are counted from.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// Date and time in UTC.
///
/// jiff's own instants end 26 hours before its years do, so that they have a date in every zone:
/// `9999-12-31T23:59:59Z`, which many a table has for "never", would be none of them.
fn civil(millis: i64) -> Option<DateTime> {
    EPOCH.checked_add(SignedDuration::from_millis(millis)).ok()
}

/// The instant of a text in the hours of jiff's years that its own instants leave out.
#[cold]
fn at_the_end_of_years(text: &str) -> Option<i64> {
    let pieces = Pieces::parse(text).ok()?;
    let offset = SignedDuration::from_secs(pieces.to_numeric_offset()?.seconds().into());
    let local = pieces.date().to_datetime(pieces.time()?);
    let nanos = local.duration_since(EPOCH).checked_sub(offset)?.as_nanos();
    let millis = i64::try_from(nanos.div_euclid(1_000_000)).ok()?;
    // Whatever else jiff has refused stays refused.
    jiff::Timestamp::from_millisecond(millis).is_err().then_some(millis)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Ok(instant) = jiff::Timestamp::from_millisecond(self.millis) {
            return instant.fmt(f);
        }
        match civil(self.millis) {
            Some(civil) => write!(f, "{civil}Z"),
            None => write!(f, "{}ms", self.millis),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timestamp({self})")
    }
}

/// Text that is no instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TimestampError(TextError);

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        if let Ok(instant) = text.parse::<jiff::Timestamp>() {
            // jiff rounds towards 1970; an event before it must not move into the future.
            let cut = i64::from(instant.subsec_nanosecond() % 1_000_000 < 0);
            return Ok(Self::from_millis(instant.as_millisecond() - cut));
        }
        let millis = text.strip_suffix("ms").and_then(|ms| ms.parse().ok());
        let millis = millis.or_else(|| at_the_end_of_years(text));
        let error = || TimestampError(TextError::new(EXPECTED, text.as_bytes()));
        millis.map(Self::from_millis).ok_or_else(error)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.collect_str(self);
        }
        serializer.serialize_i64(self.millis)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(TimestampVisitor)
        } else {
            deserializer.deserialize_i64(TimestampVisitor)
        }
    }
}

/// Takes RFC 3339 text, or a number of milliseconds.
struct TimestampVisitor;

impl Visitor<'_> for TimestampVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{EXPECTED}, or milliseconds since 1970")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, millis: i64) -> Result<Timestamp, E> {
        Ok(Timestamp::from_millis(millis))
    }

    fn visit_u64<E: de::Error>(self, millis: u64) -> Result<Timestamp, E> {
        let range = |_| E::invalid_value(de::Unexpected::Unsigned(millis), &self);
        i64::try_from(millis).map(Timestamp::from_millis).map_err(range)
    }
}

/// As a key, an instant is its milliseconds: eight bytes, little-endian.
impl KeyEncode for Timestamp {
    #[inline]
    fn encoded_len(&self) -> usize {
        self.millis.encoded_len()
    }

    #[inline]
    fn encode<W: KeyWrite + ?Sized>(&self, out: &mut W) {
        self.millis.encode(out);
    }
}

impl Required for Timestamp {}

impl Native<TimestampMillisecondType> for Timestamp {
    #[inline]
    fn to_native(&self) -> i64 {
        self.millis
    }

    #[inline]
    fn from_native(millis: i64) -> Self {
        Self::from_millis(millis)
    }
}

impl Data for Timestamp {
    type Builder = PrimitiveColumn<TimestampMillisecondType>;
    type View = PrimitiveView<TimestampMillisecondType, Self>;

    fn type_name() -> String {
        "timestamp".to_owned()
    }

    fn data_type() -> DataType {
        DataType::Timestamp(TimeUnit::Millisecond, Some(ZONE.into()))
    }

    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Serialize::serialize(self, serializer)
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <Self as Deserialize>::deserialize(deserializer)
    }

    #[inline]
    fn from_text(cell: &[u8]) -> Result<Self, TextError> {
        parse_trimmed(cell, EXPECTED).map_err(|error| match parse_trimmed::<f64>(cell, EXPECTED) {
            Ok(_) => TextError::new(EXPECTED_NOT_NUMBER, cell),
            Err(_) => error,
        })
    }
}
