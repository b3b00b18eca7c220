//! Makes integers, floats and `bool` flow, exact in every form.
//!
//! What an integer does not hold exactly is an error, in JSON and in CSV; a number too large for a
//! float is one, too, and does not become infinite. JSON has no text for the floats that are not
//! numbers, so NaN and the infinities are written as the strings `"NaN"`, `"Infinity"` and
//! `"-Infinity"` and read back from them; of the many NaNs, text keeps the usual one.

use std::fmt;
use std::marker::PhantomData;

use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_schema::DataType;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::Serializer;

use super::column::Native;
use super::text::parse_trimmed;
use super::{
    BooleanColumn, BooleanView, Data, PrimitiveColumn, PrimitiveView, Required, TextError,
};

/// A type whose Arrow slot holds the value itself.
macro_rules! native {
    ($type:ty, $arrow:ty) => {
        impl Required for $type {}

        impl Native<$arrow> for $type {
            #[inline]
            fn to_native(&self) -> Self {
                *self
            }

            #[inline]
            fn from_native(native: Self) -> Self {
                native
            }
        }
    };
}

/// Takes an integer in the range of `T`.
struct IntegerVisitor<T>(PhantomData<T>);

macro_rules! integer {
    (
        $type:ty, $arrow:ty, $column:ident, $name:literal, $read:ident, $write:ident,
        $expected:literal
    ) => {
        native!($type, $arrow);

        impl Data for $type {
            type Builder = PrimitiveColumn<$arrow>;
            type View = PrimitiveView<$arrow, Self>;

            fn type_name() -> String {
                $name.to_owned()
            }

            fn data_type() -> DataType {
                DataType::$column
            }

            #[inline]
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.$write(*self)
            }

            #[inline]
            fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.$read(IntegerVisitor::<$type>(PhantomData))
            }

            #[inline]
            fn from_text(cell: &[u8]) -> Result<Self, TextError> {
                parse_trimmed(cell, concat!("an integer ", $expected))
            }
        }

        impl Visitor<'_> for IntegerVisitor<$type> {
            type Value = $type;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!("an integer ", $expected))
            }

            #[inline]
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<$type, E> {
                let misfit = |_| E::invalid_value(de::Unexpected::Signed(value), &self);
                <$type>::try_from(value).map_err(misfit)
            }

            #[inline]
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<$type, E> {
                let misfit = |_| E::invalid_value(de::Unexpected::Unsigned(value), &self);
                <$type>::try_from(value).map_err(misfit)
            }
        }
    };
}

integer!(i8, Int8Type, Int8, "int8", deserialize_i8, serialize_i8, "from -128 to 127");
integer!(i16, Int16Type, Int16, "int16", deserialize_i16, serialize_i16, "from -32768 to 32767");
integer!(i32, Int32Type, Int32, "int32", deserialize_i32, serialize_i32, "of 32 bits with a sign");
integer!(i64, Int64Type, Int64, "int64", deserialize_i64, serialize_i64, "of 64 bits with a sign");
integer!(u8, UInt8Type, UInt8, "uint8", deserialize_u8, serialize_u8, "from 0 to 255");
integer!(u16, UInt16Type, UInt16, "uint16", deserialize_u16, serialize_u16, "from 0 to 65535");
integer!(
    u32,
    UInt32Type,
    UInt32,
    "uint32",
    deserialize_u32,
    serialize_u32,
    "of 32 bits without a sign"
);
integer!(
    u64,
    UInt64Type,
    UInt64,
    "uint64",
    deserialize_u64,
    serialize_u64,
    "of 64 bits without a sign"
);

