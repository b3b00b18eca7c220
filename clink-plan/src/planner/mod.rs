//! Turns a job graph into a plan of subtasks: chains, numbers and routes.
//!
//! In:     a graph, the planner's options, and what is known about the graph besides.
//! Out:    a [`JobPlan`], the same one for the same arguments.
//! Limit:  time and memory grow with operators, references and planned channels; nothing recurses.
//! Errors: every diagnostic of the graph, if one of them is an error.
//!
//! The passes, in order: validate, resolve references, chain operators, fuse ends into chains,
//! number the subtasks, wire them.

mod allocate;
mod chain;
mod chain_json;
mod chain_spec;
mod commit;
mod fuse;
mod job_plan;
mod route;
mod wire;

pub use chain_json::ChainJsonError;
pub(crate) use chain_json::ChainView;
pub use chain_spec::{
    ChainOp, ChainOpKind, GENERIC_SUBTASK_ROLE, OperatorChainSpec, OutputRouting, SubtaskEdge,
    SubtaskOutputGroup,
};
pub use job_plan::{Decision, JobPlan, PlannedTask, RestoreFrom};
pub use route::RoutingMode;

pub use crate::validate::RegistryView;

use crate::descriptor::Locations;
use crate::graph::{JobGraphSpec, OpIndex, OperatorSpec, PerOp, Topology};
use crate::validate::{Diagnostic, Severity, ValidateFacts, classify, validate};
use chain::Chains;
use commit::Connectors;
use job_plan::count;

/// The most operators in one chain: the reference's number, so that both number subtasks alike.
pub const CHAIN_LENGTH_MAX: usize = 64;

/// How the planner may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Whether operators may share a subtask and call each other.
    pub chaining: bool,
    /// Whether a chain of parallelism 1 also takes in its source and its sink; needs `chaining`.
    pub fuse_par1: bool,
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions { chaining: true, fuse_par1: false }
    }
}

/// A graph with everything about it that the passes look up again and again.
struct Source<'g> {
    topology: Topology<'g>,
    kinds: PerOp<ChainOpKind>,
    connectors: Connectors,
}

/// Plans `graph`.
///
/// The order in which the graph lists its operators decides how subtasks are numbered and
/// nothing else.
///
/// # Errors
/// All diagnostics, warnings included, if one of them is an error.
///
/// # Example
/// ```
/// use clink_plan::graph::{JobGraphSpec, OperatorSpec};
/// use clink_plan::planner::{PlanOptions, plan_job};
/// use clink_plan::validate::ValidateFacts;
///
/// let lines = OperatorSpec::new("lines", "string_lines_source", "string");
/// let mut out = OperatorSpec::new("out", "file_line_sink", "string");
/// out.inputs.push("lines".to_owned());
/// let graph = JobGraphSpec { operators: vec![lines, out], ..JobGraphSpec::default() };
///
/// let plan = plan_job(&graph, &PlanOptions::default(), &ValidateFacts::default()).unwrap();
/// assert_eq!(plan.tasks.len(), 2);
/// assert_eq!(plan.decisions.last().unwrap().reason, "forward: parallelism is 1 on both sides");
/// ```
pub fn plan_job(
    graph: &JobGraphSpec,
    options: &PlanOptions,
    facts: &ValidateFacts<'_>,
) -> Result<JobPlan, Vec<Diagnostic>> {
    let diagnostics = validate(graph, facts);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(diagnostics);
    }
    let topology = Topology::of(graph);
    let kinds = topology.ops().map(|op| classify(&topology, op, facts.registry)).collect();
    let connectors = Connectors::of(facts.registry);
    let source = Source { topology, kinds, connectors };
    let mut chains = Chains::build(&source, options);
    if options.chaining && options.fuse_par1 {
        fuse::fuse_ends(&source, &mut chains);
    }
    let order = allocate::number_subtasks(&source, &mut chains);
    Ok(JobPlan {
        tasks: wire::tasks(&source, &chains, &order),
        warnings: diagnostics,
        decisions: decisions(&source, &chains),
        locations: locations(graph, facts),
    })
}

/// Where the operators of the graph were written.
fn locations(graph: &JobGraphSpec, facts: &ValidateFacts<'_>) -> Locations {
    let known = |spec: &OperatorSpec| Some((spec.id.clone(), *facts.locations.get(&spec.id)?));
    graph.operators.iter().filter_map(known).collect()
}

/// Every choice that was made, for people.
fn decisions(source: &Source<'_>, chains: &Chains) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for reader in source.topology.ops() {
        for (input_index, input) in source.topology.inputs(reader).iter().enumerate() {
            let upstream = chain::upstream(input);
            let choice = chains.choice(reader, input_index);
            let decision = |chained, routing, reason| Decision {
                upstream: source.topology.spec(upstream).id.clone(),
                downstream: source.topology.spec(reader).id.clone(),
                input_index: count(input_index),
                chained,
                routing,
                reason,
            };
            decisions.push(decision(choice.chained, None, choice.reason.clone()));
            if !choice.chained {
                let mode = route::mode(&source.topology, upstream, reader, input_index);
                let reason = route::reason(mode, &source.topology, upstream, reader);
                decisions.push(decision(false, Some(mode), reason));
            }
        }
    }
    decisions
}

impl Source<'_> {
    /// Whether `op` reads and is read.
    fn is_inner(&self, op: OpIndex) -> bool {
        !self.topology.inputs(op).is_empty() && !self.topology.readers(op).is_empty()
    }
}
