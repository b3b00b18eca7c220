//! Builds the graph of a job operator by operator, with the code behind each.
//!
//! A [`Dag`] is what a build function fills, whichever way: the fluent `clink::stream` calls end
//! here, and so do the `add_…` methods, which speak of single stages and their handles. What comes
//! out is a [`DagJob`]: a job graph, and the registry in which its operators are found. It is
//! planned and run like any other graph; nothing here runs.
//!
//! | shape | methods |
//! |---|---|
//! | one after the other | [`Dag::add_source`], [`Dag::add_operator`], [`Dag::add_sink`] |
//! | partitioned by a key | [`Dag::add_keyed_operator`], [`Dag::add_sharded_keyed`] |
//! | a future for each record | [`Dag::add_map_async`], [`Dag::add_parallel_map_async`] |
//! | two inputs, told apart | [`Dag::add_co_operator`], [`Dag::add_keyed_co_operator`] |
//! | two inputs, paired where near in time | [`Dag::interval_join`] |
//! | each branch gets every record | [`Dag::fork`] |
//! | each record goes to one branch | [`Dag::add_split`] |
//! | several streams of one type as one | [`Dag::union_streams`] |
//! | what is emitted besides the main output | [`Dag::side_output`] |
//! | a stream that every subtask gets | [`Dag::broadcast_connect`], [`Dag::broadcast_process`] |
//! | a loop | [`Dag::iterate_stream`], [`Dag::close_with`] |
//! | the border of two stages of a batch job | [`Dag::add_blocking_exchange`] |
//! | a source in several subtasks | [`Dag::add_parallel_source`] |
//! | an operator in several subtasks | [`Dag::add_parallel_operator`] |
//! | the same, reshuffled by key | [`Dag::add_parallel_operator_shuffled`] |
//! | a join in several subtasks | [`Dag::parallel_interval_join`] |
//! | a sink in several subtasks | [`Dag::add_parallel_sink`] |

mod build;
mod handle;
mod join;
mod map_async;
mod recipes;
mod stages;
mod topology;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use clink_plan::descriptor::{SlotDescriptor, SourceLocation};
use clink_plan::graph::{FORCED_SINGLETON, InputRef, OperatorSpec, Port, SideOutputSpec};
use clink_plan::validate::{Diagnostic, Rule, Severity};

use crate::operator::OperatorFields;
use crate::registry::Registry;
use crate::state::named::NAMED;

pub use build::DagJob;
pub use handle::{IterationHandle, ParallelStageHandle, StageHandle};
pub use recipes::{Broadcast, Iteration, Outputs};
pub use stages::{Extractor, key};

/// What only the building of a job can find wrong; the rules of the finished graph are
/// [`clink_plan::validate::RULES`].
pub const RULES: &[Rule] = &[
    Rule { code: "P0900", meaning: "an operator's parameters can be written as text" },
    Rule { code: "P0901", meaning: "a name, uid, parallelism or tag is put on an operator" },
    Rule { code: "P0902", meaning: "there is a graph to plan, and the flags fit each other" },
    Rule { code: "P0903", meaning: "every branch of a split is read" },
    Rule { code: "P0904", meaning: "a side output has one element type" },
    Rule { code: "P0905", meaning: "a handle is used with the `Dag` that gave it" },
    Rule { code: "P0906", meaning: "stages of one `Dag` fit in their parallelism" },
    Rule { code: "P0907", meaning: "what an iteration feeds back comes from its body" },
    Rule { code: "P0908", meaning: "the options of an asynchronous map are within their bounds" },
    Rule { code: "P0909", meaning: "the interval of a join is not empty" },
];

/// The operators of a job, in the order in which they are named.
pub struct Dag {
    operators: Vec<Added>,
    registry: Registry,
    /// Inline operators so far, of all kinds.
    inline: u32,
    parallelism: u32,
    /// The parallelism of the command line stands above the job's own default.
    fixed: bool,
    splits: Vec<SplitAdded>,
    iterations: Vec<IterationAdded>,
    problems: Vec<Diagnostic>,
    /// Which one it is of those in this process, so that handles are not mixed up.
    number: u64,
}

