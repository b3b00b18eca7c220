//! Wires the subtasks: what each listens to, what it runs, where its records go.
//!
//! Edges are worked out once for a chain and then copied out for its subtasks, so the cost is that
//! of the edges themselves.

use std::sync::Arc;

use super::Source;
use super::chain::{Chain, Chains, upstream};
use super::chain_spec::{
    ChainOp, ChainOpKind, GENERIC_SUBTASK_ROLE, OperatorChainSpec, OutputRouting, SubtaskEdge,
    SubtaskOutputGroup,
};
use super::job_plan::{PlannedTask, RestoreFrom, count};
use super::route::{self, RoutingMode};
use crate::graph::{OpIndex, Port, Reader, SELECTOR_FN, SideOutputSpec};
use crate::key_group::key_group_range_for_subtask;

/// One input of a chain, for all its subtasks.
struct InputRoute {
    mode: RoutingMode,
    peer_first: u32,
    peer_count: u32,
    /// The edge of each subtask, but for its peer.
    edge: SubtaskEdge,
}

/// One output group of a chain, for all its subtasks.
struct OutputRoute {
    peer_first: u32,
    peer_count: u32,
    edge: SubtaskEdge,
    /// The group of each subtask, but for its edges.
    group: SubtaskOutputGroup,
}

/// The tasks of all chains, given the chains' first operators in order of number.
pub(super) fn tasks(source: &Source<'_>, chains: &Chains, heads: &[OpIndex]) -> Vec<PlannedTask> {
    let mut tasks = Vec::new();
    for &head in heads {
        let chain = chains.of(head);
        let spec = source.topology.spec(head);
        let routes = (input_routes(source, chains, chain), output_routes(source, chains, chain));
        let template = chain_template(source, chain);
        let sinks = template.operators().filter(|op| op.kind == ChainOpKind::Sink);
        let needs_commit_confirmation =
            sinks.into_iter().any(|op| source.connectors.needs_confirmation(&op.type_name));
        for index in 0..spec.parallelism {
            let chain = wired(&template, index, &routes.0, &routes.1);
            let edges = chain.output_groups.iter().flat_map(|group| &group.edges);
            tasks.push(PlannedTask {
                role: GENERIC_SUBTASK_ROLE,
                subtask_idx: chain.subtask_idx,
                op_id: spec.id.clone(),
                subtask_idx_in_op: index,
                parallelism: spec.parallelism,
                key_groups: key_group_range_for_subtask(index, spec.parallelism),
                peer_refs: edges.map(|edge| edge.peer_subtask_idx).collect(),
                needs_commit_confirmation,
                worker_id: None,
                data_port: 0,
                restore_from: RestoreFrom::Own,
                chain,
            });
        }
    }
    tasks
}

/// A chain's first subtask without its edges.
fn chain_template(source: &Source<'_>, chain: &Chain) -> OperatorChainSpec {
    let (head, tail) = (chain.head(), chain.tail());
    let mut channel = in_channel(source, head);
    let mut ops = Vec::with_capacity(chain.members.len());
    for &op in &chain.members {
        ops.push(chain_op(source, op, &channel));
        channel.clone_from(&source.topology.spec(op).out_channel);
    }
    let split = source.topology.is_split(tail);
    let selector = source.topology.spec(tail).params.get(SELECTOR_FN).filter(|_| split);
    OperatorChainSpec {
        subtask_idx: chain.first_subtask,
        subtask_idx_in_op: 0,
        ops,
        input_edges: Vec::new(),
        output_routing: if split { OutputRouting::Split } else { OutputRouting::Broadcast },
        output_selector_fn: selector.cloned().unwrap_or_default(),
        output_groups: Vec::new(),
        fused_source: chain
            .fused_source
            .map(|end| chain_op(source, end, &source.topology.spec(end).out_channel)),
        fused_sink: chain.fused_sink.map(|end| ChainOp {
            out_channel: source.topology.spec(tail).out_channel.clone(),
            ..chain_op(source, end, &source.topology.spec(tail).out_channel)
        }),
    }
}

/// The element type that an operator at the head of a chain reads; a source emits it.
fn in_channel(source: &Source<'_>, head: OpIndex) -> String {
    let out_channel = &source.topology.spec(head).out_channel;
    source.topology.first_channel(head).unwrap_or(out_channel).to_owned()
}

fn chain_op(source: &Source<'_>, op: OpIndex, in_channel: &str) -> ChainOp {
    let spec = source.topology.spec(op);
    ChainOp {
        id: spec.id.clone(),
        type_name: spec.type_name.clone(),
        uid: spec.uid.clone(),
        display_name: spec.display_name.clone(),
        kind: source.kinds[op],
        in_channel: in_channel.to_owned(),
        out_channel: spec.out_channel.clone(),
        parallelism: spec.parallelism,
        params: spec.params.clone(),
        // Without the keys of newer releases: a worker could do nothing with them.
        side_outputs: (spec.side_outputs.iter())
            .map(|output| SideOutputSpec::new(&output.tag, &output.channel_type))
            .collect(),
        key_by: spec.key_by.clone(),
    }
}

