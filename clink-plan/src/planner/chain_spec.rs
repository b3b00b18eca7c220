//! What one subtask runs, what it listens to and where its records go.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::RoutingMode;
use crate::graph::SideOutputSpec;
pub use crate::validate::ChainOpKind;

/// The role of every planned subtask.
pub const GENERIC_SUBTASK_ROLE: &str = "__clink_subtask";

/// Everything one subtask needs to run its chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorChainSpec {
    /// The subtask's number in its plan.
    pub subtask_idx: u32,
    /// The subtask's place among those of its chain.
    pub subtask_idx_in_op: u32,
    /// The operators, upstream first; calls go from each to the next.
    pub ops: Vec<ChainOp>,
    /// What arrives, by input of the first operator.
    pub input_edges: Vec<SubtaskEdge>,
    /// How a record on the main output chooses among the groups without a side tag.
    pub output_routing: OutputRouting,
    /// The selector that chooses, if the output is split; else empty.
    pub output_selector_fn: String,
    /// Where records go, one entry for each input that reads this chain.
    pub output_groups: Vec<SubtaskOutputGroup>,
    /// A source that feeds the first operator by calls instead of a channel.
    pub fused_source: Option<ChainOp>,
    /// A sink that the last operator feeds by calls instead of a channel.
    pub fused_sink: Option<ChainOp>,
}

impl OperatorChainSpec {
    /// The operators in the order in which records pass them, fused ends included.
    pub fn operators(&self) -> impl Iterator<Item = &ChainOp> {
        self.fused_source.iter().chain(&self.ops).chain(&self.fused_sink)
    }

    /// Whether records begin here instead of arriving.
    pub fn is_source(&self) -> bool {
        self.operators().next().is_some_and(|op| op.kind == ChainOpKind::Source)
    }
}

/// One operator of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainOp {
    /// Its id in the graph.
    pub id: String,
    /// The registry name of its factory.
    pub type_name: String,
    /// The author's stable name for its state; empty if none was given.
    pub uid: String,
    /// A label for people; empty for none.
    pub display_name: String,
    /// What it is to the graph.
    pub kind: ChainOpKind,
    /// The element type of its first input; of its output, for a source.
    pub in_channel: String,
    /// The element type of its main output.
    pub out_channel: String,
    /// How many subtasks run it.
    pub parallelism: u32,
    /// Free-form configuration.
    pub params: BTreeMap<String, String>,
    /// Its tagged outputs besides the main one.
    pub side_outputs: Vec<SideOutputSpec>,
    /// The key extractor by which its input is partitioned and its state is filed; empty if it
    /// is not keyed. The reference's chain spec has no such field.
    pub key_by: String,
}

/// One end of a channel between two subtasks, seen from the other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubtaskEdge {
    /// The subtask at the other end.
    pub peer_subtask_idx: u32,
    /// The element type in the channel.
    pub channel_type: Arc<str>,
    /// Which input of the reader it feeds: both ends of a channel say the same, so an operator
    /// may read one upstream twice.
    pub input_index: u32,
    /// On an input that fans in, the operator it comes from.
    pub upstream_op_id: Option<Arc<str>>,
    /// On an input that fans in, that operator's greatest parallelism; 0 if it has none.
    pub upstream_max_parallelism: u32,
}

/// How a record on a chain's main output chooses among its groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutputRouting {
    /// It goes to every group.
    Broadcast,
    /// It goes to the groups of the branch that the selector names.
    Split,
}

impl OutputRouting {
    /// The name in a chain spec.
    pub const fn as_str(self) -> &'static str {
        match self {
            OutputRouting::Broadcast => "broadcast",
            OutputRouting::Split => "split",
        }
    }
}

/// The channels from one subtask to one input of a downstream operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubtaskOutputGroup {
    /// How records spread over the edges.
    pub mode: RoutingMode,
    /// The key extractor, for [`RoutingMode::Hash`]; else empty.
    pub key_extractor_fn: String,
    /// The side output it carries; empty for the main output.
    pub side_output_tag: String,
    /// The operator of the chain whose output it carries: tags are unique within an operator,
    /// not within a chain.
    pub upstream_op_id: String,
    /// The branch it carries, if the output is split. Several groups may carry one branch.
    pub branch: Option<u32>,
    /// The operator it feeds.
    pub downstream_op_id: String,
    /// That operator's greatest parallelism; 0 if it has none.
    pub downstream_max_parallelism: u32,
    /// The channels, by subtask of that operator.
    pub edges: Vec<SubtaskEdge>,
}
