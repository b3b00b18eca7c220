//! Counts in how many plans each shape occurs, so that agreement is about something.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::planner::Group;
use super::wires::{Job, list, parallelism, same, text};

/// The shapes, and the least number of different plans in which each must occur: about half of
/// what there are.
const FLOORS: &[(&str, usize)] = &[
    ("a branch with several readers", 800),
    ("a chain", 1_000),
    ("a chain behind a side output", 100),
    ("a chain behind a union", 300),
    ("a chain listed out of order", 500),
    ("a chain of full length", 10),
    ("a chain that changes the type", 700),
    ("a chain that ends in a split", 200),
    ("a co-operator", 500),
    ("a diamond", 1_000),
    ("a fork", 2_000),
    ("a fused keyed sink", 300),
    ("a fused sink", 1_000),
    ("a fused sink behind several inputs", 500),
    ("a fused source", 1_000),
    ("a hash edge", 3_000),
    ("a hash edge to one subtask", 2_000),
    ("a join", 800),
    ("a join that nothing reads", 200),
    ("a keyed follower", 300),
    ("a keyed head of a wide chain", 50),
    ("a keyed operator with several inputs", 900),
    ("a keyed sink", 2_000),
    ("a plain reader of a split", 500),
    ("a reader before its upstream", 3_000),
    ("a rebalance edge", 1_000),
    ("a side output from within a chain", 100),
    ("a sink with several inputs", 2_000),
    ("a source with a side output that is read", 1_000),
    ("a split", 2_000),
    ("a split behind a side output of its chain", 10),
    ("a split with a side output", 400),
    ("a union", 1_000),
    ("a wide chain", 200),
    ("a wide forward edge", 2_000),
    ("an operator with bounds", 5_000),
    ("an operator with several tags", 1_000),
    ("an upstream read twice", 2_000),
    ("both ends fused", 600),
    ("one tag of two operators of a chain", 10),
    ("only side outputs read", 400),
    ("several sinks", 4_000),
    ("several sources", 2_000),
    ("three branches", 900),
];

type Seen = BTreeSet<&'static str>;

/// How many plans held each shape.
#[derive(Default)]
pub(super) struct Coverage {
    plans: BTreeMap<&'static str, usize>,
}

impl Coverage {
    pub(super) fn count(&mut self, job: &Job<'_>, groups: &[Group<'_>]) {
        let mut seen = Seen::new();
        in_job(job, &mut seen);
        for group in groups {
            in_members(job, group, &mut seen);
            in_outputs(job, group, &mut seen);
        }
        for shape in seen {
            *self.plans.entry(shape).or_default() += 1;
        }
    }

    pub(super) fn add(&mut self, other: Coverage) {
        for (shape, plans) in other.plans {
            *self.plans.entry(shape).or_default() += plans;
        }
    }

    /// Fails if a shape was too rare, or has no floor.
    pub(super) fn assert_enough(&self) {
        let count = |shape: &str| self.plans.get(shape).copied().unwrap_or(0);
        let rare: Vec<_> = FLOORS.iter().filter(|(shape, floor)| count(shape) < *floor).collect();
        let named: Seen = FLOORS.iter().map(|(shape, _)| *shape).collect();
        let unnamed: Vec<_> = self.plans.keys().filter(|shape| !named.contains(*shape)).collect();
        let good = rare.is_empty() && unnamed.is_empty();
        assert!(good, "too rare: {rare:?}\nwithout a floor: {unnamed:?}\n{:#?}", self.plans);
    }
}

/// Notes a shape if it is there.
fn note(seen: &mut Seen, shape: &'static str, there: bool) {
    if there {
        seen.insert(shape);
    }
}

fn is_keyed(op: &Value) -> bool {
    !text(op, "key_by").is_empty()
}

