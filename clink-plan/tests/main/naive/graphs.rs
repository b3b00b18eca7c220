//! Makes valid job graphs of every shape, each from a seed.

use serde_json::{Value, json};

use super::random::Random;

const INT: &str = "int64";
const TEXT: &str = "string";
const INT_SELECTORS: [&str; 3] = ["int64_even_odd", "int64_mod_2", "int64_mod_3"];
const TEXT_SELECTORS: [&str; 1] = ["string_first_char_parity"];
const TAGS: [&str; 3] = ["late", "bad", "odd::tag"];

/// Something an operator may read.
struct Port {
    op: usize,
    /// What stands behind the operator's id in a reference.
    suffix: String,
    channel: &'static str,
    read: bool,
}

/// A graph in the making; its operators are in topological order.
struct Draft {
    random: Random,
    /// The parallelism that operators have, unless they have that of what they read.
    widths: &'static [u64],
    ops: Vec<Value>,
    ports: Vec<Port>,
}

/// Most graphs are narrow: keyed operators are chained and ends fused at parallelism 1 only.
const NARROW: &[u64] = &[1, 1, 1, 1, 1, 1, 1, 1, 1, 2];
const WIDE: &[u64] = &[1, 1, 1, 2, 2, 2, 2, 3, 4];

/// The graph of a seed, as JSON.
pub(crate) fn graph(seed: u64) -> Value {
    let mut random = Random::seeded(seed);
    let widths = random.pick(&[NARROW, NARROW, WIDE]);
    let mut draft = Draft { random, widths, ops: Vec::new(), ports: Vec::new() };
    for _ in 0..draft.random.pick(&[1, 1, 1, 1, 1, 1, 2, 3]) {
        draft.source();
    }
    for _ in 0..draft.random.pick(&[0, 1, 1, 2, 2, 3, 4]) {
        draft.shape();
    }
    if draft.random.once_in(1000) {
        draft.long_line();
    }
    draft.sinks();
    let mut ops = draft.ops;
    if draft.random.once_in(2) {
        draft.random.shuffle(&mut ops);
    }
    json!({ "ops": ops })
}

impl Draft {
    fn source(&mut self) {
        let (type_name, out) = self.random.pick(&[
            ("int64_range_source", INT),
            ("int64_range_source", INT),
            ("string_lines_source", TEXT),
            ("file_text_source", TEXT),
        ]);
        let op = self.add(type_name, out, &[]);
        self.offer(op, out);
    }

    /// Adds an operator, or a few that belong together.
    fn shape(&mut self) {
        match self.random.below(12) {
            0 => self.two_inputs("int64_int64_match_join", INT, INT),
            1 => self.two_inputs("apply_rules", INT, TEXT),
            2 => self.union(),
            3 => self.diamond(),
            _ => {
                let port = self.any_port();
                self.step(port);
            }
        }
    }

    /// Adds an operator that reads one port, and returns its first output.
    fn step(&mut self, port: usize) -> usize {
        let (type_name, out) = match self.ports[port].channel {
            INT => self.random.pick(&[
                ("identity_int64", INT),
                ("multiply_int64", INT),
                ("even_filter_int64", INT),
                ("int64_to_string", TEXT),
            ]),
            _ => self.random.pick(&[("identity_string", TEXT), ("string_to_int64", INT)]),
        };
        let op = self.add(type_name, out, &[port]);
        self.offer(op, out)
    }

    fn two_inputs(&mut self, type_name: &str, left: &str, right: &str) {
        let (Some(left), Some(right)) = (self.port_of(left), self.port_of(right)) else {
            return;
        };
        let op = self.add(type_name, INT, &[left, right]);
        self.offer(op, INT);
    }

    fn union(&mut self) {
        let first = self.any_port();
        let channel = self.ports[first].channel;
        let mut ports = vec![first];
        for _ in 0..1 + self.random.below(3) {
            let again = self.random.once_in(4);
            let next = if again { Some(first) } else { self.port_of(channel) };
            ports.extend(next);
        }
        self.meet(channel, &ports);
    }

    fn meet(&mut self, channel: &'static str, ports: &[usize]) {
        let type_name = if channel == INT { "identity_int64" } else { "identity_string" };
        let op = self.add(type_name, channel, ports);
        self.offer(op, channel);
    }

    /// Adds two operators that read one port and a third that reads both.
    fn diamond(&mut self) {
        let top = self.any_port();
        let (left, right) = (self.step(top), self.step(top));
        let channel = self.ports[left].channel;
        if channel == self.ports[right].channel {
            self.meet(channel, &[left, right]);
        }
    }

    /// Adds a line that is longer than a chain may be; nothing else is in it.
    fn long_line(&mut self) {
        let mut port = self.any_port();
        let narrow = self.random.once_in(2);
        for at in 0..66 + self.random.below(70) {
            let Port { op, channel, .. } = self.ports[port];
            let reference = self.reference(port);
            let parallelism = if narrow { json!(1) } else { self.ops[op]["parallelism"].clone() };
            let type_name = if channel == INT { "identity_int64" } else { "identity_string" };
            self.ops.push(json!({
                "id": format!("line{at}"), "type": type_name, "out_channel": channel,
                "inputs": [reference], "parallelism": parallelism,
            }));
            self.port(self.ops.len() - 1, String::new(), channel);
            port = self.ports.len() - 1;
        }
    }

