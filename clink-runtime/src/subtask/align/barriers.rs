//! Holds back inputs that have delivered an aligned barrier until all have (pure).
//!
//! In:     barriers and closes per input, in arrival order.
//! Out:    which barriers to capture at and pass on, and which inputs to hold.
//! Source: Carbone et al. 2015, Algorithm 1. A closed input counts as having delivered every
//!         barrier: all it had to say came before.
//!
//! A source that was blocked while checkpoint *n* was given up delivers *n + 1* and never *n*. So
//! an input that delivers a newer barrier without an older one says that the older checkpoint was
//! given up: it is dropped, whatever others have delivered, and ignored when it comes after all.
//! What an input has delivered of those in flight is therefore always the oldest few, and one
//! number for each input says which.

use std::collections::BTreeMap;

use clink_plan::id::CheckpointId;

use super::Action;
use super::deliveries::{Deliveries, Reach};
use crate::channel::{Barrier, BarrierMode};

/// The barriers of one subtask.
#[derive(Clone, Debug)]
pub(super) struct Barriers {
    deliveries: Deliveries<CheckpointId>,
    /// As they arrived first, until every input has delivered them or they are given up.
    in_flight: BTreeMap<CheckpointId, Barrier>,
    /// The newest that was ever in flight; what is older and not in flight is settled.
    newest: CheckpointId,
    /// Which inputs the caller was told to hold and not yet to release.
    held: Vec<bool>,
}

impl Barriers {
    pub(super) fn new(inputs: usize) -> Self {
        Self {
            deliveries: Deliveries::new(inputs),
            in_flight: BTreeMap::new(),
            newest: CheckpointId(0),
            held: vec![false; inputs],
        }
    }

    /// One more input; its number. No barrier is in flight.
    pub(super) fn add_input(&mut self) -> usize {
        self.deliveries.add();
        self.held.push(false);
        self.held.len() - 1
    }

    /// The oldest one in flight.
    pub(super) fn oldest_in_flight(&self) -> Option<CheckpointId> {
        self.in_flight.keys().next().copied()
    }

    /// How many inputs there are.
    pub(super) fn inputs(&self) -> usize {
        self.deliveries.all().count()
    }

    pub(super) fn is_open(&self, input: usize) -> bool {
        self.deliveries.of(input) != Reach::Closed
    }

    pub(super) fn all_closed(&self) -> bool {
        self.deliveries.by_all() == Reach::Closed
    }

    /// The open inputs that a barrier waits for; none if it is settled.
    pub(super) fn pending_inputs_for(&self, id: CheckpointId) -> Vec<usize> {
        if id <= self.newest && !self.in_flight.contains_key(&id) {
            return Vec::new();
        }
        let pending = |reach| matches!(reach, Reach::Open(last) if last < Some(id));
        let reaches = self.deliveries.all().enumerate();
        reaches.filter(|(_, reach)| pending(*reach)).map(|(input, _)| input).collect()
    }

    /// Input `input` delivered a barrier; what to do with it.
    pub(super) fn deliver(&mut self, input: usize, barrier: Barrier) -> Option<Action> {
        let Reach::Open(before) = self.deliveries.of(input) else { return None };
        let id = barrier.id;
        self.deliveries.note(input, id);
        // What this input has skipped was given up.
        self.in_flight.retain(|older, _| *older >= id || Some(*older) <= before);
        let first = !self.in_flight.contains_key(&id);
        if first {
            if id <= self.newest {
                return None;
            }
            self.newest = id;
            self.in_flight.insert(id, barrier);
        }
        // The first arrival decided what the barrier is.
        let pinned = *self.in_flight.get(&id)?;
        let by_all = self.deliveries.by_all() >= Reach::Open(Some(id));
        if by_all {
            self.in_flight.remove(&id);
        }
        match pinned.mode {
            BarrierMode::Aligned => by_all.then_some(Action::Complete(pinned)),
            BarrierMode::Unaligned => first.then_some(Action::First(pinned)),
        }
    }

    /// Input `input` closed; the barriers that this completes, the oldest first.
    pub(super) fn close(&mut self, input: usize) -> Vec<Action> {
        self.deliveries.close(input);
        let by_all = self.deliveries.by_all();
        let mut complete = Vec::new();
        self.in_flight.retain(|id, barrier| {
            let done = by_all >= Reach::Open(Some(*id));
            // An unaligned one went on with its first arrival.
            if done && barrier.mode == BarrierMode::Aligned {
                complete.push(Action::Complete(*barrier));
            }
            !done
        });
        complete
    }

    /// What makes the caller hold just the open inputs that have delivered an aligned barrier in
    /// flight. A release is for all, so those who stay are held anew.
    pub(super) fn holds(&mut self) -> Vec<Action> {
        let mut aligned = self.in_flight.values().filter(|b| b.mode == BarrierMode::Aligned);
        let oldest = aligned.next().map(|barrier| barrier.id);
        let holds = |reach| match (reach, oldest) {
            (Reach::Open(last), Some(oldest)) => last >= Some(oldest),
            _ => false,
        };
        let inputs = || self.held.iter().zip(self.deliveries.all());
        let goes_on = |held: bool, reach| held && reach != Reach::Closed && !holds(reach);
        let release = inputs().any(|(held, reach)| goes_on(*held, reach));
        let mut actions = Vec::new();
        if release {
            actions.push(Action::Release);
        }
        for (input, (held, reach)) in self.held.iter_mut().zip(self.deliveries.all()).enumerate() {
            let hold = holds(reach);
            if hold && (release || !*held) {
                actions.push(Action::Hold(input));
            }
            *held = hold;
        }
        actions
    }
}
