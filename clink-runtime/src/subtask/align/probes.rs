//! Passes on a round of probes once every input has delivered it (pure).
//!
//! In:     rounds and closes per input, in arrival order.
//! Out:    rounds that rise, each at most once. Nobody is held.

use super::deliveries::{Deliveries, Reach};

/// The probes of one loop.
#[derive(Clone, Debug)]
pub(super) struct Probes {
    deliveries: Deliveries<u64>,
    /// The latest that any input has delivered.
    latest: Option<u64>,
    forwarded: Option<u64>,
}

impl Probes {
    pub(super) fn new(inputs: usize) -> Self {
        Self { deliveries: Deliveries::new(inputs), latest: None, forwarded: None }
    }

    /// One more input, which every later round waits for.
    pub(super) fn add_input(&mut self) {
        self.deliveries.add();
    }

    /// Input `input` delivered a round; the one to pass on.
    pub(super) fn deliver(&mut self, input: usize, round: u64) -> Option<u64> {
        if self.deliveries.of(input) == Reach::Closed {
            return None;
        }
        self.deliveries.note(input, round);
        self.latest = self.latest.max(Some(round));
        self.advance()
    }

    /// Input `input` closed; the round to pass on.
    pub(super) fn close(&mut self, input: usize) -> Option<u64> {
        self.deliveries.close(input);
        self.advance()
    }

    fn advance(&mut self) -> Option<u64> {
        let round = match self.deliveries.by_all() {
            Reach::Open(round) => round,
            Reach::Closed => self.latest,
        };
        if round <= self.forwarded {
            return None;
        }
        self.forwarded = round;
        round
    }
}
