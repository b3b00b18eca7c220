//! Shows a subtask all its inputs as one.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::metrics::ChannelMetrics;

use super::batch::ErasedBatch;
use super::bounded::{Arrival, Inbox, Taken};
use super::order::Order;

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
