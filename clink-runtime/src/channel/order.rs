//! Checks that what arrives on one edge obeys the grammar of a channel (pure).
//!
//! The grammar stands in `channel/mod.rs`. Beyond it: a watermark is never earlier than
//! the one before it, and barriers come in the order of their checkpoints. Every input of every
//! subtask is checked where debug assertions are on, so that each test of a job tests this too.

use clink_plan::id::CheckpointId;

use super::StreamElement;
use super::bounded::Arrival;
use crate::time::{EventTime, Watermark};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    Drained,
    Closed,
}

/// What has arrived on one edge so far.
#[derive(Clone, Debug)]
pub(super) struct Order {
    phase: Phase,
    watermark: EventTime,
    barrier: CheckpointId,
}

impl Order {
    /// Of an edge nothing has arrived on.
    pub(super) const fn new() -> Self {
        Self { phase: Phase::Open, watermark: EventTime::MIN, barrier: CheckpointId(0) }
    }

    /// Notes an arrival, or says which rule it breaks.
    pub(super) fn note(&mut self, arrival: &Arrival) -> Result<(), &'static str> {
        match (self.phase, arrival) {
            (Phase::Closed, _) => Err("nothing follows a close"),
            (_, Arrival::Close) => {
                self.phase = Phase::Closed;
                Ok(())
            }
            (Phase::Drained, Arrival::Element(_)) => Err("only a close follows a drain"),
            (Phase::Open, Arrival::Element(element)) => self.element(element),
        }
    }

    fn element(&mut self, element: &StreamElement) -> Result<(), &'static str> {
        match element {
            StreamElement::Data(batch) if batch.is_empty() => Err("a batch holds records"),
            StreamElement::Data(_)
            | StreamElement::Watermark(Watermark::Idle)
            | StreamElement::Probe(_) => Ok(()),
            StreamElement::Watermark(Watermark::At(time)) if *time < self.watermark => {
                Err("a watermark never goes back")
            }
            StreamElement::Watermark(Watermark::At(time)) => {
                self.watermark = *time;
                Ok(())
            }
            StreamElement::Barrier(barrier) if barrier.id <= self.barrier => {
                Err("barriers come in the order of their checkpoints, each once")
            }
            StreamElement::Barrier(barrier) => {
                self.barrier = barrier.id;
                Ok(())
            }
            StreamElement::Drain => {
                self.phase = Phase::Drained;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Barrier, Batch, ErasedBatch};

    fn data(records: u64) -> Arrival {
        let mut batch = Batch::<u64>::default();
        for record in 0..records {
            batch.push(record, None);
        }
        Arrival::Element(StreamElement::Data(ErasedBatch::from(Box::new(batch))))
    }

    fn watermark(millis: i64) -> Arrival {
        Arrival::Element(StreamElement::Watermark(Watermark::At(EventTime::from_millis(millis))))
    }

    fn idle() -> Arrival {
        Arrival::Element(StreamElement::Watermark(Watermark::Idle))
    }

    fn barrier(id: u64) -> Arrival {
        Arrival::Element(StreamElement::Barrier(Barrier::aligned(CheckpointId(id))))
    }

    fn drain() -> Arrival {
        Arrival::Element(StreamElement::Drain)
    }

    /// The verdict on the last of the arrivals; all before it are in order.
    fn last(arrivals: Vec<Arrival>) -> Result<(), &'static str> {
        let mut order = Order::new();
        let mut verdict = Ok(());
        for arrival in arrivals {
            assert_eq!(verdict, Ok(()), "an arrival before the last was out of order");
            verdict = order.note(&arrival);
        }
        verdict
    }

    #[test]
    fn a_channel_that_obeys_is_let_through() {
        let whole = vec![
            watermark(5),
            data(2),
            idle(),
            watermark(5),
            barrier(1),
            barrier(3),
            data(1),
            watermark(9),
            drain(),
            Arrival::Close,
        ];
        assert_eq!(last(whole), Ok(()));
        assert_eq!(last(vec![Arrival::Close]), Ok(()));
    }

    #[test]
    fn each_rule_is_held() {
        let broken = [
            vec![Arrival::Close, Arrival::Close],
            vec![Arrival::Close, data(1)],
            vec![drain(), data(1)],
            vec![drain(), drain()],
            vec![data(0)],
            vec![watermark(5), idle(), watermark(4)],
            vec![barrier(2), barrier(2)],
            vec![barrier(2), barrier(1)],
        ];
        for arrivals in broken {
            let what = format!("{arrivals:?}");
            assert!(last(arrivals).is_err(), "{what} was let through");
        }
    }
}