    /// Gives every output that must be read a sink, and some that need not be.
    fn sinks(&mut self) {
        for port in 0..self.ports.len() {
            let Port { op, channel, read, .. } = self.ports[port];
            let side = self.ports[port].suffix.starts_with("::");
            let main = self.ports[port].suffix.is_empty();
            let side_read = self
                .ports
                .iter()
                .any(|other| other.op == op && other.read && other.suffix.starts_with("::"));
            // A join or a co-operator need not be read; what is neither would be a sink.
            let two_inputs = ["int64_int64_match_join", "apply_rules"]
                .contains(&self.ops[op]["type"].as_str().unwrap());
            let optional = side || (main && (side_read || two_inputs));
            if read || (optional && self.random.once_in(2)) {
                continue;
            }
            let mut ports = vec![port];
            if self.random.once_in(3) {
                ports.extend((port + 1..self.ports.len()).filter(|&other| {
                    let Port { channel: other_channel, read, .. } = self.ports[other];
                    other_channel == channel && !read
                }));
            }
            self.sink(channel, &ports);
        }
    }

    fn sink(&mut self, channel: &'static str, ports: &[usize]) {
        let type_name = match channel {
            INT => "file_int64_sink",
            _ => self.random.pick(&["file_line_sink", "file_text_sink"]),
        };
        // What a sink says of its output means nothing, and may be anything.
        let out = if self.random.once_in(6) { self.random.pick(&[INT, TEXT]) } else { channel };
        self.add(type_name, out, ports);
    }

    fn add(&mut self, type_name: &str, out: &str, ports: &[usize]) -> usize {
        let number = self.ops.len();
        let id = match self.random.below(8) {
            0 => format!("v1.n{number}"),
            1 => format!("n{number}.b"),
            _ => format!("n{number}"),
        };
        let inputs: Vec<String> = ports.iter().map(|&port| self.reference(port)).collect();
        let upstream =
            ports.first().map(|&port| self.ops[self.ports[port].op]["parallelism"].clone());
        let parallelism = match upstream {
            Some(upstream) if !self.random.once_in(5) => upstream.as_u64().unwrap(),
            _ => self.random.pick(self.widths),
        };
        let mut op = json!({
            "id": id, "type": type_name, "out_channel": out, "inputs": inputs,
            "parallelism": parallelism,
        });
        if !ports.is_empty() && self.random.once_in(6) {
            op["key_by"] = json!("identity");
        }
        self.decorate(&mut op);
        self.ops.push(op);
        number
    }

    /// Adds what is carried along and changes no shape.
    fn decorate(&mut self, op: &mut Value) {
        let parallelism = op["parallelism"].as_u64().unwrap();
        if self.random.once_in(6) {
            op["min_parallelism"] = json!(1 + self.random.below(parallelism as usize));
            op["max_parallelism"] = json!(parallelism as usize + self.random.below(4));
        }
        if self.random.once_in(4) {
            op["uid"] = json!(format!("uid-{}", self.ops.len()));
        }
        if self.random.once_in(6) {
            op["display_name"] = json!("Zähler");
        }
        if self.random.once_in(4) {
            op["params"] = json!({"count": "10", "forced_singleton": ""});
        }
    }

    /// Decides how the output of an operator can be read, and returns its first port.
    fn offer(&mut self, op: usize, out: &'static str) -> usize {
        let first = self.ports.len();
        let split = self.random.once_in(8);
        if split || self.random.once_in(12) {
            let selector = match out {
                INT => self.random.pick(&INT_SELECTORS),
                _ => self.random.pick(&TEXT_SELECTORS),
            };
            if self.ops[op].get("params").is_none() {
                self.ops[op]["params"] = json!({});
            }
            self.ops[op]["params"]["selector_fn"] = json!(selector);
        }
        let branches = if split { 1 + self.random.below(3) } else { 0 };
        for branch in 0..branches {
            self.port(op, format!(".{branch}"), out);
        }
        if !split {
            self.port(op, String::new(), out);
        }
        if self.random.once_in(6) {
            let mut tags = TAGS;
            self.random.shuffle(&mut tags);
            let mut sides = Vec::new();
            for tag in &tags[..self.random.pick(&[1, 1, 1, 2, 3])] {
                let channel = self.random.pick(&[INT, TEXT]);
                sides.push(json!({"tag": tag, "channel_type": channel}));
                self.port(op, format!("::{tag}"), channel);
            }
            self.ops[op]["side_outputs"] = json!(sides);
        }
        first
    }

    fn port(&mut self, op: usize, suffix: String, channel: &'static str) {
        self.ports.push(Port { op, suffix, channel, read: false });
    }

    /// The text by which a port is read, of those that mean it.
    fn reference(&mut self, port: usize) -> String {
        let port = &mut self.ports[port];
        port.read = true;
        let id = self.ops[port.op]["id"].as_str().unwrap();
        let plain = port.suffix.is_empty() || (port.suffix == ".0" && self.random.once_in(4));
        match (plain, self.random.once_in(20)) {
            (true, true) => format!("{id}::"),
            (true, false) => id.to_owned(),
            (false, _) => format!("{id}{}", port.suffix),
        }
    }

    fn any_port(&mut self) -> usize {
        let all: Vec<usize> = (0..self.ports.len()).collect();
        self.prefer_unread(&all).unwrap()
    }

    fn port_of(&mut self, channel: &str) -> Option<usize> {
        let all = 0..self.ports.len();
        let fitting: Vec<usize> = all.filter(|&port| self.ports[port].channel == channel).collect();
        self.prefer_unread(&fitting)
    }

    /// Mostly a port that nothing reads yet: forks come by themselves, lines do not.
    fn prefer_unread(&mut self, ports: &[usize]) -> Option<usize> {
        let unread: Vec<usize> =
            ports.iter().copied().filter(|&port| !self.ports[port].read).collect();
        let from = if unread.is_empty() || self.random.once_in(5) { ports } else { &unread };
        if from.is_empty() { None } else { Some(self.random.pick(from)) }
    }
}
