//! Reads a chain spec from JSON, strictly.

use super::ChainJsonError;
use crate::graph::{params, side_outputs};
use crate::planner::{
    ChainOp, ChainOpKind, GENERIC_SUBTASK_ROLE, OperatorChainSpec, OutputRouting, RoutingMode,
    SubtaskEdge, SubtaskOutputGroup,
};
use crate::strict_json::{self, Fields, Node, Path, Problems, UnknownKeys};

const CHAIN_KEYS: &[&str] = &[
    "subtask_idx",
    "subtask_idx_in_op",
    "ops",
    "input_edges",
    "output_routing",
    "output_selector_fn",
    "output_groups",
    "fused_source",
    "fused_sink",
];
const OP_KEYS: &[&str] = &[
    "id",
    "type",
    "uid",
    "display_name",
    "kind",
    "in_channel",
    "out_channel",
    "parallelism",
    "params",
    "side_outputs",
    "key_by",
];
const EDGE_KEYS: &[&str] = &[
    "peer_role",
    "peer_subtask_idx",
    "channel_type",
    "input_index",
    "upstream_op_id",
    "upstream_max_parallelism",
];
const GROUP_KEYS: &[&str] = &[
    "mode",
    "key_extractor_fn",
    "side_output_tag",
    "upstream_op_id",
    "branch",
    "downstream_op_id",
    "downstream_max_parallelism",
    "edges",
];

/// Reads a chain spec, or says everything that keeps `text` from being one.
pub(super) fn read(text: &str) -> Result<OperatorChainSpec, ChainJsonError> {
    strict_json::read(text, UnknownKeys::Refuse, chain)
        .map_err(|problems| ChainJsonError { problems })
}

fn chain(root: &Node<'_, '_>, problems: &mut Problems) -> Option<OperatorChainSpec> {
    let fields = root.fields(CHAIN_KEYS, problems)?;
    let before = problems.found.len();
    let ops = fields.each("ops", "operators", problems, chain_op);
    let all_read = problems.found.len() == before;
    if ops.is_empty() && all_read {
        let found = if fields.get("ops").is_some() { "none" } else { "nothing" };
        problems.add(Path::Key(&root.path, "ops"), "at least one operator", found, None);
    }
    let owners = all_read.then_some(ops.as_slice());
    let read = |node: &Node<'_, '_>, problems: &mut Problems| group(node, owners, problems);
    let output_groups = fields.each("output_groups", "groups", problems, read);
    let routings = [OutputRouting::Broadcast, OutputRouting::Split];
    let routing = one_of("output_routing", &routings, OutputRouting::as_str, &fields, problems);
    let selector = fields.text("output_selector_fn", problems);
    if routing == Some(OutputRouting::Split) && selector.is_empty() {
        problems.add(
            Path::Key(&root.path, "output_selector_fn"),
            "the selector of the split",
            "none",
            None,
        );
    }
    for (at, group) in output_groups.iter().enumerate() {
        let main = group.side_output_tag.is_empty();
        let fits = match routing {
            Some(OutputRouting::Broadcast) => group.branch.is_none(),
            // The reference tells branches by the order of their groups.
            Some(OutputRouting::Split) => main || group.branch.is_none(),
            None => true,
        };
        if !fits {
            let groups = Path::Key(&root.path, "output_groups");
            let path = Path::Item(&groups, at);
            problems.add(Path::Key(&path, "branch"), "no branch", "one", None);
        }
    }
    Some(OperatorChainSpec {
        subtask_idx: fields.number("subtask_idx", 0, problems),
        subtask_idx_in_op: fields.number("subtask_idx_in_op", 0, problems),
        input_edges: fields.each("input_edges", "edges", problems, edge),
        output_routing: routing.unwrap_or(OutputRouting::Broadcast),
        output_selector_fn: selector,
        output_groups,
        fused_source: fields.get("fused_source").and_then(|node| chain_op(&node, problems)),
        fused_sink: fields.get("fused_sink").and_then(|node| chain_op(&node, problems)),
        ops,
    })
}

fn chain_op(node: &Node<'_, '_>, problems: &mut Problems) -> Option<ChainOp> {
    let fields = node.fields(OP_KEYS, problems)?;
    let kinds = [
        ChainOpKind::Source,
        ChainOpKind::Operator,
        ChainOpKind::Sink,
        ChainOpKind::Join,
        ChainOpKind::CoOperator,
    ];
    let parallelism = fields.number("parallelism", 1, problems);
    if parallelism == 0
        && let Some(node) = fields.get("parallelism")
    {
        node.wrong("a parallelism from 1", None, problems);
    }
    let kind = one_of("kind", &kinds, ChainOpKind::as_str, &fields, problems);
    // Everything is read, whatever the kind is.
    let read = ChainOp {
        id: fields.required_text("id", problems),
        type_name: fields.required_text("type", problems),
        uid: fields.text("uid", problems),
        display_name: fields.text("display_name", problems),
        kind: kind.unwrap_or(ChainOpKind::Operator),
        in_channel: fields.required_text("in_channel", problems),
        out_channel: fields.required_text("out_channel", problems),
        parallelism,
        params: params(&fields, problems),
        side_outputs: side_outputs(&fields, problems),
        key_by: fields.text("key_by", problems),
    };
    kind.map(|_| read)
}

