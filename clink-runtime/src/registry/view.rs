//! Answers what graph rules and the planner ask of a registry.
//!
//! Types that cannot run yet count as registered: a graph of them is planned and shown like any
//! other, and refused by [`Registry::check`] before it runs.

use clink_plan::planner::RegistryView;
use clink_plan::validate::TypePlace;

use super::{CoPlace, Place, Registry};

impl RegistryView for Registry {
    fn has_source(&self, type_name: &str, out: &str) -> bool {
        self.sources.contains_key(&Place::source(type_name, out))
    }

    fn has_operator(&self, type_name: &str, input: &str, out: &str) -> bool {
        let place = Place::operator(type_name, input, out);
        self.operators.contains_key(&place)
            || self
                .unavailable
                .iter()
                .any(|row| row.stands(type_name, TypePlace::Operator { input, out }))
    }

    fn has_sink(&self, type_name: &str, input: &str) -> bool {
        self.sinks.contains_key(&Place::sink(type_name, input))
            || self.unavailable.iter().any(|row| row.stands(type_name, TypePlace::Sink { input }))
    }

    fn has_join(&self, type_name: &str) -> bool {
        self.joins.contains(type_name) || self.unavailable.iter().any(|row| row.is_join(type_name))
    }

    fn join_takes(&self, type_name: &str, left: &str, right: &str, out: &str) -> bool {
        let place = CoPlace::new(type_name, left, right, out);
        self.joins.contains(type_name) && self.co_operators.contains_key(&place)
            || self
                .unavailable
                .iter()
                .any(|row| row.stands(type_name, TypePlace::Join { left, right, out }))
    }

    fn has_co_operator(&self, type_name: &str, first: &str, second: &str, out: &str) -> bool {
        let place = CoPlace::new(type_name, first, second, out);
        !self.joins.contains(type_name) && self.co_operators.contains_key(&place)
    }

    fn has_key_extractor(&self, channel: &str, name: &str) -> bool {
        self.extractor(channel, name, 0).is_some()
    }

    fn has_selector(&self, channel: &str, name: &str) -> bool {
        self.selectors.contains_key(&(channel.to_owned(), name.to_owned()))
    }

    fn missing_because(&self) -> &str {
        if self.unavailable.is_empty() {
            "what the job never names, or whose crate is not linked, is not registered"
        } else {
            "a graph is made of built-in operators (`clink list` shows them)"
        }
    }

    fn places(&self, type_name: &str) -> Vec<TypePlace<'_>> {
        let keys = (self.sources.keys().chain(self.operators.keys())).chain(self.sinks.keys());
        let own = keys.filter(|place| place.type_name == type_name).map(Place::seen);
        let co = self.co_operators.keys().filter(|place| place.type_name == type_name);
        let own = own.chain(co.map(|place| match (place.seen(), self.joins.contains(type_name)) {
            (TypePlace::CoOperator { first, second, out }, true) => {
                TypePlace::Join { left: first, right: second, out }
            }
            (seen, _) => seen,
        }));
        let others = self.unavailable.iter().filter(|row| row.type_name == type_name);
        own.chain(others.map(|row| row.at)).collect()
    }

    fn selector_names(&self) -> Vec<String> {
        self.selectors.keys().map(|(_, name)| name.clone()).collect()
    }

    fn type_names(&self) -> Vec<String> {
        let mut names = self.runnable_names();
        names.extend(self.unavailable.iter().map(|row| row.type_name.to_owned()));
        names.sort();
        names
    }

    fn key_extractor_names(&self) -> Vec<String> {
        self.extractors.keys().map(|(_, name)| name.clone()).collect()
    }
}
