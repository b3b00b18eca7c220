//! Finds the author's code behind the names in a job graph.
//!
//! A registry belongs to one job in one process: the build function fills it while it names its
//! operators, so a job reaches its operators *by type* and no link-time entry can be missing.

pub mod builtin;
mod extractor;
mod factory;
mod graph;
pub mod probe;
mod selector;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clink_plan::key_group::{OutputCountMismatch, make_key_group_partitioner};
use clink_plan::planner::{ChainOp, ChainOpKind};
use clink_plan::validate::TypePlace;

use crate::channel::partition::Partitioner;
use crate::channel::select::Selector;
use crate::data::Data;
use crate::operator::stage::{SPLITS, SourceHead, Stage};
use crate::operator::{
    CoOperator, KeyedCoOperator, KeyedOperator, Operator, OperatorFields, Params, Sink, Source,
};
use crate::state::snapshot::Instance;

pub use extractor::{KeyExtractor, TypedExtractor};
pub use factory::{BuildError, SourceFactory, StageFactory};
pub use graph::RULES;
pub use selector::{ByIndex, NewSelector};

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

/// The place of a factory of operators with two inputs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CoPlace {
    type_name: String,
    first: String,
    second: String,
    output: String,
}

impl CoPlace {
    fn new(type_name: &str, first: &str, second: &str, output: &str) -> Self {
        let [type_name, first, second, output] =
            [type_name, first, second, output].map(str::to_owned);
        Self { type_name, first, second, output }
    }

    /// What stands there, seen from the graph's side.
    fn seen(&self) -> TypePlace<'_> {
        let Self { first, second, output, .. } = self;
        TypePlace::CoOperator { first, second, out: output }
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
    co_operators: BTreeMap<CoPlace, Entry<StageFactory>>,
    /// The types among them that are joins.
    joins: BTreeSet<String>,
    /// By channel type and name; of an operator with two inputs, one for each.
    extractors: BTreeMap<(String, String), Vec<Arc<dyn KeyExtractor>>>,
    /// By channel type and name.
    selectors: BTreeMap<(String, String), NewSelector>,
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

    /// Takes an annotated operator with two inputs in.
    pub fn register_co_operator<O: CoOperator + OperatorFields>(&mut self) {
        let entry = annotated::<O>(factory::annotated_co::<O>());
        self.co_operators.insert(co_place::<O::In1, O::In2, O::Out>(&O::type_name()), entry);
    }

