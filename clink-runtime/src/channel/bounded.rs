//! Moves elements between two subtasks within a budget of records, and wakes whoever waits.
//!
//! All inputs of a subtask share one queue (one queue per target, not per pair: a third of the
//! memory at 256 subtasks); each edge into it has its own budget, so that no edge can starve
//! another. The queue is crossbeam's; the budget and the wake-ups are ours and checked by loom
//! (`tests/loom_channel.rs`).
//!
//! A sender that finds the budget used up says how much it wants, **tries again**, and only then
//! waits; a receiver gives credit back first and looks for a waiting sender second. A fence
//! between the two steps on either side makes it impossible that both miss each other.

use std::sync::Arc;

use crossbeam_channel::{Receiver as SpareReceiver, Sender as SpareSender};

use crate::sync::atomic::{AtomicU32, Ordering, fence};
use crate::sync::queue::{Receiver, Sender, queue};
use crate::sync::wake::Waker;

use super::batch::ErasedBatch;
use super::{StreamElement, credit};

/// What one edge's two ends share.
#[derive(Debug)]
struct Budget {
    capacity: u32,
    /// Records sent and not yet taken. Only the sender adds, only the receiver takes away.
    held: AtomicU32,
    /// Free records a waiting sender asks for; zero while none waits.
    wanted: AtomicU32,
    sender: Waker,
}

impl Budget {
    fn reserve(&self, cost: u32) -> bool {
        if self.held.load(Ordering::Acquire).saturating_add(cost) > self.capacity {
            return false;
        }
        self.held.fetch_add(cost, Ordering::AcqRel);
        true
    }

    /// Reserves, or leaves word that so much is wanted.
    fn reserve_or_wait(&self, cost: u32) -> bool {
        if self.reserve(cost) {
            return true;
        }
        self.wanted.store(cost, Ordering::Release);
        fence(Ordering::SeqCst);
        if self.reserve(cost) {
            self.wanted.store(0, Ordering::Release);
            return true;
        }
        false
    }

    fn release(&self, cost: u32) {
        let held = self.held.fetch_sub(cost, Ordering::AcqRel).saturating_sub(cost);
        fence(Ordering::SeqCst);
        let wanted = self.wanted.load(Ordering::Acquire);
        if wanted != 0
            && self.capacity.saturating_sub(held) >= wanted
            && self.wanted.swap(0, Ordering::AcqRel) != 0
        {
            self.sender.wake();
        }
    }
}

/// What travels in the queue of a subtask.
#[derive(Debug)]
pub enum Arrival {
    /// An element.
    Element(StreamElement),
    /// The edge has closed: nothing follows.
    Close,
}

struct Message {
    edge: u32,
    cost: u32,
    arrival: Arrival,
}

/// The sending end of one edge.
pub struct EdgeSender {
    edge: u32,
    budget: Arc<Budget>,
    queue: Sender<Message>,
    receiver: Waker,
}

impl EdgeSender {
    /// Most records one element may hold.
    pub fn capacity(&self) -> u32 {
        self.budget.capacity
    }

    /// Sends an element of at most [`capacity`](Self::capacity) records, or gives it back when the
    /// edge has no room; the sender's waker is then called once there is.
    pub fn try_send(&self, element: StreamElement) -> Result<(), StreamElement> {
        let cost = element.cost();
        debug_assert!(cost <= self.capacity(), "elements are cut to fit before they are sent");
        if !self.budget.reserve_or_wait(cost) {
            return Err(element);
        }
        self.deliver(cost, Arrival::Element(element));
        Ok(())
    }

    /// Says that nothing follows; takes no credit, so it never waits.
    pub fn close(&self) {
        self.deliver(0, Arrival::Close);
    }

    fn deliver(&self, cost: u32, arrival: Arrival) {
        // A receiver that is gone has failed or was cancelled; the whole job is ending.
        let _ = self.queue.send(Message { edge: self.edge, cost, arrival });
        self.receiver.wake();
    }
}

/// One sender of an inbox: who it is and where it wants its empty batches back.
pub struct Peer {
    /// Wakes the sending subtask.
    pub waker: Waker,
    /// Where batches go whose records have been taken.
    pub spares: SpareSender<ErasedBatch>,
}

/// The receiving end of all edges into one subtask.
pub struct Inbox {
    queue: Receiver<Message>,
    edges: Vec<(Arc<Budget>, SpareSender<ErasedBatch>)>,
}

/// Makes the inbox of a subtask and the sending end for each of its peers, in their order.
pub fn inbox(
    channel_capacity: u32,
    receiver: &Waker,
    peers: Vec<Peer>,
) -> (Inbox, Vec<EdgeSender>) {
    let capacity = credit::edge_capacity(channel_capacity, peers.len());
    let (sender, receiver_queue) = queue();
    let mut edges = Vec::with_capacity(peers.len());
    let mut senders = Vec::with_capacity(peers.len());
    for (edge, peer) in (0u32..).zip(peers) {
        let budget = Arc::new(Budget {
            capacity,
            held: AtomicU32::new(0),
            wanted: AtomicU32::new(0),
            sender: peer.waker,
        });
        edges.push((Arc::clone(&budget), peer.spares));
        senders.push(EdgeSender {
            edge,
            budget,
            queue: sender.clone(),
            receiver: receiver.clone(),
        });
    }
    (Inbox { queue: receiver_queue, edges }, senders)
}

/// A message taken from an inbox whose credit has not been given back yet.
pub struct Taken {
    /// Which edge it came by.
    pub edge: usize,
    /// What it is.
    pub arrival: Arrival,
    cost: u32,
}

impl Inbox {
    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Takes the next message, if there is one.
    pub fn take(&self) -> Option<Taken> {
        let message = self.queue.try_recv().ok()?;
        Some(Taken { edge: message.edge as usize, arrival: message.arrival, cost: message.cost })
    }

    /// Gives the credit of a message back and hands out what it carried.
    pub fn accept(&self, taken: Taken) -> Arrival {
        if taken.cost > 0
            && let Some((budget, _)) = self.edges.get(taken.edge)
        {
            budget.release(taken.cost);
        }
        taken.arrival
    }

    /// Sends an emptied batch back to whoever filled it.
    pub fn give_back(&self, edge: usize, batch: ErasedBatch) {
        if let Some((_, spares)) = self.edges.get(edge) {
            // A full pool has enough; the batch is freed here.
            let _ = spares.try_send(batch);
        }
    }
}

/// Empty batches that come back to one sending subtask.
pub fn spares(capacity: usize) -> (SpareSender<ErasedBatch>, SpareReceiver<ErasedBatch>) {
    crossbeam_channel::bounded(capacity)
}