struct Added {
    spec: OperatorSpec,
    location: SourceLocation,
    slots: Vec<SlotDescriptor>,
    asks_by_name: bool,
    /// The parallelism was set on the operator itself.
    set: bool,
    /// The uid is a connector's own.
    default_uid: bool,
}

struct SplitAdded {
    operator: String,
    branches: Vec<String>,
    location: SourceLocation,
}

struct IterationAdded {
    head: String,
    /// There once it has been closed.
    tail: Option<String>,
    location: SourceLocation,
}

/// An operator on its way into the graph.
pub struct NewOperator {
    /// Its name in the registry.
    pub type_name: String,
    /// What it reads.
    pub inputs: Vec<String>,
    /// What it emits.
    pub out_channel: String,
    /// The key extractor; empty without a key.
    pub key_by: String,
    /// Its parameters.
    pub params: BTreeMap<String, String>,
    /// The stable name of its state; empty for none.
    pub uid: String,
    /// Whether the uid is a connector's own.
    pub default_uid: bool,
    /// Its state.
    pub slots: Vec<SlotDescriptor>,
    /// Whether it may ask for more state by name.
    pub asks_by_name: bool,
    /// Where it was written.
    pub location: SourceLocation,
}

impl Default for Dag {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Dag {
    /// An empty one that knows the annotated operators of this binary. With a `parallelism`, that
    /// is how many subtasks each operator has that is not set itself, whatever the job says.
    pub fn new(parallelism: Option<u32>) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mut registry = Registry::new();
        registry.register_inventory();
        Self {
            operators: Vec::new(),
            registry,
            inline: 0,
            parallelism: parallelism.unwrap_or(1),
            fixed: parallelism.is_some(),
            splits: Vec::new(),
            iterations: Vec::new(),
            problems: Vec::new(),
            number: COUNT.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Sets how many subtasks each operator has that is not set itself, unless that was given when
    /// it was made.
    pub fn set_default_parallelism(&mut self, parallelism: u32) {
        if !self.fixed {
            self.parallelism = parallelism;
        }
    }

    /// Where the code of its operators is found.
    pub fn registry(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// How many operators it has.
    pub fn operator_count(&self) -> usize {
        self.operators.len()
    }

    /// The name under which the next closure of this kind is registered. Positional: the build
    /// function must name the same closures in the same order each time it runs.
    pub fn inline_name(&mut self, kind: &str) -> String {
        let name = format!("_inline_{kind}_{}", self.inline);
        self.inline += 1;
        name
    }

    /// Adds an operator; its id.
    pub fn push(&mut self, new: NewOperator) -> String {
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
            asks_by_name: new.asks_by_name,
            set: false,
            default_uid: new.default_uid,
        });
        id
    }

    /// Adds an annotated operator, whose fields become parameters; its id.
    pub fn push_fields<O: OperatorFields>(&mut self, mut new: NewOperator, fields: &O) -> String {
        let written = fields.to_params(&mut new.params);
        let location = new.location;
        let id = self.push(new);
        if let Err(error) = written {
            self.problem("P0900", &id, location, error.to_string());
        }
        id
    }

    fn added(&mut self, id: &str) -> Option<&mut Added> {
        self.operators.iter_mut().find(|added| added.spec.id == id)
    }