fn edge(node: &Node<'_, '_>, problems: &mut Problems) -> Option<SubtaskEdge> {
    let fields = node.fields(EDGE_KEYS, problems)?;
    one_of("peer_role", &[GENERIC_SUBTASK_ROLE], |role| role, &fields, problems)?;
    fields.require("peer_subtask_idx", "a whole number", problems);
    let upstream = fields.text("upstream_op_id", problems);
    Some(SubtaskEdge {
        peer_subtask_idx: fields.number("peer_subtask_idx", 0, problems),
        channel_type: fields.required_text("channel_type", problems).into(),
        input_index: fields.number("input_index", 0, problems),
        upstream_op_id: (!upstream.is_empty()).then(|| upstream.into()),
        upstream_max_parallelism: fields.number("upstream_max_parallelism", 0, problems),
    })
}

/// Reads a group; `owners` are the operators of the chain, if all of them could be read.
fn group(
    node: &Node<'_, '_>,
    owners: Option<&[ChainOp]>,
    problems: &mut Problems,
) -> Option<SubtaskOutputGroup> {
    let fields = node.fields(GROUP_KEYS, problems)?;
    let modes = RoutingMode::ALL;
    let mode = one_of("mode", &modes, RoutingMode::as_str, &fields, problems);
    let key_extractor_fn = fields.text("key_extractor_fn", problems);
    if mode == Some(RoutingMode::Hash) && key_extractor_fn.is_empty() {
        let path = Path::Key(&node.path, "key_extractor_fn");
        problems.add(path, "the extractor of the keys to hash", "none", None);
    }
    let side_output_tag = fields.text("side_output_tag", problems);
    let named = fields.text("upstream_op_id", problems);
    let upstream_op_id = owner(node, owners, &side_output_tag, named, problems);
    let read = SubtaskOutputGroup {
        mode: mode.unwrap_or(RoutingMode::Forward),
        key_extractor_fn,
        side_output_tag,
        upstream_op_id,
        branch: fields.get("branch").and_then(|node| node.number(problems)),
        downstream_op_id: fields.text("downstream_op_id", problems),
        downstream_max_parallelism: fields.number("downstream_max_parallelism", 0, problems),
        edges: fields.each("edges", "edges", problems, edge),
    };
    mode.map(|_| read)
}

/// The operator of the chain whose output a group carries.
///
/// The reference says no more than the tag, and means the last operator that declares it; the main
/// output is that of the last operator.
fn owner(
    node: &Node<'_, '_>,
    owners: Option<&[ChainOp]>,
    tag: &str,
    named: String,
    problems: &mut Problems,
) -> String {
    let Some(owners) = owners else {
        return named;
    };
    let declares = |op: &&ChainOp| {
        let output = tag.is_empty() || op.side_outputs.iter().any(|output| output.tag == tag);
        output && (named.is_empty() || op.id == named)
    };
    let found = owners.iter().rfind(declares);
    if found.is_none() && !owners.is_empty() {
        let (key, expected, found) = if named.is_empty() {
            let expected = "a side output that an operator of the chain declares";
            ("side_output_tag", expected, tag.to_owned())
        } else {
            let expected = "an operator of the chain that has this output";
            ("upstream_op_id", expected, named.clone())
        };
        problems.add(Path::Key(&node.path, key), expected, found, None);
    }
    found.map_or(named, |op| op.id.clone())
}

/// The value whose name stands at `key`, which must be there.
fn one_of<'p, T: Copy>(
    key: &'p str,
    values: &[T],
    name: fn(T) -> &'static str,
    fields: &Fields<'_, 'p>,
    problems: &mut Problems,
) -> Option<T> {
    let names: Vec<&str> = values.iter().map(|value| name(*value)).collect();
    let expected = format!("one of {}", names.join(", "));
    fields.require(key, &expected, problems);
    let node = fields.get(key)?;
    let found = node.text(problems)?;
    let value = values.iter().find(|value| name(**value) == found);
    if value.is_none() {
        node.wrong(&expected, None, problems);
    }
    value.copied()
}
