//! Reads a graph's JSON into the list of all its references, in which everything is looked up.

use serde_json::Value;

/// One reference: who reads what of whom.
pub(super) struct Wire<'g> {
    pub(super) from: &'g Value,
    pub(super) tag: &'g str,
    pub(super) branch: Option<u64>,
    pub(super) to: &'g Value,
    pub(super) ordinal: usize,
}

/// A graph, read.
pub(super) struct Job<'g> {
    pub(super) ops: Vec<&'g Value>,
    pub(super) wires: Vec<Wire<'g>>,
}

pub(super) fn text<'v>(op: &'v Value, field: &str) -> &'v str {
    op.get(field).and_then(Value::as_str).unwrap_or("")
}

pub(super) fn number(op: &Value, field: &str, otherwise: u64) -> u64 {
    op.get(field).and_then(Value::as_u64).unwrap_or(otherwise)
}

pub(super) fn list<'v>(op: &'v Value, field: &str) -> &'v [Value] {
    op.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn parallelism(op: &Value) -> u64 {
    number(op, "parallelism", 1)
}

/// Operators are told apart by where they stand in the document.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    std::ptr::eq(one, other)
}

/// An id, a tag and a branch.
fn understood(reference: &str) -> (&str, &str, Option<u64>) {
    if let Some(at) = reference.find("::") {
        return (&reference[..at], &reference[at + 2..], None);
    }
    if let Some(at) = reference.rfind('.') {
        let digits = &reference[at + 1..];
        if !digits.is_empty() && digits.chars().all(|letter| letter.is_ascii_digit()) {
            return (&reference[..at], "", digits.parse().ok());
        }
    }
    (reference, "", None)
}

impl<'g> Wire<'g> {
    pub(super) fn is_main(&self) -> bool {
        self.tag.is_empty()
    }

    pub(super) fn channel(&self) -> &'g str {
        if self.is_main() {
            return text(self.from, "out_channel");
        }
        let sides = list(self.from, "side_outputs").iter();
        let mut tagged = sides.filter(|side| text(side, "tag") == self.tag);
        text(tagged.next().unwrap(), "channel_type")
    }

    pub(super) fn mode(&self) -> &'static str {
        if !text(self.to, "key_by").is_empty() {
            "hash"
        } else if parallelism(self.from) == parallelism(self.to) {
            "forward"
        } else {
            "rebalance"
        }
    }
}

impl<'g> Job<'g> {
    pub(super) fn read(graph: &'g Value) -> Job<'g> {
        let ops: Vec<&Value> = list(graph, "ops").iter().collect();
        let mut wires = Vec::new();
        for &to in &ops {
            for (ordinal, reference) in list(to, "inputs").iter().enumerate() {
                let (id, tag, branch) = understood(reference.as_str().unwrap());
                let from = ops.iter().find(|op| text(op, "id") == id).unwrap();
                wires.push(Wire { from, tag, branch, to, ordinal });
            }
        }
        Job { ops, wires }
    }

    pub(super) fn readers(&self, op: &Value) -> Vec<&Wire<'g>> {
        self.wires.iter().filter(|wire| same(wire.from, op)).collect()
    }

    pub(super) fn inputs(&self, op: &Value) -> Vec<&Wire<'g>> {
        self.wires.iter().filter(|wire| same(wire.to, op)).collect()
    }

    pub(super) fn is_split(&self, op: &Value) -> bool {
        self.readers(op).iter().any(|wire| wire.branch.is_some())
    }

    pub(super) fn kind(&self, op: &Value) -> &'static str {
        match text(op, "type") {
            "int64_int64_match_join" => "join",
            "apply_rules" => "co_operator",
            _ if self.inputs(op).is_empty() => "source",
            _ if self.readers(op).is_empty() => "sink",
            _ => "operator",
        }
    }
}
