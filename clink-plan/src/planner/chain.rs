//! Joins neighbouring operators into chains that run by plain calls.
//!
//! Source: the reference's rules (seed document, "Chaining"), applied upstream first so that the
//!         listing order of the graph does not matter.

use super::{CHAIN_LENGTH_MAX, ChainOpKind, PlanOptions, Source};
use crate::graph::{Input, OpIndex, PerOp, Port, Reader};

/// Operators that run in the same subtasks.
#[derive(Debug)]
pub(super) struct Chain {
    /// The operators, upstream first; never empty.
    pub(super) members: Vec<OpIndex>,
    /// A source that the first of them takes in.
    pub(super) fused_source: Option<OpIndex>,
    /// A sink that the last of them takes in.
    pub(super) fused_sink: Option<OpIndex>,
    /// The number of its first subtask.
    pub(super) first_subtask: u32,
}

impl Chain {
    /// The operator that listens to the chain's inputs.
    pub(super) fn head(&self) -> OpIndex {
        *self.members.first().expect("a chain has a member")
    }

    /// The operator that feeds the chain's main output.
    pub(super) fn tail(&self) -> OpIndex {
        *self.members.last().expect("a chain has a member")
    }
}

/// Whether an operator is chained to one that it reads, and why.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) chained: bool,
    pub(super) reason: String,
}

/// The place of a chain among all chains.
type ChainIndex = usize;

/// All chains of a graph.
#[derive(Debug)]
pub(super) struct Chains {
    chains: Vec<Chain>,
    chain_of: PerOp<ChainIndex>,
    choices: PerOp<Vec<Choice>>,
}

impl Chains {
    /// Chains what can be chained.
    pub(super) fn build(source: &Source<'_>, options: &PlanOptions) -> Chains {
        let topology = &source.topology;
        let undecided = Choice { chained: false, reason: String::new() };
        let mut chains = Chains {
            chains: Vec::new(),
            chain_of: PerOp::filled(topology.len(), ChainIndex::MAX),
            choices: topology
                .ops()
                .map(|op| vec![undecided.clone(); topology.inputs(op).len()])
                .collect(),
        };
        for op in topology.upstream_first() {
            if chains.chain_of[op] == ChainIndex::MAX {
                chains.start(op);
            }
            let readers = topology.readers(op);
            let main_readers = readers.iter().filter(|reader| reader.port == Port::Main).count();
            for reader in readers {
                let length = chains.of(op).members.len();
                let choice = choose(source, options, op, reader, main_readers, length);
                if choice.chained {
                    chains.append(op, reader.op);
                }
                chains.decide(reader.op, reader.input_index, choice);
            }
        }
        chains
    }

    /// The chain that `op` belongs to.
    pub(super) fn of(&self, op: OpIndex) -> &Chain {
        self.chains.get(self.chain_of[op]).expect("every operator was put into a chain")
    }

    /// The chain that `op` belongs to, to be changed.
    pub(super) fn of_mut(&mut self, op: OpIndex) -> &mut Chain {
        self.chains.get_mut(self.chain_of[op]).expect("every operator was put into a chain")
    }

    /// What was chosen for one input of `reader`.
    pub(super) fn choice(&self, reader: OpIndex, input_index: usize) -> &Choice {
        self.choices[reader].get(input_index).expect("every input has a choice")
    }

    /// Records what is chosen for one input of `reader`.
    pub(super) fn decide(&mut self, reader: OpIndex, input_index: usize, choice: Choice) {
        if let Some(slot) = self.choices[reader].get_mut(input_index) {
            *slot = choice;
        }
    }

    /// Makes the chain of `member` the home of the fused `end`.
    pub(super) fn adopt(&mut self, member: OpIndex, end: OpIndex) {
        self.chain_of[end] = self.chain_of[member];
    }

    fn start(&mut self, op: OpIndex) {
        self.chain_of[op] = self.chains.len();
        self.chains.push(Chain {
            members: vec![op],
            fused_source: None,
            fused_sink: None,
            first_subtask: 0,
        });
    }

    fn append(&mut self, op: OpIndex, reader: OpIndex) {
        self.of_mut(op).members.push(reader);
        self.chain_of[reader] = self.chain_of[op];
    }
}

/// The operator that a resolved input reads.
pub(super) fn upstream(input: &Input<'_>) -> OpIndex {
    input.from.expect("validation refuses an input that names no operator")
}

/// Whether `reader` can run in the chain whose tail is `op`, and why.
fn choose(
    source: &Source<'_>,
    options: &PlanOptions,
    op: OpIndex,
    reader: &Reader<'_>,
    main_readers: usize,
    length: usize,
) -> Choice {
    let chained = |chained, reason| Choice { chained, reason };
    match obstacle(source, options, op, reader, main_readers, length) {
        Some(obstacle) => chained(false, format!("not chained: {obstacle}")),
        None => {
            let parallelism = source.topology.spec(op).parallelism;
            chained(true, format!("chained: one reader, one input, parallelism {parallelism}"))
        }
    }
}

/// What keeps `reader` out of the chain whose tail is `op`.
fn obstacle(
    source: &Source<'_>,
    options: &PlanOptions,
    op: OpIndex,
    reader: &Reader<'_>,
    main_readers: usize,
    length: usize,
) -> Option<String> {
    let (from, to) = (source.topology.spec(op), source.topology.spec(reader.op));
    if !options.chaining {
        return Some("chaining is turned off".to_owned());
    }
    for (end, spec) in [(op, from), (reader.op, to)] {
        match source.kinds[end] {
            ChainOpKind::Source | ChainOpKind::Sink => {
                return Some("sources and sinks are not chained".to_owned());
            }
            ChainOpKind::Join | ChainOpKind::CoOperator => {
                return Some(format!("`{}` is a {}", spec.id, source.kinds[end]));
            }
            ChainOpKind::Operator => {}
        }
    }
    if let Port::Side(tag) = reader.port {
        return Some(format!("`{}` reads side output `{tag}`", to.id));
    }
    if source.topology.is_split(op) {
        return Some(format!("`{}` is split into branches", from.id));
    }
    if to.inputs.len() > 1 {
        return Some(format!("`{}` has {} inputs", to.id, to.inputs.len()));
    }
    if main_readers > 1 {
        return Some(format!("`{}` has {main_readers} readers", from.id));
    }
    if from.parallelism != to.parallelism {
        return Some(format!(
            "parallelism changes from {} to {}",
            from.parallelism, to.parallelism
        ));
    }
    if to.is_keyed() && to.parallelism > 1 {
        return Some(format!("`{}` is keyed and parallelism is {}", to.id, to.parallelism));
    }
    if length >= CHAIN_LENGTH_MAX {
        return Some(format!("the chain before `{}` is full at {length} operators", to.id));
    }
    None
}
