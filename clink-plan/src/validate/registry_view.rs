//! What graph rules and the planner may ask of a registry.

use super::TypePlace;
use crate::descriptor::ConnectorDescriptor;

/// The factories a job's binary has, seen from the graph's side.
///
/// A method answers for exactly the names given: the type of an operator and the element types
/// of its channels. The answers may not change while a graph is validated or planned.
pub trait RegistryView {
    /// Whether there is a source of this type that emits `out`.
    fn has_source(&self, type_name: &str, out: &str) -> bool;

    /// Whether there is an operator of this type from `input` to `out`.
    fn has_operator(&self, type_name: &str, input: &str, out: &str) -> bool;

    /// Whether there is a sink of this type that reads `input`.
    fn has_sink(&self, type_name: &str, input: &str) -> bool;

    /// Whether the type is a join, whatever its channels.
    fn has_join(&self, _type_name: &str) -> bool {
        false
    }

    /// Whether the join of this type takes these channels; asked only of joins.
    fn join_takes(&self, _type_name: &str, _left: &str, _right: &str, _out: &str) -> bool {
        true
    }

    /// Whether there is a co-operator of this type with these inputs, in this order. The graph may
    /// list them in the other: it is asked both ways round.
    fn has_co_operator(&self, _type_name: &str, _first: &str, _second: &str, _out: &str) -> bool {
        false
    }

    /// Whether there is a key extractor of this name for elements of `channel`.
    fn has_key_extractor(&self, channel: &str, name: &str) -> bool;

    /// Whether there is a selector of this name for elements of `channel`.
    fn has_selector(&self, _channel: &str, _name: &str) -> bool {
        false
    }

    /// What the connectors behind the registered types promise.
    fn connectors(&self) -> Vec<ConnectorDescriptor> {
        Vec::new()
    }

    /// Why a type, extractor or selector that exists somewhere may be missing here, and what to do.
    fn missing_because(&self) -> &str {
        "what the job never names, or whose crate is not linked, is not registered"
    }

    /// Where operators of this type may stand, for messages; nowhere if there is no such type.
    fn places(&self, _type_name: &str) -> Vec<TypePlace<'_>> {
        Vec::new()
    }

    /// The names of all registered selectors, for suggestions.
    fn selector_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// The names of all registered operator types, for suggestions.
    fn type_names(&self) -> Vec<String>;

    /// The names of all registered key extractors, for suggestions.
    fn key_extractor_names(&self) -> Vec<String>;
}
