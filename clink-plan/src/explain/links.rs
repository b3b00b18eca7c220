//! Gathers what a plan decided about each edge of the graph, for every form that shows it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::graph::{JobGraphSpec, OperatorSpec};
use crate::planner::{JobPlan, PlannedTask};

/// One input of one operator, and what was decided about it.
pub(super) struct Link<'p> {
    /// The id of the operator that is read.
    pub(super) upstream: &'p str,
    /// The id of the operator that reads.
    pub(super) downstream: &'p str,
    /// Which output is read, as the graph writes it.
    pub(super) reference: &'p str,
    /// Whether the two run as one, by plain calls.
    pub(super) chained: bool,
    /// How records travel, then why the two were not chained; or why they were.
    pub(super) reasons: Vec<&'p str>,
}

/// The edges of a plan, in graph order of the reader and its inputs.
pub(super) fn links<'p>(graph: &'p JobGraphSpec, plan: &'p JobPlan) -> Vec<Link<'p>> {
    let mut inputs: BTreeMap<&str, &[String]> = BTreeMap::new();
    for spec in &graph.operators {
        inputs.entry(&spec.id).or_insert(&spec.inputs);
    }
    let mut links: Vec<Link<'p>> = Vec::new();
    let mut places = BTreeMap::new();
    for decision in &plan.decisions {
        let at = match places.entry((decision.downstream.as_str(), decision.input_index)) {
            Entry::Occupied(place) => *place.get(),
            Entry::Vacant(place) => {
                let given = inputs.get(decision.downstream.as_str());
                let reference = given.and_then(|all| all.get(decision.input_index as usize));
                links.push(Link {
                    upstream: &decision.upstream,
                    downstream: &decision.downstream,
                    reference: reference.map_or(&decision.upstream, |text| text),
                    chained: decision.chained,
                    reasons: Vec::new(),
                });
                *place.insert(links.len() - 1)
            }
        };
        if let Some(link) = links.get_mut(at) {
            // A reader wants the route of an edge before the reason why it is one.
            let place = if decision.routing.is_some() { 0 } else { link.reasons.len() };
            link.reasons.insert(place, &decision.reason);
        }
    }
    links
}

/// Why the parallelism of an operator is not the job's, if it was kept at another.
pub(super) fn kept(spec: &OperatorSpec) -> Option<String> {
    let reason = spec.forced_singleton()?;
    let why = if reason.is_empty() { "no reason given" } else { reason };
    Some(format!("keeps parallelism {}: {why}", spec.parallelism))
}

/// The subtasks of each chain, in the order of their numbers.
pub(super) fn chains(plan: &JobPlan) -> impl Iterator<Item = &[PlannedTask]> {
    plan.tasks.chunk_by(|task, next| task.op_id == next.op_id)
}