    /// The operator whose main output a stream is, to be given a `what`; a problem if it is none's.
    pub fn operator_of<'s>(
        &mut self,
        inputs: &'s [String],
        what: &str,
        location: SourceLocation,
    ) -> Option<&'s str> {
        let reason = match inputs {
            [input] => match InputRef::parse(input).port {
                Port::Main => return Some(input),
                Port::Branch(_) => "a branch has none of its own: put it on an operator behind it",
                Port::Side(_) => {
                    "a side output has none of its own: put it on the operator that emits to it, \
                     or on one behind it"
                }
            },
            _ => "a union has none of its own: put it on an operator before or after the union",
        };
        self.problem("P0901", "", location, format!("`{what}` needs an operator, and {reason}"));
        None
    }

    /// Gives an operator a label for people.
    pub fn set_name(&mut self, id: &str, name: &str) {
        if let Some(added) = self.added(id) {
            name.clone_into(&mut added.spec.display_name);
        }
    }

    /// Gives an operator the stable name under which its state is filed.
    pub fn set_uid(&mut self, id: &str, uid: &str, location: SourceLocation) {
        if uid.is_empty() {
            // In the graph it would be taken for none.
            self.problem("P0008", id, location, "its uid is empty".to_owned());
        }
        if let Some(added) = self.added(id) {
            uid.clone_into(&mut added.spec.uid);
            added.default_uid = false;
        }
    }

    /// Sets how many subtasks an operator has, whatever the default.
    pub fn set_parallelism(&mut self, id: &str, parallelism: u32) {
        if let Some(added) = self.added(id) {
            added.spec.parallelism = parallelism;
            added.set = true;
        }
    }

    /// Says between which numbers of subtasks an operator may be rescaled.
    pub fn set_rescale_bounds(&mut self, id: &str, least: u32, most: u32) {
        if let Some(added) = self.added(id) {
            (added.spec.min_parallelism, added.spec.max_parallelism) = (least, most);
        }
    }

    /// Keeps an operator at one subtask, and says why.
    pub fn force_singleton(&mut self, id: &str, reason: String) {
        if let Some(added) = self.added(id) {
            added.spec.params.insert(FORCED_SINGLETON.to_owned(), reason);
        }
    }

    /// Declares a side output of an operator; what reads it.
    pub(crate) fn declare_side_output(
        &mut self,
        id: &str,
        tag: &str,
        channel: &str,
        location: SourceLocation,
    ) -> String {
        let known =
            self.added(id).and_then(|added| added.spec.side_channel(tag).map(str::to_owned));
        match known {
            Some(known) if known != channel => {
                let message = format!(
                    "its side output `{tag}` carries `{known}` and is read as `{channel}`: give \
                     each type a tag of its own"
                );
                self.problem("P0904", id, location, message);
            }
            Some(_) => {}
            None => {
                if let Some(added) = self.added(id) {
                    added.spec.side_outputs.push(SideOutputSpec::new(tag, channel));
                }
            }
        }
        format!("{id}::{tag}")
    }

    /// Notes what is wrong with the job.
    pub fn problem(&mut self, code: &'static str, id: &str, at: SourceLocation, message: String) {
        self.problems.push(Diagnostic {
            code,
            severity: Severity::Error,
            operator: (!id.is_empty()).then(|| id.to_owned()),
            location: Some(at),
            message,
            help: None,
        });
    }
}

impl NewOperator {
    /// An operator whose code is a closure.
    pub fn inline(
        type_name: String,
        inputs: Vec<String>,
        out_channel: String,
        location: SourceLocation,
    ) -> Self {
        Self {
            type_name,
            inputs,
            out_channel,
            key_by: String::new(),
            params: BTreeMap::new(),
            uid: String::new(),
            default_uid: false,
            slots: Vec::new(),
            asks_by_name: false,
            location,
        }
    }

    /// An annotated operator.
    pub fn annotated<O: OperatorFields>(
        inputs: Vec<String>,
        out_channel: String,
        location: SourceLocation,
    ) -> Self {
        let mut new = Self::inline(O::type_name(), inputs, out_channel, location);
        new.uid = O::DESCRIPTOR.uid.to_owned();
        new.default_uid = O::UID_IS_DEFAULT;
        new.slots = O::DESCRIPTOR.slots.to_vec();
        new
    }

    /// The same with a key, and with state that is asked for by name.
    fn keyed(mut self, key_by: String, by_name: &[&'static str]) -> Self {
        self.key_by = key_by;
        self.asks_by_name = true;
        let slot = |name: &&'static str| SlotDescriptor { name, ..NAMED };
        self.slots.extend(by_name.iter().map(slot));
        self
    }
}

impl std::fmt::Debug for Dag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dag of {} operators", self.operators.len())
    }
}