fn in_job(job: &Job<'_>, seen: &mut Seen) {
    let of_kind = |kind: &str| job.ops.iter().filter(|op| job.kind(op) == kind).count();
    note(seen, "several sources", of_kind("source") > 1);
    note(seen, "several sinks", of_kind("sink") > 1);
    let place = |op: &Value| job.ops.iter().position(|other| same(other, op));
    note(seen, "a reader before its upstream", {
        job.wires.iter().any(|wire| place(wire.to) < place(wire.from))
    });
    for op in &job.ops {
        let (kind, inputs, readers) = (job.kind(op), job.inputs(op), job.readers(op));
        note(seen, "a join", kind == "join");
        note(seen, "a co-operator", kind == "co_operator");
        note(seen, "a join that nothing reads", kind == "join" && readers.is_empty());
        note(seen, "a union", kind == "operator" && inputs.len() > 1);
        note(seen, "a sink with several inputs", kind == "sink" && inputs.len() > 1);
        note(seen, "a keyed operator with several inputs", is_keyed(op) && inputs.len() > 1);
        note(seen, "a keyed sink", kind == "sink" && is_keyed(op));
        note(seen, "an operator with bounds", op.get("max_parallelism").is_some());
        note(seen, "an upstream read twice", {
            let twice = |at: usize| inputs[..at].iter().any(|one| same(one.from, inputs[at].from));
            (0..inputs.len()).any(twice)
        });
        note(seen, "a diamond", {
            let above = |at: usize| job.inputs(inputs[at].from);
            let meets = |one: usize, other: usize| {
                !same(inputs[one].from, inputs[other].from)
                    && above(one).iter().any(|x| above(other).iter().any(|y| same(x.from, y.from)))
            };
            (0..inputs.len()).any(|other| (0..other).any(|one| meets(one, other)))
        });
        note(seen, "a source with a side output that is read", {
            kind == "source" && readers.iter().any(|wire| !wire.is_main())
        });
        note(seen, "only side outputs read", {
            !readers.is_empty() && readers.iter().all(|wire| !wire.is_main())
        });
    }
}

fn in_members(job: &Job<'_>, group: &Group<'_>, seen: &mut Seen) {
    let (head, width) = (group.head(), parallelism(group.head()));
    let chained = group.members.len() > 1;
    note(seen, "a chain", chained);
    note(seen, "a wide chain", chained && width > 1);
    note(seen, "a chain of full length", group.members.len() == 64);
    note(seen, "a keyed head of a wide chain", chained && width > 1 && is_keyed(head));
    note(seen, "a keyed follower", group.members.iter().skip(1).any(|op| is_keyed(op)));
    note(seen, "a chain behind a side output", {
        chained && job.inputs(head).iter().any(|wire| !wire.is_main())
    });
    note(seen, "a chain behind a union", chained && job.inputs(head).len() > 1);
    note(seen, "a chain that changes the type", {
        let channel = |op: &&Value| text(op, "out_channel").to_owned();
        group.members.iter().any(|op| channel(op) != channel(&head))
    });
    note(seen, "a chain listed out of order", {
        let place = |op: &Value| job.ops.iter().position(|other| same(other, op));
        !group.members.is_sorted_by_key(|op| place(op))
    });
    note(seen, "a fused source", group.source.is_some());
    note(seen, "a fused sink", group.sink.is_some());
    note(seen, "both ends fused", group.source.is_some() && group.sink.is_some());
    note(seen, "a fused sink behind several inputs", {
        group.sink.is_some() && job.inputs(head).len() > 1
    });
    note(seen, "a fused keyed sink", group.sink.is_some_and(is_keyed));
}

fn in_outputs(job: &Job<'_>, group: &Group<'_>, seen: &mut Seen) {
    let split = job.is_split(group.tail());
    let wires = job.leaving(group);
    let mains: Vec<_> = wires.iter().filter(|wire| wire.is_main()).collect();
    let sides: Vec<_> = wires.iter().filter(|wire| !wire.is_main()).collect();
    note(seen, "a fork", !split && mains.len() > 1);
    note(seen, "a split", split);
    note(seen, "a split with a side output", split && !sides.is_empty());
    note(seen, "a chain that ends in a split", split && group.members.len() > 1);
    note(seen, "a branch with several readers", {
        let numbers: BTreeSet<u64> = mains.iter().filter_map(|wire| wire.branch).collect();
        split && numbers.len() < mains.len()
    });
    note(seen, "a plain reader of a split", split && mains.iter().any(|w| w.branch.is_none()));
    note(seen, "three branches", mains.iter().any(|wire| wire.branch == Some(2)));
    note(seen, "a side output from within a chain", {
        sides.iter().any(|wire| !same(wire.from, group.tail()))
    });
    note(seen, "a split behind a side output of its chain", {
        split && sides.iter().any(|wire| !same(wire.from, group.tail()))
    });
    note(seen, "one tag of two operators of a chain", {
        let twins = |one: usize, other: usize| {
            sides[one].tag == sides[other].tag && !same(sides[one].from, sides[other].from)
        };
        (0..sides.len()).any(|other| (0..other).any(|one| twins(one, other)))
    });
    note(seen, "an operator with several tags", {
        group.members.iter().any(|op| list(op, "side_outputs").len() > 1)
    });
    for wire in wires {
        note(seen, "a hash edge", wire.mode() == "hash");
        note(
            seen,
            "a hash edge to one subtask",
            wire.mode() == "hash" && parallelism(wire.to) == 1,
        );
        note(seen, "a rebalance edge", wire.mode() == "rebalance");
        note(seen, "a wide forward edge", wire.mode() == "forward" && parallelism(wire.to) > 1);
    }
}
