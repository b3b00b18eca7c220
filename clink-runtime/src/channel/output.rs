//! Shows a subtask all its outputs as one: the main one, whole or split, and side outputs.

use std::collections::VecDeque;

use crossbeam_channel::Receiver as SpareReceiver;

use crate::config::{BATCH_RECORDS, SHUFFLE_BUFFER_RECORDS};
use crate::error::Result;

use super::StreamElement;
use super::batch::ErasedBatch;
use super::bounded::EdgeSender;
use super::partition::{Partitioner, Shuffle};
use super::select::{Selector, no_such_branch};

/// Which records an output group carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// All of the main output.
    Main,
    /// Those of one branch of the main output.
    Branch(u32),
    /// Those of the side output with that port.
    Side(u32),
}

/// How the records of an output group spread over its targets.
pub enum Spread {
    /// To each in turn; to the only one.
    InTurn,
    /// To the one that owns the record's key.
    ByKey(Box<dyn Partitioner>),
    /// To every one.
    ToAll,
}

/// Where the records of one output group go.
pub struct OutputGroup {
    /// Which records.
    pub origin: Origin,
    /// How they spread.
    pub spread: Spread,
    /// One edge per target subtask.
    pub targets: Vec<EdgeSender>,
}

struct Group {
    origin: Origin,
    spread: Spread,
    next: u32,
    buffer_records: usize,
    shuffle: Option<Box<dyn Shuffle>>,
    outputs: Outputs,
}

/// The edges of a group, and which of them have something to send: with many targets most have
/// nothing most of the time.
struct Outputs {
    edges: Vec<Output>,
    pending: Vec<u32>,
}

struct Output {
    edge: EdgeSender,
    pending: VecDeque<StreamElement>,
}

impl Outputs {
    fn push(&mut self, target: u32, element: StreamElement) {
        if let Some(output) = self.edges.get_mut(target as usize) {
            if output.pending.is_empty() {
                self.pending.push(target);
            }
            output.push(element);
        }
    }

    fn push_control(&mut self, control: &StreamElement) {
        for (target, output) in (0u32..).zip(&mut self.edges) {
            if output.pending.is_empty() {
                self.pending.push(target);
            }
            output.pending.extend(control.copy_control());
        }
    }

    /// Sends what fits; true if nothing is left.
    fn send(&mut self) -> bool {
        let Self { edges, pending } = self;
        pending.retain(|target| edges.get_mut(*target as usize).is_some_and(|edge| !edge.flush()));
        pending.is_empty()
    }
}

impl Output {
    fn push(&mut self, element: StreamElement) {
        let capacity = self.edge.capacity() as usize;
        match element {
            StreamElement::Data(mut batch) => {
                while batch.len() > capacity {
                    let front = batch.as_any_batch().take_front(capacity);
                    self.pending.push_back(StreamElement::Data(front));
                }
                if !batch.is_empty() {
                    self.pending.push_back(StreamElement::Data(batch));
                }
            }
            control => self.pending.push_back(control),
        }
    }

    /// Sends in order until something has to wait; true if nothing waits.
    fn flush(&mut self) -> bool {
        while let Some(element) = self.pending.pop_front() {
            if let Err(element) = self.edge.try_send(element) {
                self.pending.push_front(element);
                return false;
            }
        }
        true
    }
}

impl Group {
    fn new(group: OutputGroup) -> Self {
        let fan_out = group.targets.len().max(1);
        let edge = group.targets.iter().map(EdgeSender::capacity).min().unwrap_or(1) as usize;
        let share = SHUFFLE_BUFFER_RECORDS / fan_out;
        Self {
            origin: group.origin,
            spread: group.spread,
            next: 0,
            buffer_records: share.clamp(1, BATCH_RECORDS).min(edge),
            shuffle: None,
            outputs: Outputs {
                edges: (group.targets.into_iter())
                    .map(|edge| Output { edge, pending: VecDeque::new() })
                    .collect(),
                pending: Vec::new(),
            },
        }
    }

    /// True if records are sorted by target here.
    fn sorts(&self) -> bool {
        self.outputs.edges.len() > 1 && !matches!(self.spread, Spread::ToAll)
    }

    fn data(&mut self, mut batch: ErasedBatch, targets: &mut Vec<u32>) {
        let count = u32::try_from(self.outputs.edges.len()).unwrap_or(u32::MAX);
        let Self { outputs, shuffle, spread, .. } = self;
        if count <= 1 {
            outputs.push(0, StreamElement::Data(batch));
            return;
        }
        targets.clear();
        match spread {
            Spread::ToAll => {
                for target in 1..count {
                    outputs.push(target, StreamElement::Data(batch.copy()));
                }
                outputs.push(0, StreamElement::Data(batch));
                return;
            }
            Spread::ByKey(partitioner) => partitioner.targets(&batch, targets),
            Spread::InTurn => targets.extend((0..batch.len()).map(|_| {
                let target = self.next;
                self.next = if target + 1 >= count { 0 } else { target + 1 };
                target
            })),
        }
        let shuffle = shuffle.get_or_insert_with(|| {
            batch.as_any_batch().shuffle(outputs.edges.len(), self.buffer_records)
        });
        shuffle.scatter(batch, targets, &mut |target, full| {
            outputs.push(target, StreamElement::Data(full));
        });
    }

    fn flush_buffers(&mut self) {
        let Self { outputs, shuffle, .. } = self;
        if let Some(shuffle) = shuffle {
            shuffle.flush(&mut |target, full| outputs.push(target, StreamElement::Data(full)));
        }
    }
}

