//! Collects the operators that a build function names, with the code behind them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use clink_plan::descriptor::{SlotDescriptor, SourceLocation};
use clink_plan::graph::{
    FORCED_SINGLETON, JobGraphSpec, OperatorSpec, StateVersion, pack_versions,
};
use clink_plan::id::OperatorId;
use clink_plan::validate::{Diagnostic, Rule, Severity};
use clink_runtime::data::Data;
use clink_runtime::operator::generate::Generate;
use clink_runtime::operator::{OperatorFields, Source, stage};
use clink_runtime::registry::Registry;

use crate::job::Job;

use super::DataStream;

/// What only the building of a job can find wrong; the rules of the finished graph are
/// [`clink_plan::validate::RULES`].
pub const RULES: &[Rule] = &[
    Rule { code: "P0900", meaning: "an operator's parameters can be written as text" },
    Rule { code: "P0901", meaning: "a name, uid or parallelism is put on an operator" },
    Rule { code: "P0902", meaning: "there is a graph to plan, and the flags fit each other" },
];

/// What a build function fills: the job's operators, in the order in which they are named.
pub struct Pipeline {
    state: RefCell<State>,
}

struct State {
    operators: Vec<Added>,
    registry: Registry,
    /// Inline operators so far, of all kinds.
    inline: u32,
    parallelism: u32,
    /// The parallelism of the command line stands above the job's own default.
    fixed: bool,
    problems: Vec<Diagnostic>,
}

struct Added {
    spec: OperatorSpec,
    location: SourceLocation,
    slots: Vec<SlotDescriptor>,
    /// The parallelism was set on the operator itself.
    set: bool,
    /// The uid is a connector's own.
    default_uid: bool,
}

/// An operator on its way into the graph.
pub(crate) struct NewOperator {
    pub(crate) type_name: String,
    pub(crate) inputs: Vec<String>,
    pub(crate) out_channel: String,
    pub(crate) key_by: String,
    pub(crate) params: BTreeMap<String, String>,
    pub(crate) uid: String,
    pub(crate) default_uid: bool,
    pub(crate) slots: Vec<SlotDescriptor>,
    pub(crate) location: SourceLocation,
}

impl Pipeline {
    pub(crate) fn new(parallelism: Option<u32>) -> Self {
        let mut registry = Registry::new();
        registry.register_inventory();
        Self {
            state: RefCell::new(State {
                operators: Vec::new(),
                registry,
                inline: 0,
                parallelism: parallelism.unwrap_or(1),
                fixed: parallelism.is_some(),
                problems: Vec::new(),
            }),
        }
    }

