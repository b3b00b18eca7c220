//! What rules look at, and where they put what they find.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::{ChainOpKind, Diagnostic, RULES, Severity, ValidateFacts, classify};
use crate::graph::{Input, InputRef, JobGraphSpec, OpIndex, OperatorSpec, PerOp, Port, Topology};
use crate::nearest::did_you_mean;

/// How many mistyped names get a suggestion: each costs a look at every valid name.
const SUGGESTION_COUNT_MAX: u32 = 16;

/// How many valid names a message lists.
const NAME_COUNT_MAX: usize = 12;

/// The errors that hide what an operator is: its type, its element types, or who reads it.
const HIDING: &[&str] = &["P0002", "P0003", "P0004", "P0005", "P0006", "P0025"];

/// What rules look at.
pub(super) struct Context<'c> {
    pub(super) graph: &'c JobGraphSpec,
    pub(super) facts: &'c ValidateFacts<'c>,
    pub(super) topology: Topology<'c>,
    suggestions_left: Cell<u32>,
}

impl<'c> Context<'c> {
    pub(super) fn new(graph: &'c JobGraphSpec, facts: &'c ValidateFacts<'c>) -> Context<'c> {
        Context {
            graph,
            facts,
            topology: Topology::of(graph),
            suggestions_left: Cell::new(SUGGESTION_COUNT_MAX),
        }
    }

    /// The operators and what their author wrote about them.
    pub(super) fn specs(&self) -> impl Iterator<Item = (OpIndex, &'c OperatorSpec)> {
        self.topology.ops().map(|op| (op, self.topology.spec(op)))
    }

    /// What `op` is to the graph.
    pub(super) fn kind(&self, op: OpIndex) -> ChainOpKind {
        classify(&self.topology, op, self.facts.registry)
    }

    /// Each input of `op` and the element type that arrives there; `None` if one reads nothing
    /// that is declared, or something without a type.
    pub(super) fn channels(&self, op: OpIndex) -> Option<Vec<(&Input<'c>, &'c str)>> {
        let inputs = self.topology.inputs(op).iter();
        inputs
            .map(|input| {
                let channel = self.topology.channel(input).filter(|channel| !channel.is_empty());
                Some((input, channel?))
            })
            .collect()
    }

    /// The operators a reference to which is read as one to a branch of another, by that other.
    pub(super) fn shadowed(&self) -> BTreeMap<&'c str, Vec<&'c str>> {
        let ids: BTreeSet<&str> = self.specs().map(|(_, spec)| spec.id.as_str()).collect();
        let mut shadowed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for &id in &ids {
            let InputRef { operator, port } = InputRef::parse(id);
            if matches!(port, Port::Branch(_)) && ids.contains(operator) {
                shadowed.entry(operator).or_default().push(id);
            }
        }
        shadowed
    }

    /// The id of an operator and its place in the author's source, if known.
    pub(super) fn name(&self, op: OpIndex) -> String {
        let id = &self.topology.spec(op).id;
        match self.facts.locations.get(id) {
            Some(location) => format!("`{id}` ({location})"),
            None => format!("`{id}`"),
        }
    }

    /// A help line with the valid name that `name` probably meant.
    pub(super) fn did_you_mean<'a>(
        &self,
        name: &str,
        valid: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        let left = self.suggestions_left.get().checked_sub(1)?;
        self.suggestions_left.set(left);
        did_you_mean(name, valid)
    }
}

/// Valid names for a message, as many as a reader wants to see.
pub(super) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAME_COUNT_MAX);
    let mut listed: Vec<String> = names.take(NAME_COUNT_MAX).map(|it| format!("`{it}`")).collect();
    if more > 0 {
        listed.push(format!("{more} more"));
    }
    if listed.is_empty() { "nothing".to_owned() } else { listed.join(", ") }
}

/// What rules have found so far.
pub(super) struct Report<'c> {
    context: &'c Context<'c>,
    found: Vec<(Option<OpIndex>, Diagnostic)>,
    hidden: PerOp<bool>,
    codes: BTreeSet<&'static str>,
}

impl<'c> Report<'c> {
    pub(super) fn new(context: &'c Context<'c>) -> Report<'c> {
        let hidden = PerOp::filled(context.topology.len(), false);
        Report { context, found: Vec::new(), hidden, codes: BTreeSet::new() }
    }

    /// Notes an error of `op`.
    pub(super) fn error(&mut self, code: &'static str, op: OpIndex, message: String) -> Entry<'_> {
        self.hidden[op] |= HIDING.contains(&code);
        self.add(code, Severity::Error, Some(op), message)
    }

    /// Notes something about `op` that its author should know.
    pub(super) fn warning(
        &mut self,
        code: &'static str,
        op: OpIndex,
        message: String,
    ) -> Entry<'_> {
        self.add(code, Severity::Warning, Some(op), message)
    }

    /// Notes an error of the graph as a whole.
    pub(super) fn graph_error(&mut self, code: &'static str, message: String) -> Entry<'_> {
        self.add(code, Severity::Error, None, message)
    }

    /// Notes something about the graph as a whole that its author should know.
    pub(super) fn graph_warning(&mut self, code: &'static str, message: String) -> Entry<'_> {
        self.add(code, Severity::Warning, None, message)
    }

    /// Whether an error was noted that hides what `op` is, so that more about it would mislead.
    pub(super) fn hides(&self, op: OpIndex) -> bool {
        self.hidden[op]
    }

    /// Whether anything was noted under `code`.
    pub(super) fn has_code(&self, code: &str) -> bool {
        self.codes.contains(code)
    }

    /// Whether the last thing that was noted is about `op`, under `code`.
    pub(super) fn just_said(&self, op: OpIndex, code: &str) -> bool {
        self.found.last().is_some_and(|(at, found)| *at == Some(op) && found.code == code)
    }

    /// Everything that was noted, in the order a reader wants it.
    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|(op, diagnostic)| (*op, diagnostic.code));
        self.found.into_iter().map(|(_, diagnostic)| diagnostic).collect()
    }

    fn add(
        &mut self,
        code: &'static str,
        severity: Severity,
        op: Option<OpIndex>,
        message: String,
    ) -> Entry<'_> {
        debug_assert!(RULES.iter().any(|rule| rule.code == code), "{code} is not in the table");
        self.codes.insert(code);
        let operator = op.map(|op| self.context.topology.spec(op).id.clone());
        let locations = &self.context.facts.locations;
        let location = operator.as_ref().and_then(|id| locations.get(id)).copied();
        let diagnostic = Diagnostic { code, severity, operator, location, message, help: None };
        self.found.push((op, diagnostic));
        let (_, diagnostic) = self.found.last_mut().expect("one was pushed");
        Entry(diagnostic)
    }
}

/// A diagnostic that can still be given its help.
pub(super) struct Entry<'r>(&'r mut Diagnostic);

impl Entry<'_> {
    /// Says what to do.
    pub(super) fn help(self, help: impl Into<String>) {
        self.0.help = Some(help.into());
    }
}
