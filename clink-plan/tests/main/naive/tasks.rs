//! Writes the tasks of groups as JSON, key by key in the order of the specification.
//!
//! Text and not values: most of the time would go into building and comparing those.

use serde_json::Value;

use super::planner::Group;
use super::wires::{Job, Wire, list, number, parallelism, same, text};

const ROLE: &str = "__clink_subtask";
const KEY_GROUPS: u64 = 128;

/// An object of the fields that say something.
fn object(fields: &[(&str, String)]) -> String {
    let said = fields.iter().filter(|(_, value)| !value.is_empty());
    let written: Vec<String> = said.map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", written.join(","))
}

fn array(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// Nothing for an empty text.
fn quoted_unless_empty(text: &str) -> String {
    if text.is_empty() { String::new() } else { quoted(text) }
}

fn unless_zero(number: u64) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}

fn member(op: &Value, kind: &str, arrives: &str, leaves: &str) -> String {
    let sides = list(op, "side_outputs").iter();
    let sides: Vec<String> = sides
        .map(|side| {
            let field = |name| quoted(text(side, name));
            object(&[("tag", field("tag")), ("channel_type", field("channel_type"))])
        })
        .collect();
    object(&[
        ("id", quoted(text(op, "id"))),
        ("type", quoted(text(op, "type"))),
        ("uid", quoted_unless_empty(text(op, "uid"))),
        ("display_name", quoted_unless_empty(text(op, "display_name"))),
        ("kind", quoted(kind)),
        ("in_channel", quoted(arrives)),
        ("out_channel", quoted(leaves)),
        ("parallelism", parallelism(op).to_string()),
        ("params", op.get("params").map_or("{}".to_owned(), Value::to_string)),
        ("side_outputs", if sides.is_empty() { String::new() } else { array(&sides) }),
        ("key_by", quoted_unless_empty(text(op, "key_by"))),
    ])
}

/// One edge, from either end; each end writes its own fields behind those that both have.
fn edge(peer: u64, wire: &Wire<'_>, more: &str) -> String {
    let channel = wire.channel();
    format!(
        r#"{{"peer_role":"{ROLE}","peer_subtask_idx":{peer},"channel_type":"{channel}"{more}}}"#
    )
}

