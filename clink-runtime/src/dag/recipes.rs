//! Puts together what several calls build in the same way: registers the code of an operator and
//! adds it to the graph.
//!
//! The fluent streams and the `add_…` methods of a [`Dag`] both end here. Streams are named by
//! what reads them: references to outputs, several after a union.

use std::sync::Arc;

use clink_plan::descriptor::{SlotDescriptor, SourceLocation};
use clink_plan::graph::{BLOCKING_EXCHANGE, BROADCAST_INPUT, FEEDBACK_TO, SELECTOR_FN};

use crate::data::Data;
use crate::error::Result;
use crate::operator::async_map::{AsyncMapStage, AsyncOptions};
use crate::operator::broadcast::{BroadcastFn, BroadcastOperator, SLOT};
use crate::operator::exchange::{ExchangeOptions, ExchangeStage};
use crate::operator::iterate::{IterateHead, IterateTail, IterationConfig};
use crate::operator::pass::PassStage;
use crate::operator::stage::{CoStage, Stage};
use crate::operator::{
    CoOperator, KeyedCoOperator, KeyedOperator, Operator, OperatorFields, OutputTag, Sink, Source,
    stage,
};
use crate::registry::{ByIndex, KeyExtractor, Registry, StageFactory};
use crate::state::named::assert_names;

use super::{Dag, IterationAdded, NewOperator, SplitAdded};

/// What a stream is: the outputs that are read, several after a union.
pub type Outputs = Vec<String>;

/// An iteration whose tail has not been added yet.
#[derive(Debug)]
pub struct Iteration {
    number: u32,
    config: IterationConfig,
    pub(super) head: String,
}

impl Iteration {
    /// The id of its head.
    pub fn head(&self) -> &str {
        &self.head
    }
}

/// What a broadcast operator does with each of its inputs.
pub struct Broadcast<S, M, C> {
    /// The state of a fresh start.
    pub state: S,
    /// Called for each record of the main stream; may read the state.
    pub main: M,
    /// Called for each record of the control stream; may change the state.
    pub control: C,
}

impl Dag {
    /// Adds an annotated source; its id.
    pub fn source<S: Source + OperatorFields>(
        &mut self,
        source: &S,
        location: SourceLocation,
    ) -> String {
        self.registry().register_source::<S>();
        let mut new = NewOperator::annotated::<S>(Vec::new(), S::Out::type_name(), location);
        new.slots.push(stage::SPLITS);
        let id = self.push_fields(new, source);
        if let Some(reason) = source.unsplittable() {
            self.force_singleton(&id, reason);
        }
        id
    }

    /// Adds a source that is made by a closure, an instance for each subtask; its id.
    pub fn inline_source<S: Source>(
        &mut self,
        kind: &str,
        make: impl Fn() -> S + Send + Sync + 'static,
        location: SourceLocation,
    ) -> String {
        let name = self.inline_name(kind);
        let factory = Registry::inline_source(make);
        self.registry().add_source::<S::Out>(name.clone(), factory);
        let mut new = NewOperator::inline(name, Vec::new(), S::Out::type_name(), location);
        new.slots.push(stage::SPLITS);
        self.push(new)
    }

    /// Adds an annotated operator; its id.
    pub fn operator<O: Operator + OperatorFields>(
        &mut self,
        inputs: Outputs,
        operator: &O,
        location: SourceLocation,
    ) -> String {
        self.registry().register_operator::<O>();
        self.push_fields(
            NewOperator::annotated::<O>(inputs, O::Out::type_name(), location),
            operator,
        )
    }

    /// Adds an annotated keyed operator; its id.
    pub fn keyed_operator<O: KeyedOperator + OperatorFields>(
        &mut self,
        (inputs, key_by): (Outputs, String),
        operator: &O,
        location: SourceLocation,
    ) -> String {
        const { assert_names(O::STATE_BY_NAME) };
        self.registry().register_keyed_operator::<O>();
        let new = NewOperator::annotated::<O>(inputs, O::Out::type_name(), location);
        self.push_fields(new.keyed(key_by, O::STATE_BY_NAME), operator)
    }

    /// Adds an annotated operator with two inputs; its id.
    pub fn co_operator<O: CoOperator + OperatorFields>(
        &mut self,
        first: Outputs,
        second: Outputs,
        operator: &O,
        location: SourceLocation,
    ) -> String {
        self.registry().register_co_operator::<O>();
        let inputs = self.two_inputs::<O::In1, O::In2>(first, second, location);
        self.push_fields(
            NewOperator::annotated::<O>(inputs, O::Out::type_name(), location),
            operator,
        )
    }

