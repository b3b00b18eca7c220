//! A registry with the reference's built-ins, as far as its test graphs use them.

use clink_plan::validate::{RegistryView, TypePlace};

const SOURCES: &[(&str, &str)] = &[
    ("int64_range_source", "int64"),
    ("string_lines_source", "string"),
    ("file_text_source", "string"),
];
const OPERATORS: &[(&str, &str, &str)] = &[
    ("identity_int64", "int64", "int64"),
    ("identity_string", "string", "string"),
    ("multiply_int64", "int64", "int64"),
    ("int64_to_string", "int64", "string"),
    ("string_to_int64", "string", "int64"),
    ("even_filter_int64", "int64", "int64"),
];
const SINKS: &[(&str, &str)] =
    &[("file_int64_sink", "int64"), ("file_line_sink", "string"), ("file_text_sink", "string")];
const JOINS: &[(&str, &str, &str, &str)] = &[("int64_int64_match_join", "int64", "int64", "int64")];
const CO_OPERATORS: &[(&str, &str, &str, &str)] = &[("apply_rules", "int64", "string", "int64")];
const KEY_EXTRACTORS: &[(&str, &str)] = &[("int64", "identity"), ("string", "identity")];
const SELECTORS: &[(&str, &str)] = &[
    ("int64", "int64_even_odd"),
    ("int64", "int64_mod_2"),
    ("int64", "int64_mod_3"),
    ("string", "string_first_char_parity"),
];

/// The registry.
pub(crate) struct FakeRegistry;

impl RegistryView for FakeRegistry {
    fn has_source(&self, type_name: &str, out: &str) -> bool {
        SOURCES.contains(&(type_name, out))
    }

    fn has_operator(&self, type_name: &str, input: &str, out: &str) -> bool {
        OPERATORS.contains(&(type_name, input, out))
    }

    fn has_sink(&self, type_name: &str, input: &str) -> bool {
        SINKS.contains(&(type_name, input))
    }

    fn has_join(&self, type_name: &str) -> bool {
        JOINS.iter().any(|join| join.0 == type_name)
    }

    fn join_takes(&self, type_name: &str, left: &str, right: &str, out: &str) -> bool {
        JOINS.contains(&(type_name, left, right, out))
    }

    fn has_co_operator(&self, type_name: &str, first: &str, second: &str, out: &str) -> bool {
        CO_OPERATORS.contains(&(type_name, first, second, out))
    }

    fn has_key_extractor(&self, channel: &str, name: &str) -> bool {
        KEY_EXTRACTORS.contains(&(channel, name))
    }

    fn has_selector(&self, channel: &str, name: &str) -> bool {
        SELECTORS.contains(&(channel, name))
    }

    fn places(&self, type_name: &str) -> Vec<TypePlace<'_>> {
        let sources = SOURCES.iter().map(|&(name, out)| (name, TypePlace::Source { out }));
        let inner =
            OPERATORS.iter().map(|&(name, input, out)| (name, TypePlace::Operator { input, out }));
        let sinks = SINKS.iter().map(|&(name, input)| (name, TypePlace::Sink { input }));
        let joins = JOINS
            .iter()
            .map(|&(name, left, right, out)| (name, TypePlace::Join { left, right, out }));
        let co = CO_OPERATORS.iter().map(|&(name, first, second, out)| {
            (name, TypePlace::CoOperator { first, second, out })
        });
        let all = sources.chain(inner).chain(sinks).chain(joins).chain(co);
        all.filter(|(name, _)| *name == type_name).map(|(_, place)| place).collect()
    }

    fn selector_names(&self) -> Vec<String> {
        SELECTORS.iter().map(|row| row.1.to_owned()).collect()
    }

    fn type_names(&self) -> Vec<String> {
        let operators = OPERATORS.iter().map(|row| row.0);
        let two = JOINS.iter().chain(CO_OPERATORS).map(|row| row.0);
        let ends = SOURCES.iter().chain(SINKS).map(|row| row.0);
        operators.chain(two).chain(ends).map(str::to_owned).collect()
    }

    fn key_extractor_names(&self) -> Vec<String> {
        vec!["identity".to_owned()]
    }
}
