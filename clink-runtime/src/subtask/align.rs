//! Holds back inputs that have delivered barrier `n` until all have (pure).
//!
//! In:     barriers and closes per input, in arrival order.
//! Out:    which input to hold, and when the barrier is complete: then all go on.
//! Limit:  holds no records; a held input exerts backpressure by credit.
//! Errors: [`AlignError`] if an input delivers another barrier than the one at hand.
//! Source: Carbone et al. 2015, Algorithm 1. A closed input counts as having delivered every
//!         barrier: all it had to say came before.

use clink_plan::id::CheckpointId;

/// What a barrier or a close came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aligned {
    /// Others are still to come; a barrier's input is to be held.
    Waiting,
    /// Every input has delivered it: capture, forward, let all go on.
    Complete(CheckpointId),
}

/// An input delivered a barrier that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("input {input} delivered barrier {} while barrier {} was awaited", .found.0, .awaited.0)]
pub struct AlignError {
    /// The input.
    pub input: usize,
    /// The barrier it delivered.
    pub found: CheckpointId,
    /// The barrier being aligned, or the last one that was.
    pub awaited: CheckpointId,
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
    last: CheckpointId,
}

impl Alignment {
    /// Over that many inputs.
    pub fn new(inputs: usize) -> Self {
        Self { inputs: vec![Input::Open; inputs], pending: None, last: CheckpointId(0) }
    }

    /// Input `index` delivered barrier `id`.
    ///
    /// # Errors
    /// [`AlignError`] if it is not the one at hand, or an old one.
    pub fn barrier(&mut self, index: usize, id: CheckpointId) -> Result<Aligned, AlignError> {
        let awaited = self.pending.unwrap_or(self.last);
        let fits = self.pending.map_or(id > self.last, |pending| pending == id);
        let input = self.inputs.get_mut(index).filter(|input| **input == Input::Open);
        let (true, Some(input)) = (fits, input) else {
            return Err(AlignError { input: index, found: id, awaited });
        };
        *input = Input::Delivered;
        self.pending = Some(id);
        Ok(self.advance())
    }

    /// Input `index` closed.
    pub fn close(&mut self, index: usize) -> Aligned {
        if let Some(input) = self.inputs.get_mut(index) {
            *input = Input::Closed;
        }
        self.advance()
    }

    /// True once every input has closed.
    pub fn all_closed(&self) -> bool {
        self.inputs.iter().all(|input| *input == Input::Closed)
    }

    fn advance(&mut self) -> Aligned {
        let Some(id) = self.pending else { return Aligned::Waiting };
        if self.inputs.contains(&Input::Open) {
            return Aligned::Waiting;
        }
        for input in self.inputs.iter_mut().filter(|input| **input == Input::Delivered) {
            *input = Input::Open;
        }
        self.pending = None;
        self.last = id;
        Aligned::Complete(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: CheckpointId = CheckpointId(1);
    const TWO: CheckpointId = CheckpointId(2);

    #[test]
    fn a_barrier_is_complete_when_every_input_has_delivered_it() {
        let mut align = Alignment::new(3);
        assert_eq!(align.barrier(0, ONE), Ok(Aligned::Waiting));
        assert_eq!(align.barrier(2, ONE), Ok(Aligned::Waiting));
        assert_eq!(align.barrier(1, ONE), Ok(Aligned::Complete(ONE)));
        assert_eq!(align.barrier(1, TWO), Ok(Aligned::Waiting));
    }

    #[test]
    fn a_close_completes_an_alignment_c01() {
        let mut align = Alignment::new(2);
        assert_eq!(align.barrier(0, ONE), Ok(Aligned::Waiting));
        assert_eq!(align.close(1), Aligned::Complete(ONE));
        assert_eq!(align.barrier(0, TWO), Ok(Aligned::Complete(TWO)));
        assert_eq!(align.close(0), Aligned::Waiting);
        assert!(align.all_closed());
    }

    #[test]
    fn old_foreign_and_repeated_barriers_are_refused() {
        let mut align = Alignment::new(2);
        align.barrier(0, TWO).unwrap();
        assert!(align.barrier(0, TWO).is_err());
        assert!(align.barrier(1, ONE).is_err());
        align.barrier(1, TWO).unwrap();
        assert!(align.barrier(0, ONE).is_err());
    }
}