/// The inputs of a chain's head, in declared order; none if its source is fused.
fn input_routes(source: &Source<'_>, chains: &Chains, chain: &Chain) -> Vec<InputRoute> {
    if chain.fused_source.is_some() {
        return Vec::new();
    }
    let head = chain.head();
    let inputs = source.topology.inputs(head).iter().enumerate();
    inputs
        .map(|(input_index, input)| {
            let from = upstream(input);
            let spec = source.topology.spec(from);
            let mode = route::mode(&source.topology, from, head, input_index);
            // A one-to-one input cannot survive a rescale of its upstream, so only fans name it.
            let fan = mode != RoutingMode::Forward;
            InputRoute {
                mode,
                peer_first: chains.of(from).first_subtask,
                peer_count: spec.parallelism,
                edge: SubtaskEdge {
                    peer_subtask_idx: 0,
                    channel_type: source.topology.channel(input).unwrap_or_default().into(),
                    input_index: count(input_index),
                    upstream_op_id: fan.then(|| Arc::from(spec.id.as_str())),
                    upstream_max_parallelism: if fan { spec.max_parallelism } else { 0 },
                },
            }
        })
        .collect()
}

/// The output groups of a chain: branches in order, else readers in graph order with the side
/// outputs of each before its main input.
fn output_routes(source: &Source<'_>, chains: &Chains, chain: &Chain) -> Vec<OutputRoute> {
    let tail = chain.tail();
    let split = source.topology.is_split(tail);
    let mut readers: Vec<(OpIndex, Reader<'_>)> = Vec::new();
    for &member in &chain.members {
        let outside = source.topology.readers(member).iter().filter(|reader| {
            let side = matches!(reader.port, Port::Side(_));
            side || (member == tail && chain.fused_sink != Some(reader.op))
        });
        readers.extend(outside.map(|&reader| (member, reader)));
    }
    readers.sort_by_key(|(_, reader)| {
        let side = matches!(reader.port, Port::Side(_));
        let branch = if split && !side { branch_of(reader.port) } else { u32::MAX };
        // A split keeps its side readers behind all branches, where a selector never counts them.
        (split && side, branch, reader.op, !side, reader.input_index)
    });
    readers
        .into_iter()
        .map(|(member, reader)| output_route(source, chains, member, reader, split))
        .collect()
}

/// The branch that a reader of a split's main output gets.
fn branch_of(port: Port<'_>) -> u32 {
    match port {
        Port::Branch(branch) => branch,
        Port::Main | Port::Side(_) => 0,
    }
}

fn output_route(
    source: &Source<'_>,
    chains: &Chains,
    member: OpIndex,
    reader: Reader<'_>,
    split: bool,
) -> OutputRoute {
    let (from, to) = (source.topology.spec(member), source.topology.spec(reader.op));
    let mode = route::mode(&source.topology, member, reader.op, reader.input_index);
    let tag = match reader.port {
        Port::Side(tag) => tag,
        Port::Main | Port::Branch(_) => "",
    };
    let channel = if tag.is_empty() { Some(&*from.out_channel) } else { from.side_channel(tag) };
    let hash = mode == RoutingMode::Hash;
    OutputRoute {
        peer_first: chains.of(reader.op).first_subtask,
        peer_count: to.parallelism,
        edge: SubtaskEdge {
            peer_subtask_idx: 0,
            channel_type: channel.unwrap_or_default().into(),
            input_index: count(reader.input_index),
            upstream_op_id: None,
            upstream_max_parallelism: 0,
        },
        group: SubtaskOutputGroup {
            mode,
            key_extractor_fn: if hash { to.key_by.clone() } else { String::new() },
            side_output_tag: tag.to_owned(),
            upstream_op_id: from.id.clone(),
            branch: (split && tag.is_empty()).then(|| branch_of(reader.port)),
            downstream_op_id: to.id.clone(),
            downstream_max_parallelism: to.max_parallelism,
            edges: Vec::new(),
        },
    }
}

/// The chain of subtask `index`.
fn wired(
    template: &OperatorChainSpec,
    index: u32,
    inputs: &[InputRoute],
    outputs: &[OutputRoute],
) -> OperatorChainSpec {
    let groups = outputs.iter().map(|route| SubtaskOutputGroup {
        edges: edges(route.group.mode, route.peer_first, route.peer_count, index, &route.edge)
            .collect(),
        ..route.group.clone()
    });
    let input_edges = inputs.iter().flat_map(|route| {
        edges(route.mode, route.peer_first, route.peer_count, index, &route.edge)
    });
    OperatorChainSpec {
        subtask_idx: template.subtask_idx + index,
        subtask_idx_in_op: index,
        input_edges: input_edges.collect(),
        output_groups: groups.collect(),
        ..template.clone()
    }
}

/// The edges of subtask `index` over one route.
fn edges(
    mode: RoutingMode,
    peer_first: u32,
    peer_count: u32,
    index: u32,
    edge: &SubtaskEdge,
) -> impl Iterator<Item = SubtaskEdge> {
    let peers = match mode {
        RoutingMode::Forward => index..index + 1,
        RoutingMode::Rebalance | RoutingMode::Hash | RoutingMode::Broadcast => 0..peer_count,
    };
    peers.map(move |peer| SubtaskEdge { peer_subtask_idx: peer_first + peer, ..edge.clone() })
}
