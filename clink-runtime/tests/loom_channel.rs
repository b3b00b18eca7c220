//! Checks under loom that no order of steps between two threads loses a wake-up or a record.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p clink-runtime --test loom_channel --release`
#![cfg(loom)]

use std::sync::Arc;

use clink_runtime::channel::bounded::{Arrival, Peer, inbox, spares};
use clink_runtime::channel::{Batch, ErasedBatch, StreamElement};
use clink_runtime::sync::wake::{Wake, WakeState, Waker};
use loom::sync::{Condvar, Mutex};
use loom::thread;

const SENDER: usize = 0;
const RECEIVER: usize = 1;

/// A scheduler of two subtasks. A thread that waits for its turn blocks, so loom reports a wake-up
/// that is lost as a deadlock.
struct Ready {
    sender: Slot,
    receiver: Slot,
}

/// The wake-up state of a subtask, and how often it stands in the ready queue.
#[derive(Default)]
struct Slot {
    wake: WakeState,
    due: Mutex<usize>,
    changed: Condvar,
}

impl Slot {
    fn enqueue(&self) {
        let mut due = self.due.lock().expect("no holder panics");
        assert_eq!(*due, 0, "a subtask is in the ready queue once");
        *due += 1;
        self.changed.notify_one();
    }

    fn turn(&self) {
        let mut due = self.due.lock().expect("no holder panics");
        while *due == 0 {
            due = self.changed.wait(due).expect("no holder panics");
        }
        *due -= 1;
        self.wake.begin();
    }

    fn end_waiting(&self) {
        if self.wake.end_waiting() {
            self.enqueue();
        }
    }
}

impl Ready {
    fn new() -> Arc<Self> {
        Arc::new(Self { sender: Slot::default(), receiver: Slot::default() })
    }

    fn of(&self, position: usize) -> &Slot {
        if position == SENDER { &self.sender } else { &self.receiver }
    }
}

impl Wake for Ready {
    fn wake(&self, position: usize) {
        let slot = self.of(position);
        if slot.wake.notify() {
            slot.enqueue();
        }
    }
}

fn batch(value: u64) -> StreamElement {
    let mut batch = Batch::default();
    batch.push(value, None);
    StreamElement::Data(ErasedBatch::new(batch))
}

/// One edge of capacity 1: the sender must wait for credit after each record, the receiver for
/// each record, and both are woken every time.
fn every_record_arrives(records: u64) {
    let ready = Ready::new();
    let waker = |position| Waker::new(Arc::clone(&ready) as Arc<dyn Wake>, position);
    let (back, _spares) = spares(1);
    let peer = Peer { waker: waker(SENDER), spares: back };
    let (inbox, mut senders) = inbox(1, &waker(RECEIVER), vec![peer]);
    let sender = senders.pop().expect("one peer, one sender");
    ready.wake(SENDER);
    ready.wake(RECEIVER);

    let sending = {
        let ready = Arc::clone(&ready);
        thread::spawn(move || {
            let mut next = 0;
            ready.sender.turn();
            while next < records {
                if sender.try_send(batch(next)).is_ok() {
                    next += 1;
                } else {
                    ready.sender.end_waiting();
                    ready.sender.turn();
                }
            }
            sender.close();
        })
    };

    let mut seen = 0;
    ready.receiver.turn();
    loop {
        let Some(taken) = inbox.take() else {
            ready.receiver.end_waiting();
            ready.receiver.turn();
            continue;
        };
        match inbox.accept(taken) {
            Arrival::Element(StreamElement::Data(batch)) => {
                let batch = batch.downcast::<u64>().expect("the sender sends numbers");
                assert_eq!(batch.values(), [seen], "records arrive in order");
                seen += 1;
            }
            Arrival::Element(other) => panic!("nothing else was sent: {other:?}"),
            Arrival::Close => break,
        }
    }
    assert_eq!(seen, records);
    sending.join().expect("the sender does not panic");
}

#[test]
fn a_full_edge_loses_no_record_and_no_wake_up() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| every_record_arrives(2));
}

/// A wake-up that comes while a subtask decides to wait brings it back to the ready queue.
#[test]
fn a_wake_up_during_a_turn_is_not_lost() {
    loom::model(|| {
        let ready = Ready::new();
        ready.wake(RECEIVER);
        let waking = {
            let ready = Arc::clone(&ready);
            thread::spawn(move || ready.wake(RECEIVER))
        };
        ready.receiver.turn();
        ready.receiver.end_waiting();
        waking.join().expect("a wake-up does not panic");
        let due = *ready.receiver.due.lock().expect("no holder panics");
        let notified = ready.receiver.wake.is_notified();
        assert_eq!(due == 1, notified, "in the ready queue exactly if something came");
    });
}
