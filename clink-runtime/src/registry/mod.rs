//! Finds the author's code behind the names in a job graph.
//!
//! A registry belongs to one job in one process: the build function fills it while it names its
//! operators, so a job reaches its operators *by type* and no link-time entry can be missing.

pub mod builtin;
mod extractor;
mod factory;
mod graph;
pub mod probe;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use clink_plan::key_group::{OutputCountMismatch, make_key_group_partitioner};
use clink_plan::planner::ChainOp;
use clink_plan::validate::TypePlace;

use crate::channel::partition::Partitioner;
use crate::data::Data;
use crate::operator::stage::{SPLITS, SourceHead, Stage};
use crate::operator::{KeyedOperator, Operator, OperatorFields, Params, Sink, Source};
use crate::state::snapshot::Instance;

pub use extractor::{KeyExtractor, TypedExtractor};
pub use factory::{BuildError, SourceFactory, StageFactory};
pub use graph::RULES;

use builtin::{Provided, Unavailable};

/// A factory's place: its name and the channels it connects (empty where it has none).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    type_name: String,
    input: String,
    output: String,
}

impl Place {
    fn source(type_name: &str, output: &str) -> Self {
        Self::operator(type_name, "", output)
    }

    fn operator(type_name: &str, input: &str, output: &str) -> Self {
        let [type_name, input, output] = [type_name, input, output].map(str::to_owned);
        Self { type_name, input, output }
    }

    fn sink(type_name: &str, input: &str) -> Self {
        Self::operator(type_name, input, "")
    }

    /// What stands there, seen from the graph's side.
    fn seen(&self) -> TypePlace<'_> {
        match (self.input.as_str(), self.output.as_str()) {
            ("", out) => TypePlace::Source { out },
            (input, "") => TypePlace::Sink { input },
            (input, out) => TypePlace::Operator { input, out },
        }
    }
}

/// A factory and what is known of its operators.
struct Entry<F> {
    factory: F,
    /// The names of their state slots.
    slots: Vec<&'static str>,
    /// The path in their parameters.
    path: PathOf,
    /// What reads their parameters, for an operator type that the engine brings along.
    builtin: Option<Provided>,
}

/// Where an operator with such parameters reads or writes.
type PathOf = fn(&Params) -> Option<String>;

/// No file that is known of.
const NO_PATH: PathOf = |_| None;

/// The author's code by name.
#[derive(Default)]
pub struct Registry {
    sources: BTreeMap<Place, Entry<SourceFactory>>,
    operators: BTreeMap<Place, Entry<StageFactory>>,
    sinks: BTreeMap<Place, Entry<StageFactory>>,
    extractors: BTreeMap<(String, String), Arc<dyn KeyExtractor>>,
    /// Types that a graph may name and that cannot run: it can be planned, not started.
    unavailable: &'static [Unavailable],
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes every annotated operator of this binary in, so that a graph may name one that the job
    /// itself does not.
    pub fn register_inventory(&mut self) {
        for entry in probe::operators() {
            (entry.register)(self);
        }
    }

    /// Takes an annotated source in.
    pub fn register_source<S: Source + OperatorFields>(&mut self) {
        let place = Place::source(&S::type_name(), &S::Out::type_name());
        let own = S::DESCRIPTOR.slots.iter().map(|slot| slot.name);
        let slots = own.chain([SPLITS.name]).collect();
        let factory = factory::annotated_source::<S>();
        let path = S::path;
        self.sources.insert(place, Entry { factory, slots, path, builtin: None });
    }

    /// Takes an annotated operator in.
    pub fn register_operator<O: Operator + OperatorFields>(&mut self) {
        let place = Place::operator(&O::type_name(), &O::In::type_name(), &O::Out::type_name());
        self.operators.insert(place, annotated::<O>(factory::annotated_operator::<O>()));
    }

    /// Takes an annotated keyed operator in.
    pub fn register_keyed_operator<O: KeyedOperator + OperatorFields>(&mut self) {
        let place = Place::operator(&O::type_name(), &O::In::type_name(), &O::Out::type_name());
        self.operators.insert(place, annotated::<O>(factory::annotated_keyed::<O>()));
    }

    /// Takes an annotated sink in.
    pub fn register_sink<S: Sink + OperatorFields>(&mut self) {
        let place = Place::sink(&S::type_name(), &S::In::type_name());
        self.sinks.insert(place, annotated::<S>(factory::annotated_sink::<S>()));
    }

