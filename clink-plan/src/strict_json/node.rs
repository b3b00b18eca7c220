//! Takes a JSON document apart, noting every place where it is not what it should be.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::JsonProblem;
use crate::nearest::did_you_mean;

/// How much of a wrong value a message repeats.
const FOUND_CHARS_MAX: usize = 40;

/// The way from the document to a value, built on the stack and only printed on a problem.
#[derive(Clone, Copy)]
pub(crate) enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(Path::Root, key) => f.write_str(key),
            Path::Key(parent, key) => write!(f, "{parent}.{key}"),
            Path::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// What becomes of a key that the reader does not know.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownKeys {
    Refuse,
    Keep,
}

/// The problems found so far.
pub(crate) struct Problems {
    pub(crate) found: Vec<JsonProblem>,
    unknown_keys: UnknownKeys,
}

impl Problems {
    /// None yet.
    pub(crate) fn new(unknown_keys: UnknownKeys) -> Problems {
        Problems { found: Vec::new(), unknown_keys }
    }

    /// Notes a problem at `path`.
    pub(crate) fn add(
        &mut self,
        path: Path<'_>,
        expected: impl Into<String>,
        found: impl Into<String>,
        help: Option<String>,
    ) {
        self.found.push(JsonProblem {
            path: path.to_string(),
            expected: expected.into(),
            found: found.into(),
            help,
        });
    }
}

/// One value of the document and the way to it.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a, 'p> {
    pub(crate) raw: &'a RawValue,
    pub(crate) path: Path<'p>,
}

impl<'a, 'p> Node<'a, 'p> {
    pub(crate) fn new(raw: &'a RawValue, path: Path<'p>) -> Node<'a, 'p> {
        Node { raw, path }
    }

    /// The value as text.
    pub(crate) fn text(&self, problems: &mut Problems) -> Option<String> {
        self.parsed("a string", problems)
    }

    /// The value as a whole number.
    pub(crate) fn number(&self, problems: &mut Problems) -> Option<u32> {
        self.parsed("a whole number from 0 to 4294967295", problems)
    }

    /// The value as a list, each item read by `read`.
    pub(crate) fn each<T>(
        &self,
        of_what: &str,
        problems: &mut Problems,
        read: impl Fn(&Node<'a, '_>, &mut Problems) -> Option<T>,
    ) -> Vec<T> {
        let items: Vec<&'a RawValue> =
            self.parsed(&format!("a list of {of_what}"), problems).unwrap_or_default();
        let items = items.into_iter().enumerate();
        items
            .filter_map(|(index, raw)| {
                read(&Node::new(raw, Path::Item(&self.path, index)), problems)
            })
            .collect()
    }

    /// The value as a parameter: text as it is, numbers and booleans as they are written.
    pub(crate) fn parameter(&self, problems: &mut Problems) -> Option<String> {
        match self.raw.get().as_bytes().first() {
            Some(b'"') => self.text(problems),
            Some(b'n' | b'[' | b'{') | None => {
                let help = "write structured values as a string of JSON".to_owned();
                self.wrong("a string, a number or a boolean", Some(help), problems);
                None
            }
            Some(_) => Some(self.raw.get().to_owned()),
        }
    }

    /// The value as an object, its keys in document order.
    pub(crate) fn entries(&self, problems: &mut Problems) -> Option<Vec<(String, &'a RawValue)>> {
        let Entries(entries) = self.parsed("an object", problems)?;
        let mut sorted: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
        sorted.sort_unstable();
        let mut twice: Vec<&str> = Vec::new();
        for (key, next) in sorted.iter().zip(sorted.iter().skip(1)) {
            if key == next && twice.last() != Some(key) {
                twice.push(key);
            }
        }
        for key in twice {
            problems.add(Path::Key(&self.path, key), "one value", "several", None);
        }
        Some(entries)
    }

