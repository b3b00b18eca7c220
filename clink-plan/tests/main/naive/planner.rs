//! Groups the operators of a job by looking everything up again each time it is needed.

use serde_json::Value;

use super::wires::{Job, list, parallelism, same, text};

const CHAIN_LENGTH_MAX: usize = 64;

/// What the naive planner may do besides placing each operator by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) chaining: bool,
    pub(super) fusing: bool,
}

/// Operators that share their subtasks, and where those are numbered from.
pub(super) struct Group<'g> {
    pub(super) members: Vec<&'g Value>,
    pub(super) source: Option<&'g Value>,
    pub(super) sink: Option<&'g Value>,
    pub(super) first: u64,
}

impl<'g> Group<'g> {
    pub(super) fn head(&self) -> &'g Value {
        self.members[0]
    }

    pub(super) fn tail(&self) -> &'g Value {
        self.members[self.members.len() - 1]
    }

    pub(super) fn has(&self, op: &Value) -> bool {
        self.members.iter().any(|member| same(member, op))
    }

    pub(super) fn is_sink(&self, op: &Value) -> bool {
        self.sink.is_some_and(|sink| same(sink, op))
    }

    /// Whether two lists of groups of one job are the same: how a chain goes on, and what it can
    /// be fused with, follow from its head.
    pub(super) fn all_same(some: &[Group<'_>], others: &[Group<'_>]) -> bool {
        let shape = |group: &Group<'_>| (group.members.len(), group.source.is_some());
        some.len() == others.len()
            && some.iter().zip(others).all(|(one, other)| {
                same(one.head(), other.head())
                    && shape(one) == shape(other)
                    && one.sink.is_some() == other.sink.is_some()
            })
    }
}

impl<'g> Job<'g> {
    /// The groups of the job, as their heads are listed, with their numbers.
    pub(super) fn planned(&self, choice: Choice) -> Vec<Group<'g>> {
        let mut groups = self.groups(choice.chaining);
        if choice.fusing {
            self.fuse(&mut groups);
        }
        let mut first = 0;
        for group in &mut groups {
            group.first = first;
            first += parallelism(group.head());
        }
        groups
    }

    /// The operator that may run right behind `op`, in the same subtask.
    fn follower(&self, op: &Value) -> Option<&'g Value> {
        if self.kind(op) != "operator" || self.is_split(op) {
            return None;
        }
        let readers = self.readers(op);
        let main: Vec<_> = readers.iter().filter(|wire| wire.is_main()).collect();
        if main.len() != 1 {
            return None;
        }
        let next = main[0].to;
        let fits = self.kind(next) == "operator"
            && self.inputs(next).len() == 1
            && parallelism(next) == parallelism(op)
            && (text(next, "key_by").is_empty() || parallelism(next) == 1);
        fits.then_some(next)
    }

    fn groups(&self, chaining: bool) -> Vec<Group<'g>> {
        let mut links = Vec::new();
        for &op in &self.ops {
            if let Some(next) = self.follower(op).filter(|_| chaining) {
                links.push((op, next));
            }
        }
        let mut found: Vec<Vec<&Value>> = Vec::new();
        for &op in &self.ops {
            if links.iter().any(|(_, next)| same(next, op)) {
                continue;
            }
            let mut line = vec![op];
            let mut last = op;
            while let Some((_, next)) = links.iter().find(|(before, _)| same(before, last)) {
                line.push(next);
                last = next;
            }
            for piece in line.chunks(CHAIN_LENGTH_MAX) {
                found.push(piece.to_vec());
            }
        }
        let mut groups = Vec::new();
        for &op in &self.ops {
            for members in found.iter().filter(|members| same(members[0], op)) {
                let members = members.clone();
                groups.push(Group { members, source: None, sink: None, first: 0 });
            }
        }
        groups
    }

    /// Moves lone sources and sinks into the groups beside them.
    fn fuse(&self, groups: &mut Vec<Group<'g>>) {
        let mut gone: Vec<&Value> = Vec::new();
        for group in groups.iter_mut() {
            let (head, tail) = (group.head(), group.tail());
            let inside = |op| !self.inputs(op).is_empty() && !self.readers(op).is_empty();
            if parallelism(head) != 1 || !inside(head) || !inside(tail) {
                continue;
            }
            group.source = self.lone_source(head);
            group.sink = self.lone_sink(tail);
            gone.extend(group.source);
            gone.extend(group.sink);
        }
        groups.retain(|group| !gone.iter().any(|op| same(op, group.head())));
    }

    fn lone_source(&self, head: &Value) -> Option<&'g Value> {
        let inputs = self.inputs(head);
        let [wire] = inputs[..] else { return None };
        let lone = wire.is_main()
            && wire.branch.is_none()
            && self.inputs(wire.from).is_empty()
            && parallelism(wire.from) == 1
            && self.readers(wire.from).len() == 1
            && list(wire.from, "side_outputs").is_empty();
        lone.then_some(wire.from)
    }

    fn lone_sink(&self, tail: &Value) -> Option<&'g Value> {
        let readers = self.readers(tail);
        let [wire] = readers[..] else { return None };
        let lone = wire.is_main()
            && wire.branch.is_none()
            && self.readers(wire.to).is_empty()
            && self.inputs(wire.to).len() == 1
            && parallelism(wire.to) == 1;
        lone.then_some(wire.to)
    }
}