/// The groups with that origin get the records, the last of them the batch itself.
fn give(groups: &mut [Group], origin: Origin, batch: ErasedBatch, targets: &mut Vec<u32>) {
    let mut readers = groups.iter_mut().filter(|group| group.origin == origin).peekable();
    while let Some(group) = readers.next() {
        if readers.peek().is_none() {
            group.data(batch, targets);
            return;
        }
        group.data(batch.copy(), targets);
    }
}

/// Sorts the records of a main output by branch.
struct Split {
    selector: Box<dyn Selector>,
    branches: usize,
    shuffle: Option<Box<dyn Shuffle>>,
}

impl Split {
    fn data(
        &mut self,
        mut batch: ErasedBatch,
        groups: &mut [Group],
        targets: &mut Vec<u32>,
    ) -> Result<()> {
        let mut chosen = Vec::with_capacity(batch.len());
        self.selector.branches(&batch, &mut chosen);
        if let Some(branch) = chosen.iter().find(|branch| **branch as usize >= self.branches) {
            return Err(no_such_branch(self.selector.as_ref(), *branch, self.branches));
        }
        let shuffle = self
            .shuffle
            .get_or_insert_with(|| batch.as_any_batch().shuffle(self.branches, BATCH_RECORDS));
        shuffle.scatter(batch, &chosen, &mut |branch, full| {
            give(groups, Origin::Branch(branch), full, targets);
        });
        Ok(())
    }

    fn flush(&mut self, groups: &mut [Group], targets: &mut Vec<u32>) {
        if let Some(shuffle) = &mut self.shuffle {
            shuffle.flush(&mut |branch, full| give(groups, Origin::Branch(branch), full, targets));
        }
    }
}

/// All outputs of a subtask. What does not fit yet stays here, in order; a subtask takes no new
/// input until it is gone.
pub struct OutputGate {
    groups: Vec<Group>,
    split: Option<Split>,
    targets: Vec<u32>,
    spares: SpareReceiver<ErasedBatch>,
}

impl OutputGate {
    /// A gate over output groups, of which the main ones are branches if there is a `selector`;
    /// `spares` brings emptied batches back.
    pub fn new(
        groups: Vec<OutputGroup>,
        selector: Option<Box<dyn Selector>>,
        spares: SpareReceiver<ErasedBatch>,
    ) -> Self {
        let branch = |group: &OutputGroup| match group.origin {
            Origin::Branch(branch) => branch as usize + 1,
            Origin::Main | Origin::Side(_) => 0,
        };
        let branches = groups.iter().map(branch).max().unwrap_or(0);
        Self {
            groups: groups.into_iter().map(Group::new).collect(),
            split: selector.map(|selector| Split { selector, branches, shuffle: None }),
            targets: Vec::new(),
            spares,
        }
    }

    /// Queues an element of the main output; control elements go to every target, after all
    /// records that came before them.
    ///
    /// # Errors
    /// If a selector names a branch that nobody reads.
    pub fn push(&mut self, element: StreamElement) -> Result<()> {
        let Self { groups, split, targets, .. } = self;
        match element {
            StreamElement::Data(batch) => match split {
                Some(split) => split.data(batch, groups, targets)?,
                None => give(groups, Origin::Main, batch, targets),
            },
            control => {
                if let Some(split) = split {
                    split.flush(groups, targets);
                }
                let main = |group: &&mut Group| !matches!(group.origin, Origin::Side(_));
                for group in groups.iter_mut().filter(main) {
                    group.flush_buffers();
                    group.outputs.push_control(&control);
                }
            }
        }
        Ok(())
    }

    /// Queues an element of a side output.
    pub fn push_side(&mut self, port: u32, element: StreamElement) {
        let Self { groups, targets, .. } = self;
        match element {
            StreamElement::Data(batch) => give(groups, Origin::Side(port), batch, targets),
            control => {
                let side = |group: &&mut Group| group.origin == Origin::Side(port);
                for group in groups.iter_mut().filter(side) {
                    group.flush_buffers();
                    group.outputs.push_control(&control);
                }
            }
        }
    }

    /// Sends what fits; false if something waits for credit (the subtask is woken when it comes).
    pub fn send(&mut self) -> bool {
        let mut all = true;
        for group in &mut self.groups {
            all &= group.outputs.send();
        }
        all
    }

    /// Moves records that wait in shuffle buffers on their way.
    pub fn flush_buffers(&mut self) {
        let Self { groups, split, targets, .. } = self;
        if let Some(split) = split {
            split.flush(groups, targets);
        }
        for group in groups {
            group.flush_buffers();
        }
    }

    /// True if records are sorted here and wait for company.
    pub fn spreads(&self) -> bool {
        self.split.is_some() || self.groups.iter().any(Group::sorts)
    }

    /// An emptied batch that came back, for the next records: to the shuffle where there is one,
    /// else to the caller.
    pub fn spare(&mut self) -> Option<ErasedBatch> {
        let shuffle = self.groups.iter_mut().find_map(|group| group.shuffle.as_mut());
        let Some(shuffle) = shuffle else { return self.spares.try_recv().ok() };
        while shuffle.wants_spares() {
            shuffle.recycle(self.spares.try_recv().ok()?);
        }
        None
    }

    /// Closes every edge; everything pushed before has been sent.
    pub fn close(&mut self) {
        for output in self.groups.iter().flat_map(|group| &group.outputs.edges) {
            output.edge.close();
        }
    }
}