    /// Reads records from a source.
    #[track_caller]
    pub fn source<S: Source + OperatorFields>(&self, source: S) -> DataStream<'_, S::Out> {
        self.with(|state| state.registry.register_source::<S>());
        let mut operator = NewOperator::annotated(&source, S::Out::type_name());
        operator.slots.push(stage::SPLITS);
        let singleton = source.unsplittable();
        let id = self.add(operator, Some(&source));
        if let Some(reason) = singleton {
            self.with(|state| state.force_singleton(&id, reason));
        }
        DataStream::new(self, id)
    }

    /// Emits these values, in order at parallelism 1.
    #[track_caller]
    pub fn elements<T: Data>(&self, values: Vec<T>) -> DataStream<'_, T> {
        let count = values.len() as u64;
        let at = move |index: u64| {
            let value = usize::try_from(index).ok().and_then(|index| values.get(index));
            value.expect("the source counts to the number of values").clone()
        };
        self.inline_source("elements", count, at)
    }

    /// Emits what a closure makes of each number in `0..count`, in order at parallelism 1.
    #[track_caller]
    pub fn generate<T: Data>(
        &self,
        count: u64,
        make: impl Fn(u64) -> T + Send + Sync + 'static,
    ) -> DataStream<'_, T> {
        self.inline_source("generate", count, make)
    }

    #[track_caller]
    fn inline_source<T: Data>(
        &self,
        kind: &str,
        count: u64,
        make: impl Fn(u64) -> T + Send + Sync + 'static,
    ) -> DataStream<'_, T> {
        let make = Arc::new(make);
        let type_name = self.inline_name(kind);
        let factory = Registry::inline_source(move || Generate::new(count, Arc::clone(&make)));
        self.with(|state| state.registry.add_source::<T>(type_name.clone(), factory));
        let mut operator = NewOperator::inline(type_name, Vec::new(), T::type_name());
        operator.slots.push(stage::SPLITS);
        let id = self.add_inline(operator);
        DataStream::new(self, id)
    }

    /// Sets how many subtasks each operator has that is not set itself. `--parallelism` on the
    /// command line stands above this.
    pub fn set_parallelism(&self, parallelism: u32) -> &Self {
        self.with(|state| {
            if !state.fixed {
                state.parallelism = parallelism;
            }
        });
        self
    }

    /// The name under which the next closure of this kind is registered. Positional: the build
    /// function must name the same closures in the same order each time it runs.
    pub(crate) fn inline_name(&self, kind: &str) -> String {
        self.with(|state| {
            let name = format!("_inline_{kind}_{}", state.inline);
            state.inline += 1;
            name
        })
    }

    pub(crate) fn registry(&self, register: impl FnOnce(&mut Registry)) {
        self.with(|state| register(&mut state.registry));
    }

    pub(crate) fn add_inline(&self, operator: NewOperator) -> String {
        self.with(|state| state.push(operator))
    }

    /// Adds an annotated operator, whose fields become parameters.
    pub(crate) fn add<O: OperatorFields>(
        &self,
        mut operator: NewOperator,
        fields: Option<&O>,
    ) -> String {
        let written = fields.map_or(Ok(()), |fields| fields.to_params(&mut operator.params));
        let location = operator.location;
        self.with(|state| {
            let id = state.push(operator);
            if let Err(error) = written {
                state.problem("P0900", &id, location, error.to_string());
            }
            id
        })
    }

    /// Changes an operator that a handle stands for.
    pub(crate) fn change(&self, id: &str, change: impl FnOnce(&mut OperatorSpec)) {
        self.with(|state| {
            if let Some(added) = state.operators.iter_mut().find(|added| added.spec.id == id) {
                change(&mut added.spec);
            }
        });
    }

    pub(crate) fn set_uid(&self, id: &str, uid: &str, location: SourceLocation) {
        self.with(|state| {
            if uid.is_empty() {
                // In the graph it would be taken for none.
                state.problem("P0008", id, location, "its uid is empty".to_owned());
            }
            if let Some(added) = state.operators.iter_mut().find(|added| added.spec.id == id) {
                uid.clone_into(&mut added.spec.uid);
                added.default_uid = false;
            }
        });
    }

    pub(crate) fn fix_parallelism(&self, id: &str, parallelism: u32) {
        self.with(|state| {
            if let Some(added) = state.operators.iter_mut().find(|added| added.spec.id == id) {
                added.spec.parallelism = parallelism;
                added.set = true;
            }
        });
    }

    pub(crate) fn no_operator(&self, what: &str, location: SourceLocation) {
        let message = format!(
            "`{what}` needs an operator, and a union has none of its own: put it on an operator \
             before or after the union"
        );
        self.with(|state| state.problem("P0901", "", location, message));
    }

    fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        act(&mut self.state.borrow_mut())
    }

    pub(crate) fn into_job(self, name: &str) -> Job {
        let mut state = self.state.into_inner();
        state.withdraw_shared_defaults();
        let parallelism = state.parallelism;
        let mut job = Job {
            name: name.to_owned(),
            graph: JobGraphSpec { name: name.to_owned(), ..JobGraphSpec::default() },
            registry: state.registry,
            locations: BTreeMap::new(),
            slots: BTreeMap::new(),
            problems: state.problems,
        };
        let mut versions = Vec::new();
        for (index, added) in state.operators.into_iter().enumerate() {
            let Added { mut spec, location, slots, set, .. } = added;
            if !set && !spec.params.contains_key(FORCED_SINGLETON) {
                spec.parallelism = parallelism;
            }
            job.locations.insert(spec.id.clone(), location);
            let operator = OperatorId::of(index, &spec.uid, &spec.id);
            versions.extend(slots.iter().map(|slot| StateVersion::of(operator, slot)));
            let names = slots.iter().map(|slot| slot.name.to_owned());
            job.slots.insert(spec.id.clone(), names.collect());
            job.graph.operators.push(spec);
        }
        job.graph.expected_state_versions =
            pack_versions(&versions).expect("the names of slots are identifiers");
        job
    }
}

impl State {
    fn push(&mut self, new: NewOperator) -> String {
        let id = format!("op_{}", self.operators.len());
        let mut spec = OperatorSpec::new(&id, new.type_name, new.out_channel);
        spec.inputs = new.inputs;
        spec.key_by = new.key_by;
        spec.params = new.params;
        spec.uid = new.uid;
        self.operators.push(Added {
            spec,
            location: new.location,
            slots: new.slots,
            set: false,
            default_uid: new.default_uid,
        });
        id
    }

    fn force_singleton(&mut self, id: &str, reason: String) {
        if let Some(added) = self.operators.iter_mut().find(|added| added.spec.id == id) {
            added.spec.params.insert(FORCED_SINGLETON.to_owned(), reason);
        }
    }

    fn problem(&mut self, code: &'static str, id: &str, at: SourceLocation, message: String) {
        self.problems.push(Diagnostic {
            code,
            severity: Severity::Error,
            operator: (!id.is_empty()).then(|| id.to_owned()),
            location: Some(at),
            message,
            help: None,
        });
    }

    /// Two uses of one connector both lose its default uid: which of them kept it would depend on
    /// their order, and a changed order would then hand one the state of the other.
    fn withdraw_shared_defaults(&mut self) {
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        for added in self.operators.iter().filter(|added| !added.spec.uid.is_empty()) {
            *uses.entry(added.spec.uid.clone()).or_default() += 1;
        }
        for added in self.operators.iter_mut().filter(|added| added.default_uid) {
            if uses.get(&added.spec.uid).is_some_and(|count| *count > 1) {
                added.spec.uid.clear();
            }
        }
    }
}

impl NewOperator {
    #[track_caller]
    pub(crate) fn inline(type_name: String, inputs: Vec<String>, out_channel: String) -> Self {
        Self {
            type_name,
            inputs,
            out_channel,
            key_by: String::new(),
            params: BTreeMap::new(),
            uid: String::new(),
            default_uid: false,
            slots: Vec::new(),
            location: SourceLocation::caller(),
        }
    }

    #[track_caller]
    pub(crate) fn annotated<O: OperatorFields>(_operator: &O, out_channel: String) -> Self {
        let mut new = Self::inline(O::type_name(), Vec::new(), out_channel);
        new.uid = O::DESCRIPTOR.uid.to_owned();
        new.default_uid = O::UID_IS_DEFAULT;
        new.slots = O::DESCRIPTOR.slots.to_vec();
        new
    }
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let operators = self.state.borrow().operators.len();
        write!(f, "Pipeline of {operators} operators")
    }
}
