//! Shows a subtask all its inputs as one and all its outputs as one.

use std::collections::VecDeque;
use std::sync::Arc;

use crossbeam_channel::Receiver as SpareReceiver;

use crate::config::{BATCH_RECORDS, SHUFFLE_BUFFER_RECORDS};
use crate::metrics::ChannelMetrics;

use super::StreamElement;
use super::batch::ErasedBatch;
use super::bounded::{Arrival, EdgeSender, Inbox, Taken};
use super::order::Order;
use super::partition::{Partitioner, Shuffle};

/// Whether arrivals are held against the grammar of a channel.
const CHECKED: bool = cfg!(debug_assertions);

/// All inputs of a subtask: hands out what arrives, but holds back edges that wait for an
/// alignment. Held messages keep their credit, so a held edge exerts backpressure and the memory
/// stays bounded.
pub struct InputGate {
    inbox: Inbox,
    /// What was held back and is due again, ahead of the inbox.
    released: VecDeque<Taken>,
    held: Vec<Option<VecDeque<Taken>>>,
    /// What each edge has delivered, where it is checked.
    orders: Vec<Order>,
}

impl InputGate {
    /// A gate over an inbox.
    pub fn new(inbox: Inbox) -> Self {
        let held = (0..inbox.edges()).map(|_| None).collect();
        let orders = vec![Order::new(); if CHECKED { inbox.edges() } else { 0 }];
        Self { inbox, released: VecDeque::new(), held, orders }
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.inbox.edges()
    }

    /// What waits in all edges together.
    pub fn metrics(&self) -> &Arc<ChannelMetrics> {
        self.inbox.metrics()
    }

    /// The next arrival on an edge that is not held, with the edge.
    pub fn take(&mut self) -> Option<(usize, Arrival)> {
        loop {
            let taken = self.released.pop_front().or_else(|| self.inbox.take())?;
            let edge = taken.edge;
            match self.held.get_mut(edge) {
                Some(Some(stash)) => stash.push_back(taken),
                _ => {
                    let arrival = self.inbox.accept(taken);
                    self.check(edge, &arrival);
                    return Some((edge, arrival));
                }
            }
        }
    }

    /// A fault here is the engine's own; the subtask fails with it, as with any panic.
    fn check(&mut self, edge: usize, arrival: &Arrival) {
        if let Some(order) = self.orders.get_mut(edge) {
            let broken = order.note(arrival).err();
            assert!(broken.is_none(), "input {edge} is out of order: {}", broken.unwrap_or(""));
        }
    }

    /// Holds an edge back.
    pub fn hold(&mut self, edge: usize) {
        if let Some(slot) = self.held.get_mut(edge) {
            slot.get_or_insert_default();
        }
    }

    /// Lets all edges go on.
    pub fn release(&mut self) {
        // Ahead of what is still due: an edge can be held twice before its backlog is used up.
        for stash in self.held.iter_mut().rev().filter_map(Option::take) {
            for taken in stash.into_iter().rev() {
                self.released.push_front(taken);
            }
        }
    }

    /// Sends an emptied batch back to its sender.
    pub fn give_back(&self, edge: usize, batch: ErasedBatch) {
        self.inbox.give_back(edge, batch);
    }
}

/// Where the records of one output group go.
pub struct OutputGroup {
    /// Finds targets by key, for a group routed by key; other groups spread records in turn.
    pub partitioner: Option<Box<dyn Partitioner>>,
    /// One edge per target subtask.
    pub targets: Vec<EdgeSender>,
}

struct Group {
    partitioner: Option<Box<dyn Partitioner>>,
    spread: bool,
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
        let targets = u32::try_from(self.edges.len()).unwrap_or(u32::MAX);
        for target in 0..targets {
            if let Some(copy) = control.copy_control() {
                self.push(target, copy);
            }
        }
    }

    /// Sends what fits; false if something still waits.
    fn send(&mut self) -> bool {
        let Self { edges, pending } = self;
        pending.retain(|target| edges.get_mut(*target as usize).is_some_and(|edge| !edge.flush()));
        pending.is_empty()
    }
}

impl Output {
    /// Queues an element, cut to what the edge can hold.
    fn push(&mut self, element: StreamElement) {
        match element {
            StreamElement::Data(mut batch) => {
                let most = self.edge.capacity() as usize;
                while batch.len() > most {
                    let front = batch.as_any_batch().take_front(most);
                    self.pending.push_back(StreamElement::Data(front));
                }
                if !batch.is_empty() {
                    self.pending.push_back(StreamElement::Data(batch));
                }
            }
            control => self.pending.push_back(control),
        }
    }

    /// Sends what fits; false if something still waits.
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
            spread: fan_out > 1,
            partitioner: group.partitioner.filter(|_| fan_out > 1),
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

    fn data(&mut self, mut batch: ErasedBatch, targets: &mut Vec<u32>) {
        let Self { outputs, shuffle, partitioner, .. } = self;
        if !self.spread {
            outputs.push(0, StreamElement::Data(batch));
            return;
        }
        targets.clear();
        match partitioner {
            Some(partitioner) => partitioner.targets(&batch, targets),
            None => {
                let count = u32::try_from(outputs.edges.len()).unwrap_or(u32::MAX);
                targets.extend((0..batch.len()).map(|_| {
                    let target = self.next;
                    self.next = if target + 1 >= count { 0 } else { target + 1 };
                    target
                }));
            }
        }
        let shuffle = shuffle.get_or_insert_with(|| {
            batch.as_any_batch().shuffle(outputs.edges.len(), self.buffer_records)
        });
        shuffle.scatter(batch, targets, &mut |target, full| {
            outputs.push(target, StreamElement::Data(full))
        });
    }

    fn flush_buffers(&mut self) {
        let Self { outputs, shuffle, .. } = self;
        if let Some(shuffle) = shuffle {
            shuffle.flush(&mut |target, full| outputs.push(target, StreamElement::Data(full)));
        }
    }
}

/// All outputs of a subtask. What does not fit yet stays here, in order; a subtask takes no new
/// input until it is gone.
pub struct OutputGate {
    groups: Vec<Group>,
    targets: Vec<u32>,
    spares: SpareReceiver<ErasedBatch>,
}

impl OutputGate {
    /// A gate over output groups; `spares` brings emptied batches back.
    pub fn new(groups: Vec<OutputGroup>, spares: SpareReceiver<ErasedBatch>) -> Self {
        Self { groups: groups.into_iter().map(Group::new).collect(), targets: Vec::new(), spares }
    }

    /// Queues an element for every group; control elements go to every target, after all records
    /// that came before them.
    pub fn push(&mut self, element: StreamElement) {
        let Some((last, others)) = self.groups.split_last_mut() else { return };
        match element {
            StreamElement::Data(batch) => {
                for group in others {
                    group.data(batch.copy(), &mut self.targets);
                }
                last.data(batch, &mut self.targets);
            }
            control => {
                for group in &mut self.groups {
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
        for group in &mut self.groups {
            group.flush_buffers();
        }
    }

    /// True if records are sorted by target here and wait for company.
    pub fn spreads(&self) -> bool {
        self.groups.iter().any(|group| group.spread)
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