    /// Takes an annotated keyed operator with two inputs in.
    pub fn register_keyed_co_operator<O: KeyedCoOperator + OperatorFields>(&mut self) {
        let entry = annotated::<O>(factory::annotated_keyed_co::<O>());
        self.co_operators.insert(co_place::<O::In1, O::In2, O::Out>(&O::type_name()), entry);
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

    /// Takes the factory of an inline operator with two inputs in; what state it keeps is known to
    /// the caller.
    pub fn add_co_operator<In1: Data, In2: Data, Out: Data>(
        &mut self,
        type_name: &str,
        factory: StageFactory,
    ) {
        let entry = Entry { factory, slots: Vec::new(), path: NO_PATH, builtin: None };
        self.co_operators.insert(co_place::<In1, In2, Out>(type_name), entry);
    }

    /// Takes the factory of a join in.
    pub fn add_join<In1: Data, In2: Data, Out: Data>(
        &mut self,
        type_name: &str,
        factory: StageFactory,
    ) {
        self.add_co_operator::<In1, In2, Out>(type_name, factory);
        self.joins.insert(type_name.to_owned());
    }

    /// Takes the factory of an inline sink in; what state it keeps is known to the caller.
    pub fn add_sink<In: Data>(&mut self, type_name: String, factory: StageFactory) {
        let place = Place::sink(&type_name, &In::type_name());
        self.sinks
            .insert(place, Entry { factory, slots: Vec::new(), path: NO_PATH, builtin: None });
    }

    /// Takes a key extractor in, for records of channel type `T`. A second one of that name and
    /// type is for the second input of an operator whose inputs both carry it.
    pub fn add_extractor<T: Data>(&mut self, name: String, extractor: Arc<dyn KeyExtractor>) {
        self.extractors.entry((T::type_name(), name)).or_default().push(extractor);
    }

    /// Takes a selector in, for records of channel type `T`.
    pub fn add_selector<T: Data>(&mut self, name: String, selector: NewSelector) {
        self.selectors.insert((T::type_name(), name), selector);
    }

    /// What chooses a branch for each record of `channel`; `None` if there is no selector of that
    /// name.
    pub fn selector(&self, channel: &str, name: &str) -> Option<Box<dyn Selector>> {
        Some(self.selectors.get(&(channel.to_owned(), name.to_owned()))?())
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

    /// A new instance of a planned operator or sink, whose inputs carry `channels`.
    ///
    /// # Errors
    /// [`BuildError`] if there is no factory, or a parameter does not fit.
    pub fn stage(
        &self,
        op: &ChainOp,
        channels: &[&str],
        instance: &Instance,
    ) -> Result<NewStage, BuildError> {
        let (entry, swapped) = match (op.kind, channels) {
            (ChainOpKind::Join | ChainOpKind::CoOperator, [first, second]) => {
                let found = self.co_entry(&op.type_name, first, second, &op.out_channel);
                found.ok_or_else(|| self.unknown(op))?
            }
            _ => {
                let entry = self.stage_entry(&op.type_name, &op.in_channel, &op.out_channel);
                (entry.ok_or_else(|| self.unknown(op))?, false)
            }
        };
        Ok(NewStage { stage: (entry.factory)(self, op, instance)?, swapped })
    }

    /// The operator with these two inputs, and whether the graph lists them the other way round.
    fn co_entry(
        &self,
        type_name: &str,
        first: &str,
        second: &str,
        out: &str,
    ) -> Option<(&Entry<StageFactory>, bool)> {
        let place = |first, second| CoPlace::new(type_name, first, second, out);
        let found = self.co_operators.get(&place(first, second)).map(|entry| (entry, false));
        let swapped = || self.co_operators.get(&place(second, first)).map(|entry| (entry, true));
        found.or_else(swapped)
    }

    /// What finds targets by key among the `output_count` outputs that lead to that input of an
    /// operator with `parallelism` subtasks; `None` if records of `channel` have no such extractor.
    ///
    /// # Errors
    /// If the operator has not as many subtasks as there are outputs.
    pub fn partitioner(
        &self,
        channel: &str,
        extractor: &str,
        input: usize,
        parallelism: u32,
        output_count: usize,
    ) -> Option<Result<Box<dyn Partitioner>, OutputCountMismatch>> {
        let partitioner = make_key_group_partitioner(parallelism, output_count);
        let extractor = self.extractor(channel, extractor, input)?;
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
        names.extend(self.co_operators.keys().map(|place| place.type_name.clone()));
        names.sort();
        names.dedup();
        names
    }

    fn extractor(&self, channel: &str, name: &str, input: usize) -> Option<&Arc<dyn KeyExtractor>> {
        let of_inputs = self.extractors.get(&(channel.to_owned(), name.to_owned()))?;
        of_inputs.get(input).or_else(|| of_inputs.first())
    }

    fn unknown(&self, op: &ChainOp) -> BuildError {
        BuildError::Unknown { type_name: op.type_name.clone(), registered: self.runnable_names() }
    }
}

/// A new instance of an operator or sink.
pub struct NewStage {
    /// It.
    pub stage: Box<dyn Stage>,
    /// The first input in the graph is its second one, and the other way round.
    pub swapped: bool,
}

/// A new source instance, or why there is none.
pub type NewSource = Result<Box<dyn SourceHead>, BuildError>;

fn co_place<In1: Data, In2: Data, Out: Data>(type_name: &str) -> CoPlace {
    CoPlace::new(type_name, &In1::type_name(), &In2::type_name(), &Out::type_name())
}

fn annotated<O: OperatorFields>(factory: StageFactory) -> Entry<StageFactory> {
    let slots = O::DESCRIPTOR.slots.iter().map(|slot| slot.name).collect();
    Entry { factory, slots, path: O::path, builtin: None }
}
