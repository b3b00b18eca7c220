//! Writes a chain spec as JSON: the views below list its keys in order.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::graph::SideOutputSpec;
use crate::planner::{
    ChainOp, GENERIC_SUBTASK_ROLE, OperatorChainSpec, SubtaskEdge, SubtaskOutputGroup,
};

/// A chain spec as its JSON document.
#[derive(Serialize)]
pub(crate) struct ChainView<'p> {
    subtask_idx: u32,
    subtask_idx_in_op: u32,
    ops: Vec<ChainOpView<'p>>,
    input_edges: Vec<InputEdgeView<'p>>,
    output_routing: &'static str,
    output_selector_fn: &'p str,
    output_groups: Vec<GroupView<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fused_source: Option<ChainOpView<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fused_sink: Option<ChainOpView<'p>>,
}

#[derive(Serialize)]
struct ChainOpView<'p> {
    id: &'p str,
    r#type: &'p str,
    #[serde(skip_serializing_if = "is_empty")]
    uid: &'p str,
    #[serde(skip_serializing_if = "is_empty")]
    display_name: &'p str,
    kind: &'static str,
    in_channel: &'p str,
    out_channel: &'p str,
    parallelism: u32,
    params: &'p BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    side_outputs: Vec<SideOutputView<'p>>,
    #[serde(skip_serializing_if = "is_empty")]
    key_by: &'p str,
}

#[derive(Serialize)]
struct SideOutputView<'p> {
    tag: &'p str,
    channel_type: &'p str,
}

#[derive(Serialize)]
struct InputEdgeView<'p> {
    peer_role: &'static str,
    peer_subtask_idx: u32,
    channel_type: &'p str,
    input_index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream_op_id: Option<&'p str>,
    #[serde(skip_serializing_if = "is_zero")]
    upstream_max_parallelism: u32,
}

#[derive(Serialize)]
struct GroupView<'p> {
    mode: &'static str,
    #[serde(skip_serializing_if = "is_empty")]
    key_extractor_fn: &'p str,
    #[serde(skip_serializing_if = "is_empty")]
    side_output_tag: &'p str,
    #[serde(skip_serializing_if = "is_empty")]
    upstream_op_id: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<u32>,
    #[serde(skip_serializing_if = "is_empty")]
    downstream_op_id: &'p str,
    #[serde(skip_serializing_if = "is_zero")]
    downstream_max_parallelism: u32,
    edges: Vec<OutputEdgeView<'p>>,
}

#[derive(Serialize)]
struct OutputEdgeView<'p> {
    peer_role: &'static str,
    peer_subtask_idx: u32,
    channel_type: &'p str,
    #[serde(skip_serializing_if = "is_zero")]
    input_index: u32,
}

// Serde hands a reference to the field, and the field is a reference itself.
fn is_empty(text: &&str) -> bool {
    text.is_empty()
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl<'p> ChainView<'p> {
    /// The document of `chain`.
    pub(crate) fn of(chain: &'p OperatorChainSpec) -> ChainView<'p> {
        ChainView {
            subtask_idx: chain.subtask_idx,
            subtask_idx_in_op: chain.subtask_idx_in_op,
            ops: chain.ops.iter().map(chain_op).collect(),
            input_edges: chain.input_edges.iter().map(input_edge).collect(),
            output_routing: chain.output_routing.as_str(),
            output_selector_fn: &chain.output_selector_fn,
            output_groups: chain.output_groups.iter().map(group).collect(),
            fused_source: chain.fused_source.as_ref().map(chain_op),
            fused_sink: chain.fused_sink.as_ref().map(chain_op),
        }
    }
}

fn chain_op(op: &ChainOp) -> ChainOpView<'_> {
    ChainOpView {
        id: &op.id,
        r#type: &op.type_name,
        uid: &op.uid,
        display_name: &op.display_name,
        kind: op.kind.as_str(),
        in_channel: &op.in_channel,
        out_channel: &op.out_channel,
        parallelism: op.parallelism,
        params: &op.params,
        side_outputs: op.side_outputs.iter().map(side_output).collect(),
        key_by: &op.key_by,
    }
}

fn side_output(output: &SideOutputSpec) -> SideOutputView<'_> {
    SideOutputView { tag: &output.tag, channel_type: &output.channel_type }
}

fn input_edge(edge: &SubtaskEdge) -> InputEdgeView<'_> {
    InputEdgeView {
        peer_role: GENERIC_SUBTASK_ROLE,
        peer_subtask_idx: edge.peer_subtask_idx,
        channel_type: &edge.channel_type,
        input_index: edge.input_index,
        upstream_op_id: edge.upstream_op_id.as_deref(),
        upstream_max_parallelism: edge.upstream_max_parallelism,
    }
}

fn group(group: &SubtaskOutputGroup) -> GroupView<'_> {
    GroupView {
        mode: group.mode.as_str(),
        key_extractor_fn: &group.key_extractor_fn,
        side_output_tag: &group.side_output_tag,
        upstream_op_id: if group.side_output_tag.is_empty() { "" } else { &group.upstream_op_id },
        branch: group.branch,
        downstream_op_id: &group.downstream_op_id,
        downstream_max_parallelism: group.downstream_max_parallelism,
        edges: group.edges.iter().map(output_edge).collect(),
    }
}

fn output_edge(edge: &SubtaskEdge) -> OutputEdgeView<'_> {
    OutputEdgeView {
        peer_role: GENERIC_SUBTASK_ROLE,
        peer_subtask_idx: edge.peer_subtask_idx,
        channel_type: &edge.channel_type,
        input_index: edge.input_index,
    }
}
