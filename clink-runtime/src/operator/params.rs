//! Carries an operator's parameters as text, string to string as in the reference.
//!
//! A `String` travels as it is, any other value as JSON text, `None` as no key at all.

use std::collections::BTreeMap;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, IntoDeserializer, Visitor};
use serde::{Deserializer, Serialize};
use serde_json::de::StrRead;

/// The parameters of one operator, by field name.
pub type Params = BTreeMap<String, String>;

/// Why a parameter could not be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// The field's value has no JSON form.
    #[error("parameter `{name}` cannot be written: {reason}")]
    Write {
        /// The field.
        name: String,
        /// What serde said.
        reason: String,
    },
    /// The text does not parse as the field's type.
    #[error("parameter `{name}` does not fit: {reason}; found `{found}`")]
    Read {
        /// The field.
        name: String,
        /// What was expected.
        reason: String,
        /// The text, cut to 80 characters.
        found: String,
    },
    /// The key is not there, and the field is no `Option`.
    #[error("parameter `{name}` is missing")]
    Missing {
        /// The field.
        name: String,
    },
}

/// A field type that can be a parameter: anything serde can write and read.
///
/// Its two functions are methods of a trait so that generated code calls them by one path, spanned
/// at the field's type: a field that is no parameter is then reported once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an operator parameter",
    label = "state is marked `#[state]`; a field without an attribute is a parameter, which \
             travels in the job graph",
    note = "if it is state (`ValueState`, `OperatorListState`), mark it `#[state]`; if it is \
            rebuilt with `Default` at each start, mark it `#[transient]`",
    note = "for a parameter, derive `serde::Serialize` and `serde::Deserialize`"
)]
pub trait Param: Sized {
    /// Writes the field `name`.
    ///
    /// # Errors
    /// [`ParamError::Write`] if the value has no JSON form.
    fn write(&self, name: &str, params: &mut Params) -> Result<(), ParamError>;

    /// Reads the field `name` back.
    ///
    /// # Errors
    /// [`ParamError`] naming the field.
    fn read(name: &str, params: &Params) -> Result<Self, ParamError>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Param for T {
    fn write(&self, name: &str, params: &mut Params) -> Result<(), ParamError> {
        let text = serde_json::to_string(self).map_err(|error| ParamError::Write {
            name: name.to_owned(),
            reason: error.to_string(),
        })?;
        if text == "null" {
            return Ok(());
        }
        // Text travels bare; everything else keeps its JSON form, in which no number loses a digit.
        let text = serde_json::from_str::<String>(&text).unwrap_or(text);
        params.insert(name.to_owned(), text);
        Ok(())
    }

    fn read(name: &str, params: &Params) -> Result<Self, ParamError> {
        let found = params.get(name).map(String::as_str);
        T::deserialize(ParamText(found)).map_err(|error| match found {
            None => ParamError::Missing { name: name.to_owned() },
            Some(found) => ParamError::Read {
                name: name.to_owned(),
                reason: error.to_string(),
                found: found.chars().take(80).collect(),
            },
        })
    }
}

/// The text of a parameter on its way into a type: bare where the type asks for text, else JSON.
struct ParamText<'a>(Option<&'a str>);

type JsonError = serde_json::Error;

impl<'de> ParamText<'de> {
    fn text(&self) -> Result<&'de str, JsonError> {
        self.0.ok_or_else(|| serde::de::Error::custom("missing"))
    }

    fn json<T>(
        self,
        read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'de>>) -> Result<T, JsonError>,
    ) -> Result<T, JsonError> {
        let mut json = serde_json::Deserializer::from_str(self.text()?);
        let value = read(&mut json)?;
        json.end()?;
        Ok(value)
    }
}

/// Methods that read the text as JSON of the asked type.
macro_rules! as_json {
    ($($method:ident),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
            self.json(|json| json.$method(visitor))
        }
    )*};
}

/// Methods that take the text as it is.
macro_rules! as_text {
    ($($method:ident),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
            visitor.visit_str(self.text()?)
        }
    )*};
}

impl<'de> Deserializer<'de> for ParamText<'de> {
    type Error = JsonError;

    as_json!(
        deserialize_bool,
        deserialize_i8,
        deserialize_i16,
        deserialize_i32,
        deserialize_i64,
        deserialize_i128,
        deserialize_u8,
        deserialize_u16,
        deserialize_u32,
        deserialize_u64,
        deserialize_u128,
        deserialize_f32,
        deserialize_f64,
        deserialize_bytes,
        deserialize_byte_buf,
        deserialize_unit,
        deserialize_seq,
        deserialize_map,
        deserialize_ignored_any
    );
    as_text!(deserialize_str, deserialize_string, deserialize_char, deserialize_identifier);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let text = self.text()?;
        if serde_json::from_str::<IgnoredAny>(text).is_err() {
            return visitor.visit_str(text);
        }
        self.json(|json| json.deserialize_any(visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.0 {
            None => visitor.visit_none(),
            Some(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.json(|json| json.deserialize_unit_struct(name, visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.json(|json| json.deserialize_tuple(len, visitor))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.json(|json| json.deserialize_tuple_struct(name, len, visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.json(|json| json.deserialize_struct(name, fields, visitor))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        let text = self.text()?;
        // A unit variant travels as its bare name, a variant with data as a JSON object.
        if text.starts_with('{') {
            return self.json(|json| json.deserialize_enum(name, variants, visitor));
        }
        let variant: StrDeserializer<'de, JsonError> = text.into_deserializer();
        variant.deserialize_enum(name, variants, visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::Deserialize;

    use super::*;

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    enum Mode {
        Fast,
        Slow { by: u32 },
    }

    #[track_caller]
    fn check<T: Param + PartialEq + Debug>(value: T, text: Option<&str>) {
        let mut params = Params::new();
        value.write("field", &mut params).unwrap();
        assert_eq!(params.get("field").map(String::as_str), text);
        assert_eq!(T::read("field", &params).unwrap(), value);
    }

    #[test]
    fn every_kind_of_value_comes_back_as_it_went() {
        check("17".to_owned(), Some("17"));
        check(String::new(), Some(""));
        check("\"quoted\"".to_owned(), Some("\"quoted\""));
        check(i64::MIN, Some("-9223372036854775808"));
        check(u64::MAX, Some("18446744073709551615"));
        check(0.1f64, Some("0.1"));
        check(true, Some("true"));
        check(None::<i64>, None);
        check(Some(3i64), Some("3"));
        check(Some("a".to_owned()), Some("a"));
        check(vec![1u8, 2], Some("[1,2]"));
        check((1u8, "x".to_owned()), Some("[1,\"x\"]"));
        check(Mode::Fast, Some("Fast"));
        check(Mode::Slow { by: 2 }, Some("{\"Slow\":{\"by\":2}}"));
        check('"', Some("\""));
        check(std::time::Duration::from_millis(1500), Some("{\"secs\":1,\"nanos\":500000000}"));
    }

    #[test]
    fn errors_name_the_field_and_what_was_found() {
        let params = Params::from([("n".to_owned(), "12x".to_owned())]);
        let error = <i64 as Param>::read("n", &params).unwrap_err().to_string();
        assert!(error.contains("`n`") && error.contains("`12x`"), "{error}");
        let error = <i64 as Param>::read("m", &params).unwrap_err();
        assert_eq!(error, ParamError::Missing { name: "m".to_owned() });
    }
}
