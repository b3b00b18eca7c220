//! Holds back inputs that have delivered barrier `n` until all have (pure).
//!
//! In:     barriers and closes per input, in arrival order.
//! Out:    which input to hold, when to let all go on, and when a barrier is complete.
//! Limit:  holds no records; a held input exerts backpressure by credit.
//! Source: Carbone et al. 2015, Algorithm 1. A closed input counts as having delivered every
//!         barrier: all it had to say came before.
//!
//! A source that was blocked while checkpoint `n` was given up delivers `n + 1` and never `n`. So a
//! newer barrier takes the place of the one being aligned, and an older one is ignored: only a
//! checkpoint that was given up can be skipped.

use clink_plan::id::CheckpointId;

/// What to do after a barrier or a close, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Let every held input go on.
    pub release: bool,
    /// Hold the input that delivered.
    pub hold: bool,
    /// Every input has delivered this one: capture and forward it.
    pub complete: Option<CheckpointId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Open,
    Delivered,
    Closed,
}

/// The alignment of one subtask.
#[derive(Clone, Debug)]
pub struct Alignment {
    inputs: Vec<Input>,
    pending: Option<CheckpointId>,
    /// The newest barrier that was complete or took another's place.
    newest: CheckpointId,
}

impl Alignment {
    /// Over that many inputs.
    pub fn new(inputs: usize) -> Self {
        Self { inputs: vec![Input::Open; inputs], pending: None, newest: CheckpointId(0) }
    }

    /// Input `index` delivered barrier `id`.
    pub fn barrier(&mut self, index: usize, id: CheckpointId) -> Effect {
        let at_hand = self.pending == Some(id);
        if !at_hand && id <= self.newest {
            return Effect::default();
        }
        let superseded = !at_hand && self.pending.is_some();
        if superseded {
            self.reopen();
        }
        self.pending = Some(id);
        self.newest = id;
        if let Some(input) = self.inputs.get_mut(index).filter(|input| **input == Input::Open) {
            *input = Input::Delivered;
        }
        match self.complete() {
            Some(id) => Effect { release: true, hold: false, complete: Some(id) },
            None => Effect { release: superseded, hold: true, complete: None },
        }
    }

    /// Input `index` closed.
    pub fn close(&mut self, index: usize) -> Effect {
        if let Some(input) = self.inputs.get_mut(index) {
            *input = Input::Closed;
        }
        let complete = self.complete();
        Effect { release: complete.is_some(), hold: false, complete }
    }

    /// True once every input has closed.
    pub fn all_closed(&self) -> bool {
        self.inputs.iter().all(|input| *input == Input::Closed)
    }

    fn complete(&mut self) -> Option<CheckpointId> {
        let id = self.pending?;
        if self.inputs.contains(&Input::Open) {
            return None;
        }
        self.reopen();
        self.pending = None;
        Some(id)
    }

    fn reopen(&mut self) {
        for input in self.inputs.iter_mut().filter(|input| **input == Input::Delivered) {
            *input = Input::Open;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: CheckpointId = CheckpointId(1);
    const TWO: CheckpointId = CheckpointId(2);
    const HOLD: Effect = Effect { release: false, hold: true, complete: None };
    const NOTHING: Effect = Effect { release: false, hold: false, complete: None };

    fn complete(id: CheckpointId) -> Effect {
        Effect { release: true, hold: false, complete: Some(id) }
    }

    #[test]
    fn a_barrier_is_complete_when_every_input_has_delivered_it() {
        let mut align = Alignment::new(3);
        assert_eq!(align.barrier(0, ONE), HOLD);
        assert_eq!(align.barrier(2, ONE), HOLD);
        assert_eq!(align.barrier(1, ONE), complete(ONE));
        assert_eq!(align.barrier(1, TWO), HOLD);
    }

    #[test]
    fn a_close_completes_an_alignment_c01() {
        let mut align = Alignment::new(2);
        assert_eq!(align.barrier(0, ONE), HOLD);
        assert_eq!(align.close(1), complete(ONE));
        assert_eq!(align.barrier(0, TWO), complete(TWO));
        assert_eq!(align.close(0), NOTHING);
        assert!(align.all_closed());
    }

    #[test]
    fn a_newer_barrier_takes_the_place_of_one_that_was_given_up() {
        let mut align = Alignment::new(2);
        assert_eq!(align.barrier(0, ONE), HOLD);
        assert_eq!(align.barrier(1, TWO), Effect { release: true, hold: true, complete: None });
        assert_eq!(align.barrier(0, TWO), complete(TWO));
    }

    #[test]
    fn an_older_barrier_never_disturbs_a_newer_alignment_c02() {
        let mut align = Alignment::new(3);
        assert_eq!(align.barrier(0, TWO), HOLD);
        assert_eq!(align.barrier(1, ONE), NOTHING);
        assert_eq!(align.barrier(1, TWO), HOLD);
        assert_eq!(align.barrier(2, TWO), complete(TWO));
        assert_eq!(align.barrier(0, ONE), NOTHING);
    }
}
