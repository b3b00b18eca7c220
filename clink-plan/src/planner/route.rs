//! Chooses how records travel between operators that are not chained.

use std::fmt;

use crate::graph::{OpIndex, Topology};

/// How an output group spreads its records over the subtasks of the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoutingMode {
    /// Subtask `i` feeds subtask `i`.
    Forward,
    /// Records go round-robin over all subtasks.
    Rebalance,
    /// Records go to the subtask that owns the group of their key.
    Hash,
    /// Each record goes to every subtask. The reference has no such mode: there the reader of a
    /// broadcast stream has one subtask.
    Broadcast,
}

impl RoutingMode {
    /// Every mode.
    pub(crate) const ALL: [RoutingMode; 4] =
        [RoutingMode::Forward, RoutingMode::Rebalance, RoutingMode::Hash, RoutingMode::Broadcast];

    /// The name in a chain spec.
    pub const fn as_str(self) -> &'static str {
        match self {
            RoutingMode::Forward => "forward",
            RoutingMode::Rebalance => "rebalance",
            RoutingMode::Hash => "hash",
            RoutingMode::Broadcast => "broadcast",
        }
    }
}

impl fmt::Display for RoutingMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How records travel from `upstream` to that input of `reader`.
///
/// A keyed reader is reached by hash at every parallelism, so that a rescale finds the extractor
/// in the plan.
pub(super) fn mode(
    topology: &Topology<'_>,
    upstream: OpIndex,
    reader: OpIndex,
    input_index: usize,
) -> RoutingMode {
    let (from, to) = (topology.spec(upstream), topology.spec(reader));
    if to.is_broadcast(input_index) {
        return RoutingMode::Broadcast;
    }
    match (to.is_keyed(), from.parallelism == to.parallelism) {
        (true, _) => RoutingMode::Hash,
        (false, true) => RoutingMode::Forward,
        (false, false) => RoutingMode::Rebalance,
    }
}

/// Why `mode` is the way from `upstream` to `reader`.
pub(super) fn reason(
    mode: RoutingMode,
    topology: &Topology<'_>,
    upstream: OpIndex,
    reader: OpIndex,
) -> String {
    let (from, to) = (topology.spec(upstream), topology.spec(reader));
    match mode {
        RoutingMode::Hash => format!("hash: `{}` is keyed by `{}`", to.id, to.key_by),
        RoutingMode::Forward => {
            format!("forward: parallelism is {} on both sides", to.parallelism)
        }
        RoutingMode::Broadcast => {
            format!("broadcast: each of the {} subtasks gets every record", to.parallelism)
        }
        RoutingMode::Rebalance => {
            format!("rebalance: parallelism {} → {}", from.parallelism, to.parallelism)
        }
    }
}
