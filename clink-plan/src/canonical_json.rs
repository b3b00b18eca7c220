//! Writes compact JSON with the reference's escapes, so that equal values are equal bytes.

use std::io;

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

/// Escapes as the reference does: backspace and form feed have no short form.
struct CanonicalFormatter;

impl Formatter for CanonicalFormatter {
    fn write_char_escape<W>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        match escape {
            CharEscape::Backspace => writer.write_all(b"\\u0008"),
            CharEscape::FormFeed => writer.write_all(b"\\u000c"),
            other => CompactFormatter.write_char_escape(writer, other),
        }
    }
}

/// The canonical text of `value`.
pub(crate) fn to_string(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    value
        .serialize(&mut Serializer::with_formatter(&mut bytes, CanonicalFormatter))
        .expect("a buffer takes every write, and the crate's JSON views have text keys");
    String::from_utf8(bytes).expect("serde_json writes UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_the_references() {
        assert_eq!(to_string(&"\u{8}\u{c}\n\r\t\u{1}\u{7f}/\"\\ü"), {
            "\"\\u0008\\u000c\\n\\r\\t\\u0001\u{7f}/\\\"\\\\ü\""
        });
    }
}
