//! Decides what an operator is to its graph: source, operator, sink, join or co-operator.

use std::fmt;

use super::RegistryView;
use crate::graph::{OpIndex, Topology};

/// What an operator is to its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChainOpKind {
    /// It reads nothing.
    Source,
    /// It reads and is read.
    Operator,
    /// Nothing reads it.
    Sink,
    /// It is registered as a join of two inputs.
    Join,
    /// It is registered as an operator on two inputs, told apart.
    CoOperator,
}

impl ChainOpKind {
    /// The name in a chain spec.
    pub const fn as_str(self) -> &'static str {
        match self {
            ChainOpKind::Source => "source",
            ChainOpKind::Operator => "operator",
            ChainOpKind::Sink => "sink",
            ChainOpKind::Join => "join",
            ChainOpKind::CoOperator => "co_operator",
        }
    }

    /// Whether it tells its two inputs apart, so that their element types may differ.
    pub const fn has_two_inputs(self) -> bool {
        matches!(self, ChainOpKind::Join | ChainOpKind::CoOperator)
    }
}

impl fmt::Display for ChainOpKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ChainOpKind::CoOperator => "co-operator",
            other => other.as_str(),
        })
    }
}

/// What `op` is: by the registry for joins and co-operators, else by its place.
///
/// Without a registry, an operator on two inputs of different types is taken for a co-operator,
/// since nothing else could be right.
pub(crate) fn classify(
    topology: &Topology<'_>,
    op: OpIndex,
    registry: Option<&dyn RegistryView>,
) -> ChainOpKind {
    let spec = topology.spec(op);
    let inputs = topology.inputs(op);
    if registry.is_some_and(|registry| registry.has_join(&spec.type_name)) {
        return ChainOpKind::Join;
    }
    if let [first, second] = inputs
        && let (Some(first), Some(second)) = (topology.channel(first), topology.channel(second))
    {
        let registered = match registry {
            Some(view) => {
                let has = |first, second| {
                    view.has_co_operator(&spec.type_name, first, second, &spec.out_channel)
                };
                has(first, second) || has(second, first)
            }
            None => first != second,
        };
        if registered {
            return ChainOpKind::CoOperator;
        }
    }
    if inputs.is_empty() {
        ChainOpKind::Source
    } else if topology.readers(op).is_empty() {
        ChainOpKind::Sink
    } else {
        ChainOpKind::Operator
    }
}
