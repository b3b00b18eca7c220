//! Reads the text format of Prometheus, strictly.
//!
//! Source: the text-based exposition format, version 0.0.4.

use std::collections::{BTreeMap, BTreeSet};

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) value: f64,
}

/// Every sample of the text, which must obey the grammar: a line of help and one of the type before
/// the samples of a name, all samples of a name together, no sample twice, a line end at the end.
#[track_caller]
pub(crate) fn parse(text: &str) -> Vec<Sample> {
    let (mut samples, mut done) = (Vec::new(), BTreeSet::new());
    let mut lines = text.lines().peekable();
    assert!(text.is_empty() || text.ends_with('\n'), "the last line has no end");
    while let Some(line) = lines.next() {
        let help = line.strip_prefix("# HELP ").unwrap_or_else(|| panic!("no help: {line}"));
        let (name, help) = help.split_once(' ').unwrap();
        assert!(!help.is_empty() && is_name(name), "{line}");
        assert!(done.insert(name.to_owned()), "{name} comes twice");
        let kind = lines.next().and_then(|line| line.strip_prefix(&format!("# TYPE {name} ")));
        let kind = kind.unwrap_or_else(|| panic!("{name} has no type"));
        assert!(matches!(kind, "counter" | "gauge"), "{name} is a {kind}");
        assert_eq!(kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
        let before = samples.len();
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            let sample = sample(line);
            assert_eq!(sample.name, name, "{line}");
            let finite = kind == "gauge" || (sample.value.is_finite() && sample.value >= 0.0);
            assert!(finite, "{line}");
            samples.push(sample);
        }
        let own: Vec<_> = samples[before..].iter().map(|sample| &sample.labels).collect();
        assert!(!own.is_empty(), "{name} has no sample");
        assert_eq!(own.iter().collect::<BTreeSet<_>>().len(), own.len(), "{name}: twice the same");
    }
    samples
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn sample(line: &str) -> Sample {
    let (name, rest) = line.split_once('{').unwrap_or_else(|| panic!("no labels: {line}"));
    let (labels, value) = labels(rest, line);
    let value = value.strip_prefix(' ').unwrap_or_else(|| panic!("no blank: {line}"));
    let value = match value {
        "+Inf" => f64::INFINITY,
        number => number.parse().unwrap_or_else(|_| panic!("no number: {line}")),
    };
    Sample { name: name.to_owned(), labels, value }
}

/// The labels up to the closing brace, and what follows it.
fn labels<'t>(mut rest: &'t str, line: &str) -> (BTreeMap<String, String>, &'t str) {
    let mut labels = BTreeMap::new();
    loop {
        let (name, after) = rest.split_once("=\"").unwrap_or_else(|| panic!("no label: {line}"));
        assert!(is_name(name) && !name.starts_with("__"), "{line}");
        let mut value = String::new();
        let mut characters = after.char_indices();
        let end = loop {
            match characters.next().unwrap_or_else(|| panic!("a label without end: {line}")) {
                (at, '"') => break at,
                (_, '\\') => value.push(match characters.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, escaped @ ('\\' | '"'))) => escaped,
                    other => panic!("{other:?} is escaped: {line}"),
                }),
                (_, other) => value.push(other),
            }
        };
        assert_eq!(labels.insert(name.to_owned(), value), None, "{name} twice: {line}");
        rest = &after[end + 1..];
        match rest.as_bytes().first() {
            Some(b',') => rest = &rest[1..],
            Some(b'}') => return (labels, &rest[1..]),
            _ => panic!("labels without end: {line}"),
        }
    }
}