impl<'g> Job<'g> {
    /// All tasks of all groups.
    pub(super) fn tasks(&self, groups: &[Group<'g>]) -> String {
        let mut tasks = Vec::new();
        for group in groups {
            let members = self.members(group);
            for i in 0..parallelism(group.head()) {
                tasks.push(self.task(groups, group, &members, i));
            }
        }
        array(&tasks)
    }

    fn task(&self, groups: &[Group<'g>], group: &Group<'g>, members: &str, i: u64) -> String {
        let width = parallelism(group.head());
        let (outputs, peers) = self.outputs(groups, group, i);
        let peers: Vec<String> = peers.iter().map(|peer| format!("[\"{ROLE}\",{peer}]")).collect();
        let split = self.is_split(group.tail());
        let selector = if split { text(&group.tail()["params"], "selector_fn") } else { "" };
        let leaves = text(group.tail(), "out_channel");
        let source = group.source.map(|op| {
            let channel = text(op, "out_channel");
            member(op, "source", channel, channel)
        });
        let sink = group.sink.map(|op| member(op, "sink", leaves, leaves));
        let chain = object(&[
            ("subtask_idx", (group.first + i).to_string()),
            ("subtask_idx_in_op", i.to_string()),
            ("ops", members.to_owned()),
            ("input_edges", self.inputs_of_task(groups, group, i)),
            ("output_routing", quoted(if split { "split" } else { "broadcast" })),
            ("output_selector_fn", quoted(selector)),
            ("output_groups", array(&outputs)),
            ("fused_source", source.unwrap_or_default()),
            ("fused_sink", sink.unwrap_or_default()),
        ]);
        object(&[
            ("subtask_idx", (group.first + i).to_string()),
            ("role", quoted(ROLE)),
            ("op_id", quoted(text(group.head(), "id"))),
            ("subtask_idx_in_op", i.to_string()),
            ("parallelism", width.to_string()),
            ("key_group_first", (i * KEY_GROUPS).div_ceil(width).to_string()),
            ("key_group_last", ((i + 1) * KEY_GROUPS).div_ceil(width).to_string()),
            ("needs_commit_confirmation", "false".to_owned()),
            ("peer_refs", array(&peers)),
            ("chain", chain),
        ])
    }

    fn members(&self, group: &Group<'g>) -> String {
        let inputs = self.inputs(group.head());
        let mut arrives = match inputs.first() {
            Some(wire) => wire.channel(),
            None => text(group.head(), "out_channel"),
        };
        let mut written = Vec::new();
        for op in &group.members {
            let leaves = text(op, "out_channel");
            written.push(member(op, self.kind(op), arrives, leaves));
            arrives = leaves;
        }
        array(&written)
    }

    fn inputs_of_task(&self, groups: &[Group<'g>], group: &Group<'g>, i: u64) -> String {
        let mut edges = Vec::new();
        for wire in self.inputs(group.head()) {
            if group.source.is_some() {
                continue;
            }
            let first = groups.iter().find(|other| other.has(wire.from)).unwrap().first;
            let forward = wire.mode() == "forward";
            let mut more = format!(r#","input_index":{}"#, wire.ordinal);
            if !forward {
                more += &format!(r#","upstream_op_id":"{}""#, text(wire.from, "id"));
                let max = number(wire.from, "max_parallelism", 0);
                if max > 0 {
                    more += &format!(r#","upstream_max_parallelism":{max}"#);
                }
            }
            for sender in if forward { i..i + 1 } else { 0..parallelism(wire.from) } {
                edges.push(edge(first + sender, wire, &more));
            }
        }
        array(&edges)
    }

    /// The output groups of a task, and the peers of all their edges.
    fn outputs(&self, groups: &[Group<'g>], group: &Group<'g>, i: u64) -> (Vec<String>, Vec<u64>) {
        let split = self.is_split(group.tail());
        let mut outputs = Vec::new();
        let mut peers = Vec::new();
        for wire in self.leaving(group) {
            let first = groups.iter().find(|other| same(other.head(), wire.to)).unwrap().first;
            let forward = wire.mode() == "forward";
            let receivers = if forward { i..i + 1 } else { 0..parallelism(wire.to) };
            let ordinal = match wire.ordinal {
                0 => String::new(),
                ordinal => format!(r#","input_index":{ordinal}"#),
            };
            let mut edges = Vec::new();
            for receiver in receivers {
                peers.push(first + receiver);
                edges.push(edge(first + receiver, wire, &ordinal));
            }
            let branch = wire.branch.unwrap_or(0).to_string();
            let upstream = quoted(text(wire.from, "id"));
            let max = number(wire.to, "max_parallelism", 0);
            outputs.push(object(&[
                ("mode", quoted(wire.mode())),
                ("key_extractor_fn", quoted_unless_empty(text(wire.to, "key_by"))),
                ("branch", if split && wire.is_main() { branch } else { String::new() }),
                ("side_output_tag", quoted_unless_empty(wire.tag)),
                ("upstream_op_id", if wire.is_main() { String::new() } else { upstream }),
                ("downstream_op_id", quoted(text(wire.to, "id"))),
                ("downstream_max_parallelism", unless_zero(max)),
                ("edges", array(&edges)),
            ]));
        }
        (outputs, peers)
    }

    /// The wires that leave a group, as their output groups are listed.
    pub(super) fn leaving(&self, group: &Group<'g>) -> Vec<&Wire<'g>> {
        let leaves = |wire: &&Wire<'g>| {
            group.has(wire.from) && !group.has(wire.to) && !group.is_sink(wire.to)
        };
        let all: Vec<_> = self.wires.iter().filter(leaves).collect();
        let mut ordered = Vec::new();
        if self.is_split(group.tail()) {
            let mut branches: Vec<_> = all.iter().copied().filter(|wire| wire.is_main()).collect();
            branches.sort_by_key(|wire| wire.branch.unwrap_or(0));
            ordered.extend(branches);
            ordered.extend(all.iter().copied().filter(|wire| !wire.is_main()));
            return ordered;
        }
        for op in &self.ops {
            let mine = || all.iter().copied().filter(|wire| same(wire.to, op));
            ordered.extend(mine().filter(|wire| !wire.is_main()));
            ordered.extend(mine().filter(|wire| wire.is_main()));
        }
        ordered
    }
}
