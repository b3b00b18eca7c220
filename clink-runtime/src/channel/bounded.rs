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

use crate::metrics::ChannelMetrics;
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
    metrics: Arc<ChannelMetrics>,
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
        // Before it can be taken: what waits is never less than nothing.
        self.metrics.add(cost);
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
    metrics: Arc<ChannelMetrics>,
}

/// Makes the inbox of a subtask and the sending end for each of its peers, in their order.
pub fn inbox(
    channel_capacity: u32,
    receiver: &Waker,
    peers: Vec<Peer>,
) -> (Inbox, Vec<EdgeSender>) {
    let capacity = credit::edge_capacity(channel_capacity, peers.len());
    let (sender, receiver_queue) = queue();
    let metrics = Arc::new(ChannelMetrics::new(u64::from(capacity) * peers.len() as u64));
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
            metrics: Arc::clone(&metrics),
        });
    }
    (Inbox { queue: receiver_queue, edges, metrics }, senders)
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

    /// What waits in all edges together.
    pub fn metrics(&self) -> &Arc<ChannelMetrics> {
        &self.metrics
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
            self.metrics.take(taken.cost);
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::channel::{Barrier, Batch};
    use crate::sync::wake::Wake;

    struct Nobody;

    impl Wake for Nobody {
        fn wake(&self, _position: usize) {}
    }

    #[test]
    fn what_waits_is_counted_over_all_edges_until_it_is_accepted() {
        let waker = Waker::new(Arc::new(Nobody), 0);
        let peer = || Peer { waker: waker.clone(), spares: spares(1).0 };
        let (inbox, senders) = inbox(2, &waker, vec![peer(), peer()]);
        let metrics = Arc::clone(inbox.metrics());
        assert_eq!(metrics.capacity(), 2 * 2);
        for sender in &senders {
            let mut batch = Batch::default();
            batch.push(1_u64, None);
            sender.try_send(StreamElement::Data(ErasedBatch::new(batch))).unwrap();
        }
        let barrier = || StreamElement::Barrier(Barrier::aligned(clink_plan::id::CheckpointId(1)));
        senders[0].try_send(barrier()).unwrap();
        senders[0].try_send(barrier()).unwrap_err();
        assert_eq!(
            (metrics.depth(), metrics.high_water()),
            (3, 3),
            "what was refused is not there"
        );
        let taken = inbox.take().unwrap();
        assert_eq!(metrics.depth(), 3, "a held message keeps its credit");
        inbox.accept(taken);
        senders[1].close();
        while let Some(taken) = inbox.take() {
            inbox.accept(taken);
        }
        assert_eq!((metrics.depth(), metrics.high_water()), (0, 3));
    }
}
