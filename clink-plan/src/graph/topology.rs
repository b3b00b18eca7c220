//! Resolves a graph's references once, so that every later pass works on numbers.
//!
//! Limit:  time and memory grow with operators plus references; nothing here recurses.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use super::{InputRef, JobGraphSpec, OperatorSpec, Port};

/// The place of an operator in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OpIndex(usize);

/// One value for each operator of a graph.
#[derive(Clone, Debug)]
pub(crate) struct PerOp<T>(Vec<T>);

impl<T> PerOp<T> {
    /// The same value for all `count` operators.
    pub(crate) fn filled(count: usize, value: T) -> PerOp<T>
    where
        T: Clone,
    {
        PerOp(vec![value; count])
    }

    /// The values in graph order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (OpIndex, &T)> {
        self.0.iter().enumerate().map(|(index, value)| (OpIndex(index), value))
    }
}

impl<T> FromIterator<T> for PerOp<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> PerOp<T> {
        PerOp(values.into_iter().collect())
    }
}

impl<T> Index<OpIndex> for PerOp<T> {
    type Output = T;

    fn index(&self, op: OpIndex) -> &T {
        self.0.get(op.0).expect("an OpIndex is used with the graph that made it")
    }
}

impl<T> IndexMut<OpIndex> for PerOp<T> {
    fn index_mut(&mut self, op: OpIndex) -> &mut T {
        self.0.get_mut(op.0).expect("an OpIndex is used with the graph that made it")
    }
}

/// One reference of an operator, resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'g> {
    /// The reference as it is written.
    pub(crate) text: &'g str,
    /// Which output is read.
    pub(crate) port: Port<'g>,
    /// The operator that is read; `None` if the graph has none of this name.
    pub(crate) from: Option<OpIndex>,
}

/// One reader of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reader<'g> {
    /// The operator that reads.
    pub(crate) op: OpIndex,
    /// At which of its inputs.
    pub(crate) input_index: usize,
    /// Which output it reads.
    pub(crate) port: Port<'g>,
}

/// A graph with its references resolved.
#[derive(Debug)]
pub(crate) struct Topology<'g> {
    specs: &'g [OperatorSpec],
    inputs: PerOp<Vec<Input<'g>>>,
    readers: PerOp<Vec<Reader<'g>>>,
    splits: PerOp<bool>,
}

impl<'g> Topology<'g> {
    /// Resolves every reference; a name that occurs twice means its first operator.
    pub(crate) fn of(graph: &'g JobGraphSpec) -> Topology<'g> {
        let specs = graph.operators.as_slice();
        let mut named = BTreeMap::new();
        for (index, spec) in specs.iter().enumerate() {
            named.entry(spec.id.as_str()).or_insert(OpIndex(index));
        }
        let resolve = |text: &'g String| {
            let InputRef { operator, port } = InputRef::parse(text);
            Input { text, port, from: named.get(operator).copied() }
        };
        let inputs: PerOp<Vec<_>> =
            specs.iter().map(|spec| spec.inputs.iter().map(resolve).collect()).collect();
        let mut readers = PerOp::filled(specs.len(), Vec::new());
        let mut splits = PerOp::filled(specs.len(), false);
        for (op, inputs) in inputs.iter() {
            for (input_index, input) in inputs.iter().enumerate() {
                if let Some(from) = input.from {
                    readers[from].push(Reader { op, input_index, port: input.port });
                    splits[from] |= matches!(input.port, Port::Branch(_));
                }
            }
        }
        Topology { specs, inputs, readers, splits }
    }

    /// How many operators the graph has.
    pub(crate) fn len(&self) -> usize {
        self.specs.len()
    }

    /// The operators in graph order.
    pub(crate) fn ops(&self) -> impl Iterator<Item = OpIndex> + use<> {
        (0..self.specs.len()).map(OpIndex)
    }

    /// What the author wrote about `op`.
    pub(crate) fn spec(&self, op: OpIndex) -> &'g OperatorSpec {
        self.specs.get(op.0).expect("an OpIndex is used with the graph that made it")
    }

    /// What `op` reads, in declared order.
    pub(crate) fn inputs(&self, op: OpIndex) -> &[Input<'g>] {
        &self.inputs[op]
    }

    /// Who reads `op`, in graph order, then in the order of their inputs.
    pub(crate) fn readers(&self, op: OpIndex) -> &[Reader<'g>] {
        &self.readers[op]
    }

    /// Whether a reader names one of its branches, which makes it a split for all readers.
    pub(crate) fn is_split(&self, op: OpIndex) -> bool {
        self.splits[op]
    }

    /// The element type that arrives at `input`; `None` if it reads nothing that is declared.
    pub(crate) fn channel(&self, input: &Input<'g>) -> Option<&'g str> {
        let from = self.spec(input.from?);
        match input.port {
            Port::Main | Port::Branch(_) => Some(&from.out_channel),
            Port::Side(tag) => from.side_channel(tag),
        }
    }

    /// The element type that arrives at the first input that reads something declared.
    pub(crate) fn first_channel(&self, op: OpIndex) -> Option<&'g str> {
        self.inputs[op].iter().find_map(|input| self.channel(input))
    }

    /// The operators with every upstream before its readers; those on or behind a cycle are
    /// missing.
    pub(crate) fn upstream_first(&self) -> Vec<OpIndex> {
        let mut waiting: PerOp<usize> = self
            .inputs
            .iter()
            .map(|(_, inputs)| inputs.iter().filter(|input| input.from.is_some()).count())
            .collect();
        let mut order: Vec<OpIndex> = self.ops().filter(|&op| waiting[op] == 0).collect();
        let mut next = 0;
        while let Some(&op) = order.get(next) {
            next += 1;
            for reader in &self.readers[op] {
                waiting[reader.op] -= 1;
                if waiting[reader.op] == 0 {
                    order.push(reader.op);
                }
            }
        }
        order
    }
}