    /// Adds an annotated keyed operator with two inputs; its id. Each input comes with what finds
    /// its keys.
    pub fn keyed_co_operator<O: KeyedCoOperator + OperatorFields>(
        &mut self,
        (first, first_key): (Outputs, Arc<dyn KeyExtractor>),
        (second, second_key): (Outputs, Arc<dyn KeyExtractor>),
        operator: &O,
        location: SourceLocation,
    ) -> String {
        const { assert_names(O::STATE_BY_NAME) };
        self.registry().register_keyed_co_operator::<O>();
        let key_by = self.two_keys::<O::In1, O::In2>(first_key, second_key);
        let inputs = self.two_inputs::<O::In1, O::In2>(first, second, location);
        let new = NewOperator::annotated::<O>(inputs, O::Out::type_name(), location);
        self.push_fields(new.keyed(key_by, O::STATE_BY_NAME), operator)
    }

    /// Adds an annotated sink; its id.
    pub fn sink<S: Sink + OperatorFields>(
        &mut self,
        inputs: Outputs,
        sink: &S,
        location: SourceLocation,
    ) -> String {
        self.registry().register_sink::<S>();
        self.push_fields(NewOperator::annotated::<S>(inputs, S::In::type_name(), location), sink)
    }

    /// Adds an operator that is made by a closure, an instance for each subtask; its id.
    pub fn inline_stage<In: Data, Out: Data>(
        &mut self,
        kind: &str,
        inputs: Outputs,
        make: impl Fn() -> Box<dyn Stage> + Send + Sync + 'static,
        location: SourceLocation,
    ) -> String {
        let name = self.inline_name(kind);
        let factory = Registry::inline_stage(make);
        self.registry().add_operator::<In, Out>(name.clone(), factory);
        self.push(NewOperator::inline(name, inputs, Out::type_name(), location))
    }

    /// Adds a map whose closure gives a future for each record; its id.
    pub fn map_async<In, Out, F, Fut>(
        &mut self,
        inputs: Outputs,
        options: AsyncOptions,
        apply: F,
        location: SourceLocation,
    ) -> String
    where
        In: Data,
        Out: Data,
        F: Fn(In) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Out>> + Send + 'static,
    {
        let apply = Arc::new(apply);
        let make =
            move || -> Box<dyn Stage> { Box::new(AsyncMapStage::new(options, Arc::clone(&apply))) };
        let id = self.inline_stage::<In, Out>("map_async", inputs, make, location);
        if let Some(problem) = options.problem() {
            self.problem("P0908", &id, location, problem);
        }
        id
    }

    /// Adds a sink that is made by a closure, an instance for each subtask; its id.
    pub fn inline_sink<In: Data>(
        &mut self,
        kind: &str,
        inputs: Outputs,
        make: impl Fn() -> Box<dyn Stage> + Send + Sync + 'static,
        location: SourceLocation,
    ) -> String {
        let name = self.inline_name(kind);
        let factory = Registry::inline_stage(make);
        self.registry().add_sink::<In>(name.clone(), factory);
        self.push(NewOperator::inline(name, inputs, In::type_name(), location))
    }

    /// Adds a keyed operator of the engine's own; its id.
    pub fn inline_keyed<In: Data, Out: Data>(
        &mut self,
        kind: &str,
        (inputs, key_by): (Outputs, String),
        factory: StageFactory,
        slots: Vec<SlotDescriptor>,
        location: SourceLocation,
    ) -> String {
        let name = self.inline_name(kind);
        self.registry().add_operator::<In, Out>(name.clone(), factory);
        let new = NewOperator::inline(name, inputs, Out::type_name(), location);
        self.push(NewOperator { key_by, slots, ..new })
    }

    /// Registers what finds the keys of records `T`; its name.
    pub fn key<T: Data>(&mut self, extractor: Arc<dyn KeyExtractor>) -> String {
        let name = self.inline_name("key");
        self.registry().add_extractor::<T>(name.clone(), extractor);
        name
    }

    /// Registers what finds the keys of two inputs, under one name.
    pub fn two_keys<In1: Data, In2: Data>(
        &mut self,
        first: Arc<dyn KeyExtractor>,
        second: Arc<dyn KeyExtractor>,
    ) -> String {
        let name = self.inline_name("keys");
        self.registry().add_extractor::<In1>(name.clone(), first);
        self.registry().add_extractor::<In2>(name.clone(), second);
        name
    }

    /// The references of an operator with two inputs: a union is made one stream first.
    pub fn two_inputs<In1: Data, In2: Data>(
        &mut self,
        first: Outputs,
        second: Outputs,
        location: SourceLocation,
    ) -> Outputs {
        let first = self.one_input::<In1>(first, location);
        let second = self.one_input::<In2>(second, location);
        vec![first, second]
    }

    /// One reference for a stream: an operator with two inputs counts references.
    fn one_input<T: Data>(&mut self, mut outputs: Outputs, location: SourceLocation) -> String {
        match outputs.pop() {
            Some(only) if outputs.is_empty() => only,
            last => {
                outputs.extend(last);
                self.inline_stage::<T, T>(
                    "union",
                    outputs,
                    || Box::new(PassStage::<T>::default()),
                    location,
                )
            }
        }
    }