    /// The value as an object with these keys; others are refused or kept, as the reader asked.
    pub(crate) fn fields(
        &self,
        keys: &'static [&'static str],
        problems: &mut Problems,
    ) -> Option<Fields<'a, '_>> {
        let fields = Fields { entries: self.entries(problems)?, keys, path: &self.path };
        if problems.unknown_keys == UnknownKeys::Refuse {
            for (key, _) in fields.unknown() {
                let help = did_you_mean(key, keys.iter().copied());
                let expected = format!("one of {}", keys.join(", "));
                problems.add(Path::Key(&self.path, key), expected, "an unknown key", help);
            }
        }
        Some(fields)
    }

    /// Notes that the value is not `expected`.
    pub(crate) fn wrong(&self, expected: &str, help: Option<String>, problems: &mut Problems) {
        let text = self.raw.get();
        let mut found: String = text.chars().take(FOUND_CHARS_MAX).collect();
        if found.len() < text.len() {
            found.push('…');
        }
        problems.add(self.path, expected, found, help);
    }

    fn parsed<T: Deserialize<'a>>(&self, expected: &str, problems: &mut Problems) -> Option<T> {
        let parsed = serde_json::from_str(self.raw.get()).ok();
        if parsed.is_none() {
            self.wrong(expected, None, problems);
        }
        parsed
    }
}

/// The values of an object whose keys are known.
pub(crate) struct Fields<'a, 'p> {
    entries: Vec<(String, &'a RawValue)>,
    keys: &'static [&'static str],
    path: &'p Path<'p>,
}

impl<'a, 'p> Fields<'a, 'p> {
    /// The value of `key`, if it is there.
    pub(crate) fn get(&self, key: &'p str) -> Option<Node<'a, 'p>> {
        let (_, raw) = self.entries.iter().find(|(found, _)| found == key)?;
        Some(Node::new(raw, Path::Key(self.path, key)))
    }

    /// The entries whose keys are not known, in document order.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        let entries = self.entries.iter().map(|(key, raw)| (key.as_str(), *raw));
        entries.filter(|(key, _)| !self.keys.contains(key))
    }

    /// Notes it if `key` is not there.
    pub(crate) fn require(&self, key: &'p str, expected: &str, problems: &mut Problems) {
        if self.get(key).is_none() {
            problems.add(Path::Key(self.path, key), expected, "nothing", None);
        }
    }

    /// The text at `key`, empty if it is not there.
    pub(crate) fn text(&self, key: &'p str, problems: &mut Problems) -> String {
        let node = self.get(key);
        node.and_then(|node| node.text(problems)).unwrap_or_default()
    }

    /// The text at `key`, which must be there.
    pub(crate) fn required_text(&self, key: &'p str, problems: &mut Problems) -> String {
        self.require(key, "a string", problems);
        self.text(key, problems)
    }

    /// The texts at `key`, none if it is not there.
    pub(crate) fn texts(&self, key: &'p str, problems: &mut Problems) -> Vec<String> {
        self.each(key, "strings", problems, |node, problems| node.text(problems))
    }

    /// The items at `key`, none if it is not there.
    pub(crate) fn each<T>(
        &self,
        key: &'p str,
        of_what: &str,
        problems: &mut Problems,
        read: impl Fn(&Node<'a, '_>, &mut Problems) -> Option<T>,
    ) -> Vec<T> {
        let node = self.get(key);
        node.map(|node| node.each(of_what, problems, read)).unwrap_or_default()
    }

    /// The whole number at `key`, or `absent` if it is not there.
    pub(crate) fn number(&self, key: &'p str, absent: u32, problems: &mut Problems) -> u32 {
        let node = self.get(key);
        node.map_or(Some(absent), |node| node.number(problems)).unwrap_or(absent)
    }
}

/// An object as a list of its entries: order and repetitions stay visible.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries<'a>, D::Error> {
        struct EntriesVisitor;

        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }

        deserializer.deserialize_map(EntriesVisitor).map(Entries)
    }
}
