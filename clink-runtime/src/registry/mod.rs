//! Finds the author's code behind the names in a job graph.
//!
//! A registry belongs to one job in one process: the build function fills it while it names its
//! operators, so a job reaches its operators *by type* and no link-time entry can be missing.

mod extractor;
mod factory;
pub mod probe;

use std::collections::BTreeMap;
use std::sync::Arc;

use clink_plan::key_group::{OutputCountMismatch, make_key_group_partitioner};
use clink_plan::planner::{ChainOp, RegistryView};

use crate::channel::partition::Partitioner;
use crate::data::Data;
use crate::operator::stage::{SourceHead, Stage};
use crate::operator::{KeyedOperator, Operator, OperatorFields, Sink, Source};
use crate::state::snapshot::Instance;

pub use extractor::{KeyExtractor, TypedExtractor};
pub use factory::{BuildError, SourceFactory, StageFactory};

/// A factory's place: its name and the channels it connects (empty where it has none).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    type_name: String,
    input: String,
    output: String,
}

/// The author's code by name.
#[derive(Default)]
pub struct Registry {
    sources: BTreeMap<Place, SourceFactory>,
    operators: BTreeMap<Place, StageFactory>,
    sinks: BTreeMap<Place, StageFactory>,
    extractors: BTreeMap<(String, String), Arc<dyn KeyExtractor>>,
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
        self.add_source::<S::Out>(S::type_name(), factory::annotated_source::<S>());
    }

    /// Takes an annotated operator in.
    pub fn register_operator<O: Operator + OperatorFields>(&mut self) {
        self.add_operator::<O::In, O::Out>(O::type_name(), factory::annotated_operator::<O>());
    }

    /// Takes an annotated keyed operator in.
    pub fn register_keyed_operator<O: KeyedOperator + OperatorFields>(&mut self) {
        self.add_operator::<O::In, O::Out>(O::type_name(), factory::annotated_keyed::<O>());
    }

    /// Takes an annotated sink in.
    pub fn register_sink<S: Sink + OperatorFields>(&mut self) {
        self.add_sink::<S::In>(S::type_name(), factory::annotated_sink::<S>());
    }

    /// Takes a source factory in.
    pub fn add_source<Out: Data>(&mut self, type_name: String, factory: SourceFactory) {
        let place = Place { type_name, input: String::new(), output: Out::type_name() };
        self.sources.insert(place, factory);
    }

    /// Takes an operator factory in.
    pub fn add_operator<In: Data, Out: Data>(&mut self, type_name: String, factory: StageFactory) {
        let place = Place { type_name, input: In::type_name(), output: Out::type_name() };
        self.operators.insert(place, factory);
    }

    /// Takes a sink factory in.
    pub fn add_sink<In: Data>(&mut self, type_name: String, factory: StageFactory) {
        let place = Place { type_name, input: In::type_name(), output: String::new() };
        self.sinks.insert(place, factory);
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
        let place = Place {
            type_name: op.type_name.clone(),
            input: String::new(),
            output: op.out_channel.clone(),
        };
        let factory = self.sources.get(&place).ok_or_else(|| self.unknown(op))?;
        Ok(factory(op.params.clone()))
    }

    /// A new instance of a planned operator or sink.
    ///
    /// # Errors
    /// [`BuildError`] if there is no factory, or a parameter does not fit.
    pub fn stage(&self, op: &ChainOp, instance: &Instance) -> Result<Box<dyn Stage>, BuildError> {
        let mut place = Place {
            type_name: op.type_name.clone(),
            input: op.in_channel.clone(),
            output: op.out_channel.clone(),
        };
        let factory = match self.operators.get(&place) {
            Some(factory) => factory,
            None => {
                place.output.clear();
                self.sinks.get(&place).ok_or_else(|| self.unknown(op))?
            }
        };
        factory(self, op, instance)
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

    fn extractor(&self, channel: &str, name: &str) -> Option<&Arc<dyn KeyExtractor>> {
        self.extractors.get(&(channel.to_owned(), name.to_owned()))
    }

    fn unknown(&self, op: &ChainOp) -> BuildError {
        BuildError::Unknown { type_name: op.type_name.clone(), registered: self.type_names() }
    }
}

/// A new source instance, or why there is none.
pub type NewSource = Result<Box<dyn SourceHead>, BuildError>;

impl RegistryView for Registry {
    fn has_source(&self, type_name: &str, out: &str) -> bool {
        let matches = |place: &Place| place.type_name == type_name && place.output == out;
        self.sources.keys().any(matches)
    }

    fn has_operator(&self, type_name: &str, input: &str, out: &str) -> bool {
        self.operators.contains_key(&Place {
            type_name: type_name.to_owned(),
            input: input.to_owned(),
            output: out.to_owned(),
        })
    }

    fn has_sink(&self, type_name: &str, input: &str) -> bool {
        let matches = |place: &Place| place.type_name == type_name && place.input == input;
        self.sinks.keys().any(matches)
    }

    fn has_key_extractor(&self, channel: &str, name: &str) -> bool {
        self.extractor(channel, name).is_some()
    }

    fn type_names(&self) -> Vec<String> {
        let mut names: Vec<String> = (self.sources.keys().chain(self.operators.keys()))
            .chain(self.sinks.keys())
            .map(|place| place.type_name.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    fn key_extractor_names(&self) -> Vec<String> {
        self.extractors.keys().map(|(_, name)| name.clone()).collect()
    }
}
