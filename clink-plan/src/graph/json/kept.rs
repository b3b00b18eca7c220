//! Carries JSON through without looking into it: lineage documents, and keys of newer releases.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// A JSON object that travels with the graph, kept as text so that nothing in it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnLineage(String);

impl ColumnLineage {
    /// Takes the text of a JSON object; `None` if it is anything else.
    pub fn new(text: &str) -> Option<ColumnLineage> {
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        raw.get().starts_with('{').then(|| ColumnLineage(without_space(raw.get())))
    }

    /// The object's text, without white space between its tokens.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The keys of an object that this release does not know, with their values as they were written:
/// they are written again behind those it knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptKeys(BTreeMap<String, String>);

impl KeptKeys {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys and the text of their values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Keeps these.
    pub(super) fn of<'a>(entries: impl Iterator<Item = (&'a str, &'a RawValue)>) -> KeptKeys {
        KeptKeys(entries.map(|(key, raw)| (key.to_owned(), without_space(raw.get()))).collect())
    }
}

/// Drops white space outside strings: equal graphs must be equal bytes.
fn without_space(text: &str) -> String {
    let mut inside = false;
    let mut escaped = false;
    let kept = text.chars().filter(|&c| {
        if escaped {
            escaped = false;
        } else if inside && c == '\\' {
            escaped = true;
        } else if c == '"' {
            inside = !inside;
        }
        inside || !matches!(c, ' ' | '\n' | '\r' | '\t')
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_are_lineage_and_only_space_is_dropped() {
        let lineage = ColumnLineage::new(" { \"a b\\\" c\" : [ 1.50 , \"\\\\\" ] }\n");
        let text = lineage.as_ref().map(ColumnLineage::as_str);
        assert_eq!(text, Some(r#"{"a b\" c":[1.50,"\\"]}"#));
        assert_eq!(ColumnLineage::new("[]"), None);
        assert_eq!(ColumnLineage::new("{"), None);
    }
}