/// Floats: NaN and the infinities take the detour over strings in text formats.
macro_rules! float {
    (
        $type:ty, $arrow:ty, $arrow_type:ident, $name:literal, $serialize:ident, $narrow:expr,
        $range:literal
    ) => {
        native!($type, $arrow);

        impl Data for $type {
            type Builder = PrimitiveColumn<$arrow>;
            type View = PrimitiveView<$arrow, Self>;

            fn type_name() -> String {
                $name.to_owned()
            }

            fn data_type() -> DataType {
                DataType::$arrow_type
            }

            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if self.is_finite() || !serializer.is_human_readable() {
                    return serializer.$serialize(*self);
                }
                serializer.serialize_str(match *self {
                    x if x.is_nan() => NAN,
                    x if x.is_sign_positive() => INFINITY,
                    _ => NEGATIVE_INFINITY,
                })
            }

            fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if !deserializer.is_human_readable() {
                    return <Self as Deserialize>::deserialize(deserializer);
                }
                deserializer.deserialize_any(FloatVisitor::<$type>(PhantomData))
            }

            /// Takes NaN and the infinities as `FromStr` does: `nan`, `inf`, `-Infinity`, ….
            #[inline]
            fn from_text(cell: &[u8]) -> Result<Self, TextError> {
                let value: $type = parse_trimmed(cell, "a number")?;
                if value.is_infinite() && cell.iter().any(u8::is_ascii_digit) {
                    return Err(TextError::new(concat!("a number ", $range), cell));
                }
                Ok(value)
            }
        }

        impl Visitor<'_> for FloatVisitor<$type> {
            type Value = $type;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, \"NaN\", \"Infinity\" or \"-Infinity\"")
            }

            #[inline]
            fn visit_f64<E: de::Error>(self, wide: f64) -> Result<$type, E> {
                let value: $type = $narrow(wide);
                if value.is_infinite() && wide.is_finite() {
                    let found = de::Unexpected::Float(wide);
                    return Err(E::invalid_value(found, &concat!("a number ", $range)));
                }
                Ok(value)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<$type, E> {
                Ok(value as $type)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<$type, E> {
                Ok(value as $type)
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<$type, E> {
                match value {
                    NAN => Ok(<$type>::NAN),
                    INFINITY => Ok(<$type>::INFINITY),
                    NEGATIVE_INFINITY => Ok(<$type>::NEG_INFINITY),
                    other => Err(E::invalid_value(de::Unexpected::Str(other), &self)),
                }
            }
        }
    };
}

float!(f32, Float32Type, Float32, "float32", serialize_f32, nearest, "within 3.4028235e38 of zero");
float!(
    f64,
    Float64Type,
    Float64,
    "float64",
    serialize_f64,
    std::convert::identity,
    "within 1.7976931348623157e308 of zero"
);

/// The `f32` nearest to a number that was written, of which the reader gives the nearest `f64`.
///
/// Rounding twice goes wrong where the double lies in the middle between two floats and the number
/// beside it, as with `7.038531e-26`. The shortest text of a double is the number it was read from,
/// up to 15 digits, and an `f32` is written with nine at most.
#[inline]
fn nearest(wide: f64) -> f32 {
    /// Bits of a double that are zero in every float and in the middle of any two.
    const LOW_BITS: u64 = (1 << 28) - 1;
    let value = wide as f32;
    if wide.to_bits() & LOW_BITS != 0 || f64::from(value) == wide {
        return value;
    }
    wide.to_string().parse().unwrap_or(value)
}

const NAN: &str = "NaN";
const INFINITY: &str = "Infinity";
const NEGATIVE_INFINITY: &str = "-Infinity";

/// Takes any number, and the three strings that stand for what is not one.
struct FloatVisitor<T>(PhantomData<T>);

impl Required for bool {}

impl Data for bool {
    type Builder = BooleanColumn;
    type View = BooleanView;

    fn type_name() -> String {
        "bool".to_owned()
    }

    fn data_type() -> DataType {
        DataType::Boolean
    }

    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(*self)
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <Self as Deserialize>::deserialize(deserializer)
    }

    #[inline]
    fn from_text(cell: &[u8]) -> Result<Self, TextError> {
        parse_trimmed(cell, "true or false")
    }
}
