//! Decides when nothing is left in an iteration (pure).
//!
//! In:     which heads have nothing more to send, pushes into the feedback, waves at the tails.
//! Out:    when to send a wave through the body, and when all is quiet.
//! Source: Misra's marker on a ring (1983), widened to many ways by alignment: the body is quiet if
//!         between the start of a wave and its arrival at every tail nothing was fed back.
//!
//! A wave starts when every head waits and no feedback is queued. Each head sends it after all its
//! records; channels keep their order, and an operator passes it on when it has come on every
//! input. So when it is at every tail, whatever was in the body at its start has been handled, and
//! what came of it for the feedback has been pushed: if nothing was, nothing is left anywhere.

/// How far a head has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    Works,
    Waits,
    Ended,
}

/// The waves of one iteration.
#[derive(Clone, Debug)]
pub struct Quiescence {
    heads: Vec<Head>,
    arrived: Vec<bool>,
    /// Batches pushed into the feedback so far.
    pushed: u64,
    /// The number of the last wave.
    round: u64,
    /// Pushes when the wave under way started.
    running: Option<u64>,
    /// Quiet at so many pushes, first seen at this time in milliseconds.
    calm: Option<(u64, i64)>,
    threshold_ms: i64,
    /// How often all was quiet.
    quiet: u64,
}

impl Quiescence {
    /// For that many heads, and as many tails. All must be quiet for `threshold_ms` to count.
    pub fn new(heads: usize, threshold_ms: i64) -> Self {
        Self {
            heads: vec![Head::Works; heads],
            arrived: vec![false; heads],
            pushed: 0,
            round: 0,
            running: None,
            calm: None,
            threshold_ms,
            quiet: 0,
        }
    }

    /// Something was fed back.
    pub fn pushed(&mut self) {
        self.pushed += 1;
    }

    /// A head has sent all it has, and waits for quiet.
    pub fn waits(&mut self, head: usize) {
        self.set(head, Head::Waits);
    }

    /// A head has more to send.
    pub fn works(&mut self, head: usize) {
        self.set(head, Head::Works);
    }

    /// A head sends nothing more: its outputs are closed, which stands for every wave.
    pub fn ends(&mut self, head: usize) {
        self.set(head, Head::Ended);
    }

    fn set(&mut self, head: usize, is: Head) {
        if let Some(head) = self.heads.get_mut(head).filter(|head| **head != Head::Ended) {
            *head = is;
        }
    }

    /// How often all was quiet: a head that waits may go on once this has grown.
    pub fn quiet(&self) -> u64 {
        self.quiet
    }

    /// The wave under way: each head sends it once.
    pub fn wave(&self) -> Option<u64> {
        self.running.map(|_| self.round)
    }

    /// When a wave may start next, in milliseconds, if it is a matter of time.
    pub fn next_ms(&self) -> Option<i64> {
        let (pushed, since) = self.calm.filter(|_| self.running.is_none())?;
        (pushed == self.pushed).then(|| since.saturating_add(self.threshold_ms))
    }

    /// Starts a wave if it is time to; `nothing_queued`: no feedback waits for a head.
    pub fn start(&mut self, nothing_queued: bool, now_ms: i64) -> bool {
        let early = self.next_ms().is_some_and(|next| now_ms < next);
        let ready = nothing_queued && self.heads.iter().all(|head| *head != Head::Works);
        if self.running.is_some() || early || !ready {
            return false;
        }
        self.round += 1;
        self.running = Some(self.pushed);
        self.arrived.fill(false);
        true
    }

    /// A wave has come to a tail; true if it was the last one: the heads should look.
    pub fn arrived(&mut self, tail: usize, round: u64, now_ms: i64) -> bool {
        if self.running.is_none() || round != self.round {
            return false;
        }
        if let Some(arrived) = self.arrived.get_mut(tail) {
            *arrived = true;
        }
        if !self.arrived.iter().all(|arrived| *arrived) {
            return false;
        }
        let before = self.running.take();
        if before == Some(self.pushed) {
            self.calm = self.calm.filter(|(pushed, _)| *pushed == self.pushed);
            let (_, since) = *self.calm.get_or_insert((self.pushed, now_ms));
            if now_ms >= since.saturating_add(self.threshold_ms) {
                self.quiet += 1;
                self.calm = None;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_that_meets_no_feedback_is_the_end() {
        let mut loops = Quiescence::new(2, 0);
        loops.waits(0);
        assert!(!loops.start(true, 0), "the other head has not sent all it has");
        loops.waits(1);
        assert!(!loops.start(false, 0), "feedback is queued");
        assert!(loops.start(true, 0));
        assert!(!loops.start(true, 0), "one at a time");
        assert!(!loops.arrived(0, 1, 0));
        assert!(loops.arrived(1, 1, 0));
        assert_eq!(loops.quiet(), 1);
    }

    #[test]
    fn feedback_during_a_wave_asks_for_another_one() {
        let mut loops = Quiescence::new(1, 0);
        loops.waits(0);
        assert!(loops.start(true, 0));
        loops.pushed();
        assert!(loops.arrived(0, 1, 0));
        assert_eq!(loops.quiet(), 0);
        loops.works(0);
        assert!(!loops.start(true, 0));
        loops.waits(0);
        assert!(loops.start(true, 0));
        assert!(!loops.arrived(0, 1, 0), "an old wave says nothing");
        assert!(loops.arrived(0, 2, 0));
        assert_eq!(loops.quiet(), 1);
    }

    #[test]
    fn quiet_must_last_for_the_threshold() {
        let mut loops = Quiescence::new(1, 100);
        loops.waits(0);
        assert!(loops.start(true, 5));
        loops.arrived(0, 1, 7);
        assert_eq!((loops.quiet(), loops.next_ms()), (0, Some(107)));
        assert!(!loops.start(true, 106));
        assert!(loops.start(true, 107));
        loops.arrived(0, 2, 108);
        assert_eq!(loops.quiet(), 1);
    }
}