    /// Takes the factory of an inline source in.
    pub fn add_source<Out: Data>(&mut self, type_name: String, factory: SourceFactory) {
        let place = Place::source(&type_name, &Out::type_name());
        self.sources.insert(
            place,
            Entry { factory, slots: vec![SPLITS.name], path: NO_PATH, builtin: None },
        );
    }

    /// Takes the factory of an inline operator in; what state it keeps is known to the caller.
    pub fn add_operator<In: Data, Out: Data>(&mut self, type_name: String, factory: StageFactory) {
        let place = Place::operator(&type_name, &In::type_name(), &Out::type_name());
        self.operators
            .insert(place, Entry { factory, slots: Vec::new(), path: NO_PATH, builtin: None });
    }

    /// Takes the factory of an inline sink in; what state it keeps is known to the caller.
    pub fn add_sink<In: Data>(&mut self, type_name: String, factory: StageFactory) {
        let place = Place::sink(&type_name, &In::type_name());
        self.sinks
            .insert(place, Entry { factory, slots: Vec::new(), path: NO_PATH, builtin: None });
    }

    /// Takes a key extractor in, for records of channel type `T`.
    pub fn add_extractor<T: Data>(&mut self, name: String, extractor: impl KeyExtractor) {
        self.extractors.insert((T::type_name(), name), Arc::new(extractor));
    }

    /// The factory of a planned source.
    ///
    /// # Errors
    /// [`BuildError::Unknown`] if there is none.
    pub fn source(&self, op: &ChainOp) -> Result<Box<dyn Fn() -> NewSource + Send>, BuildError> {
        let place = Place::source(&op.type_name, &op.out_channel);
        let entry = self.sources.get(&place).ok_or_else(|| self.unknown(op))?;
        Ok((entry.factory)(op.params.clone()))
    }

    /// A new instance of a planned operator or sink.
    ///
    /// # Errors
    /// [`BuildError`] if there is no factory, or a parameter does not fit.
    pub fn stage(&self, op: &ChainOp, instance: &Instance) -> Result<Box<dyn Stage>, BuildError> {
        let entry = self.stage_entry(&op.type_name, &op.in_channel, &op.out_channel);
        (entry.ok_or_else(|| self.unknown(op))?.factory)(self, op, instance)
    }

    /// What finds targets by key among the `output_count` outputs that lead to an operator with
    /// `parallelism` subtasks; `None` if records of `channel` have no such extractor.
    ///
    /// # Errors
    /// If the operator has not as many subtasks as there are outputs.
    pub fn partitioner(
        &self,
        channel: &str,
        extractor: &str,
        parallelism: u32,
        output_count: usize,
    ) -> Option<Result<Box<dyn Partitioner>, OutputCountMismatch>> {
        let partitioner = make_key_group_partitioner(parallelism, output_count);
        let extractor = self.extractor(channel, extractor)?;
        Some(partitioner.map(|partitioner| extractor.partitioner(partitioner)))
    }

    /// The operator of this place, else the sink: only an operator has an output, and the one of a
    /// sink in a graph says nothing.
    fn stage_entry(&self, type_name: &str, input: &str, out: &str) -> Option<&Entry<StageFactory>> {
        let operator = self.operators.get(&Place::operator(type_name, input, out));
        operator.or_else(|| self.sinks.get(&Place::sink(type_name, input)))
    }

    /// The names of all types that can run.
    fn runnable_names(&self) -> Vec<String> {
        let places = self.sources.keys().chain(self.operators.keys()).chain(self.sinks.keys());
        let mut names: Vec<String> = places.map(|place| place.type_name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    fn extractor(&self, channel: &str, name: &str) -> Option<&Arc<dyn KeyExtractor>> {
        self.extractors.get(&(channel.to_owned(), name.to_owned()))
    }

    fn unknown(&self, op: &ChainOp) -> BuildError {
        BuildError::Unknown { type_name: op.type_name.clone(), registered: self.runnable_names() }
    }
}

/// A new source instance, or why there is none.
pub type NewSource = Result<Box<dyn SourceHead>, BuildError>;

fn annotated<O: OperatorFields>(factory: StageFactory) -> Entry<StageFactory> {
    let slots = O::DESCRIPTOR.slots.iter().map(|slot| slot.name).collect();
    Entry { factory, slots, path: O::path, builtin: None }
}
