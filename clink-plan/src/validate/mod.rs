//! Says everything that is wrong with a job graph, at once.
//!
//! In:     a graph, and what is known about it besides ([`ValidateFacts`]).
//! Out:    every [`Diagnostic`], those of the whole graph first, then by operator and code.
//! Limit:  time grows with operators plus references; suggestions are made for the first few
//!         mistyped names only.
//!
//! [`RULES`] is the table of all rules. Each rule, or family of rules, has a file of its own.

mod channels;
mod classify;
mod cycle;
mod diagnostic;
mod factories;
mod identity;
mod inputs;
mod kept;
mod parallelism;
mod ports;
mod registry_view;
mod report;
mod state;
mod type_place;

use std::collections::BTreeSet;

pub use classify::ChainOpKind;
pub(crate) use classify::classify;
pub use diagnostic::{Diagnostic, Severity};
pub use parallelism::{CHANNEL_COUNT_MAX, SUBTASK_COUNT_MAX};
pub use registry_view::RegistryView;
pub use type_place::TypePlace;

use crate::descriptor::Locations;
use crate::graph::JobGraphSpec;
use report::{Context, Report};

/// What is known about a graph besides the graph.
#[derive(Clone, Default)]
pub struct ValidateFacts<'a> {
    /// Where the author wrote each operator.
    pub locations: Locations,
    /// The ids of the operators that keep state.
    pub stateful: BTreeSet<String>,
    /// Whether the job takes checkpoints.
    pub checkpoints: bool,
    /// The factories the job's binary has; `None` leaves out the rules about them.
    pub registry: Option<&'a dyn RegistryView>,
}

/// A rule that a graph can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its code, which never changes its meaning.
    pub code: &'static str,
    /// What it asks, in one line.
    pub meaning: &'static str,
}

/// Every rule, by code.
pub const RULES: &[Rule] = &[
    rule("P0001", "a graph has at least one operator"),
    rule("P0002", "an operator has an id"),
    rule("P0003", "no two operators share an id"),
    rule("P0004", "an id has no colon, which would end it in an input reference, and is one line"),
    rule("P0005", "an operator has a type"),
    rule("P0006", "an operator names the element type of its output"),
    rule("P0007", "no two operators share a uid: state is filed under it"),
    rule("P0008", "a uid can name a folder"),
    rule("P0009", "parallelism is at least 1"),
    rule("P0010", "a keyed operator has no more subtasks than there are key groups, now or ever"),
    rule("P0011", "rescale bounds are given both or not at all"),
    rule("P0012", "parallelism lies within the rescale bounds"),
    rule("P0013", "the lower rescale bound is not above the upper one"),
    rule("P0014", "the plan stays within its limits of subtasks and channels"),
    rule("P0015", "an input names an operator of the graph"),
    rule("P0016", "no operator reads, through others, its own output"),
    rule("P0017", "an operator reads or is read"),
    rule("P0018", "a side output that is read is declared"),
    rule("P0019", "an operator declares a side output once"),
    rule("P0020", "a side output has a tag and an element type"),
    rule("P0021", "the branches that are read of a split are numbered from 0 without gaps"),
    rule("P0022", "an operator read by branch names its selector"),
    rule("P0023", "a split is read by branch: a plain reference means branch 0 (warning)"),
    rule("P0024", "a source is not keyed: it has no input to partition"),
    rule("P0025", "all inputs of a union carry one element type"),
    rule("P0026", "a join has two inputs, of the types it was registered for"),
    rule("P0027", "the operator's type is registered for its place and its element types"),
    rule("P0028", "the key extractor is registered for every input"),
    rule("P0029", "the selector is registered for the output it splits"),
    rule("P0030", "a stateful operator has a uid (warning; error if the job takes checkpoints)"),
    rule("P0031", "expected state versions can be unpacked"),
    rule("P0032", "every key of the document is known to this release (warning)"),
    rule("P0033", "an operator with a selector is read by branch (warning)"),
    rule("P0034", "a join or co-operator is read (warning)"),
];

/// The families of rules, in the order in which they run: some pass over operators that an earlier
/// one found beyond judging, so that one mistake is said once.
const FAMILIES: &[fn(&Context<'_>, &mut Report<'_>)] = &[
    identity::check,
    parallelism::check,
    inputs::check,
    cycle::check,
    ports::check,
    state::check,
    channels::check,
    factories::check,
    kept::check,
];

const fn rule(code: &'static str, meaning: &'static str) -> Rule {
    Rule { code, meaning }
}

/// Says everything that is wrong with `graph`; nothing is wrong with it if the list is empty.
pub fn validate(graph: &JobGraphSpec, facts: &ValidateFacts<'_>) -> Vec<Diagnostic> {
    let context = Context::new(graph, facts);
    let mut report = Report::new(&context);
    for check in FAMILIES {
        check(&context, &mut report);
    }
    report.into_diagnostics()
}