    /// Splits a stream; what reads each branch, in the order of `branches`.
    pub fn split<T: Data>(
        &mut self,
        inputs: Outputs,
        branches: Vec<String>,
        select: impl Fn(&T) -> u32 + Send + Sync + 'static,
        location: SourceLocation,
    ) -> Vec<String> {
        let selector = self.inline_name("selector");
        let factory = ByIndex::factory(&selector, branches.clone(), select);
        self.registry().add_selector::<T>(selector.clone(), factory);
        let name = self.inline_name("split");
        let pass = Registry::inline_stage(|| Box::new(PassStage::<T>::default()));
        self.registry().add_operator::<T, T>(name.clone(), pass);
        let mut new = NewOperator::inline(name, inputs, T::type_name(), location);
        new.params.insert(SELECTOR_FN.to_owned(), selector);
        let operator = self.push(new);
        let read = (0..branches.len()).map(|branch| format!("{operator}.{branch}")).collect();
        self.splits.push(SplitAdded { operator, branches, location });
        read
    }

    /// Declares a side output of the operator whose main output a stream is; what reads it. `None`
    /// if the stream is no operator's main output, which is noted as a problem.
    pub fn side<T: Data>(
        &mut self,
        of: &[String],
        tag: &OutputTag<T>,
        location: SourceLocation,
    ) -> Option<String> {
        let id = self.operator_of(of, "side_output", location)?.to_owned();
        Some(self.declare_side_output(&id, tag.name(), &T::type_name(), location))
    }

    /// Adds an operator that holds back a stream until it has ended; its id.
    pub fn exchange<T: Data>(
        &mut self,
        inputs: Outputs,
        options: ExchangeOptions,
        location: SourceLocation,
    ) -> String {
        let make = move || -> Box<dyn Stage> { Box::new(ExchangeStage::<T>::new(&options)) };
        let id = self.inline_stage::<T, T>("exchange", inputs, make, location);
        if let Some(added) = self.added(&id) {
            added.spec.params.insert(BLOCKING_EXCHANGE.to_owned(), "true".to_owned());
        }
        id
    }

    /// Adds the head of an iteration.
    pub fn iterate_head<T: Data>(
        &mut self,
        inputs: Outputs,
        config: IterationConfig,
        location: SourceLocation,
    ) -> Iteration {
        let number = u32::try_from(self.iterations.len()).unwrap_or(u32::MAX);
        let of_head = config.clone();
        let head = self.inline_stage::<T, T>(
            "iterate",
            inputs,
            move || Box::new(IterateHead::<T>::new(number, of_head.clone())),
            location,
        );
        if let Some(added) = self.added(&head) {
            added.slots.push(IterateHead::<T>::SLOT);
            added.spec.uid.clone_from(&config.uid);
        }
        self.iterations.push(IterationAdded { head: head.clone(), tail: None, location });
        Iteration { number, config, head }
    }

    /// Adds the tail of an iteration: what it reads goes back to the head.
    pub fn iterate_tail<T: Data>(
        &mut self,
        iteration: Iteration,
        feedback: Outputs,
        location: SourceLocation,
    ) {
        let Iteration { number, config, head } = iteration;
        let uid =
            if config.uid.is_empty() { None } else { Some(format!("{}-feedback", config.uid)) };
        let tail = self.inline_sink::<T>(
            "feedback",
            feedback,
            move || Box::new(IterateTail::<T>::new(number, config.clone())),
            location,
        );
        if let Some(added) = self.added(&tail) {
            added.slots.push(IterateTail::<T>::SLOT);
            added.spec.params.insert(FEEDBACK_TO.to_owned(), head);
            added.spec.uid = uid.unwrap_or_default();
        }
        if let Some(iteration) = self.iterations.get_mut(number as usize) {
            iteration.tail = Some(tail);
        }
    }

    /// Adds an operator with a main and a control stream, of which each subtask gets every record;
    /// its id.
    pub fn broadcast<S, In, Control, Out, M, C>(
        &mut self,
        main: Outputs,
        control: Outputs,
        broadcast: Broadcast<S, M, C>,
        location: SourceLocation,
    ) -> String
    where
        S: Data,
        In: Data,
        Control: Data,
        Out: Data,
        M: BroadcastFn<S, In, Out>,
        C: crate::operator::broadcast::ControlFn<S, Control, Out>,
    {
        let Broadcast { state, main: on_main, control: on_control } = broadcast;
        let (on_main, on_control) = (Arc::new(on_main), Arc::new(on_control));
        let factory = Registry::inline_stage(move || {
            let (main, control) = (Arc::clone(&on_main), Arc::clone(&on_control));
            let operator = BroadcastOperator::new(state.clone(), main, control);
            Box::new(CoStage::with_fields(operator, Some(BroadcastOperator::visit_state)))
        });
        let name = self.inline_name("broadcast");
        self.registry().add_co_operator::<In, Control, Out>(&name, factory);
        let inputs = self.two_inputs::<In, Control>(main, control, location);
        let mut new = NewOperator::inline(name, inputs, Out::type_name(), location);
        new.params.insert(BROADCAST_INPUT.to_owned(), "1".to_owned());
        new.slots.push(SLOT);
        self.push(new)
    }
}
