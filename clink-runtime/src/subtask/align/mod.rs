//! Shows a subtask its many inputs as one: time, barriers, probes and ends (pure).
//!
//! In:     what each input delivers, in arrival order.
//! Out:    what to pass on, and which inputs to hold back and let go on.
//! Limit:  holds no records; a held input exerts backpressure by credit.
//!
//! Each rule has one home: barriers and alignment in `barriers`, rounds of probes in `probes`,
//! watermarks and idleness in `time::merge`. This file puts what they say in order.

mod barriers;
mod deliveries;
mod probes;

use std::collections::BTreeMap;

use clink_plan::id::CheckpointId;

use crate::channel::{Barrier, BarrierMode, Probe};
use crate::time::Watermark;
use crate::time::merge::{Merged, WatermarkMerge};

use barriers::Barriers;
use probes::Probes;

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Every input has delivered this aligned barrier or closed: capture, and pass it on.
    Complete(Barrier),
    /// This unaligned barrier has come for the first time: capture, with what is still to come
    /// before it on the inputs that have not delivered it (a terminal one without), and pass it
    /// on. Its later arrivals ask for nothing.
    First(Barrier),
    /// Pass this watermark on.
    Watermark(Watermark),
    /// Every input has delivered this wave of an iteration or a later one, or closed: pass it on.
    Probe(Probe),
    /// Let every held input go on.
    Release,
    /// Hold this input back until the next release.
    Hold(usize),
    /// Every input has closed: nothing comes any more.
    End {
        /// Some input was stopped before its data ended.
        stopped: bool,
    },
}

/// What to do after a barrier or a close: all of it, in its order.
///
/// It can only be gone through. With a field for each part a caller reads those that it knows
/// of, and a barrier that a close completed is lost; a `match` that names each [`Action`] stops
/// compiling when there is one more. What is to be passed on comes before the releases, so that
/// nothing from an input that was held can get in front of the cut; of several barriers the
/// oldest comes first; the end comes last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "an action that is left out loses a barrier, stops time or blocks an input"]
pub struct Effect {
    actions: Vec<Action>,
}

impl IntoIterator for Effect {
    type Item = Action;
    type IntoIter = std::vec::IntoIter<Action>;

    fn into_iter(self) -> Self::IntoIter {
        self.actions.into_iter()
    }
}

/// Why an input cannot be added now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Whether the new input is before or behind this barrier cannot be told; the oldest one.
    #[error("add an input: the barrier of checkpoint {0} is in flight")]
    InFlight(CheckpointId),
    /// Every input has closed, and that has been passed on.
    #[error("add an input: every other one has closed")]
    Closed,
}

/// All inputs of one subtask, as one.
///
/// An input that is not there, or that has closed, changes nothing.
#[derive(Clone, Debug)]
pub struct MultiInputAlignment {
    mode: Option<BarrierMode>,
    barriers: Barriers,
    merge: WatermarkMerge,
    /// By iteration; most subtasks see none.
    probes: BTreeMap<u32, Probes>,
}

impl MultiInputAlignment {
    /// Over that many inputs; each barrier says how it is aligned.
    pub fn new(inputs: usize) -> Self {
        Self::with_mode(inputs, None)
    }

    /// Over that many inputs; `mode`, if there is one, takes the place of every barrier's own,
    /// and is what is passed on.
    pub fn with_mode(inputs: usize, mode: Option<BarrierMode>) -> Self {
        Self {
            mode,
            barriers: Barriers::new(inputs),
            merge: WatermarkMerge::new(inputs),
            probes: BTreeMap::new(),
        }
    }

    /// Input `input` delivered a watermark; those to pass on. There are two when the last active
    /// input goes idle and time moves once more: where it stands, then that all is idle.
    pub fn watermark(&mut self, input: usize, watermark: Watermark) -> Merged {
        self.merge.update(input, watermark)
    }

    /// Input `input` delivered a barrier. Its mode and whether it is terminal are those of its
    /// first arrival.
    pub fn barrier(&mut self, input: usize, barrier: Barrier) -> Effect {
        let mode = self.mode.unwrap_or(barrier.mode);
        let mut actions = Vec::from_iter(self.barriers.deliver(input, Barrier { mode, ..barrier }));
        actions.extend(self.barriers.holds());
        Effect { actions }
    }

    /// Input `input` delivered a wave of an iteration; the one to pass on. Those of an iteration
    /// rise, and nobody is held.
    pub fn probe(&mut self, input: usize, probe: Probe) -> Option<Probe> {
        let barriers = &self.barriers;
        let probes = self.probes.entry(probe.iteration).or_insert_with(|| {
            let mut probes = Probes::new(barriers.inputs());
            for input in (0..barriers.inputs()).filter(|input| !barriers.is_open(*input)) {
                let _ = probes.close(input);
            }
            probes
        });
        let round = probes.deliver(input, probe.round)?;
        Some(Probe { round, ..probe })
    }

    /// Input `input` closed (`stopped`: before its data ended).
    pub fn close(&mut self, input: usize, stopped: bool) -> Effect {
        if !self.barriers.is_open(input) {
            return Effect::default();
        }
        let mut actions = self.barriers.close(input);
        actions.extend(self.merge.close(input, stopped).into_iter().map(Action::Watermark));
        actions.extend(self.probes.iter_mut().filter_map(|(iteration, probes)| {
            let round = probes.close(input)?;
            Some(Action::Probe(Probe { iteration: *iteration, round }))
        }));
        actions.extend(self.barriers.holds());
        if self.all_closed() {
            actions.push(Action::End { stopped: self.any_stopped() });
        }
        Effect { actions }
    }

    /// One more input; its number. It stands where time does, barriers that are settled are
    /// behind it, and rounds of probes that have not been passed on wait for it.
    ///
    /// If all was idle it is so no more; that is said with the next watermark of any input.
    ///
    /// # Errors
    /// [`Refused`] while a barrier is in flight, and when every input has closed.
    pub fn add_input(&mut self) -> Result<usize, Refused> {
        if self.all_closed() {
            return Err(Refused::Closed);
        }
        if let Some(id) = self.barriers.oldest_in_flight() {
            return Err(Refused::InFlight(id));
        }
        self.merge.add_input();
        self.probes.values_mut().for_each(Probes::add_input);
        Ok(self.barriers.add_input())
    }

    /// The open inputs that have not delivered barrier `id`; none if it is complete, was given up
    /// or skipped.
    pub fn pending_inputs_for(&self, id: CheckpointId) -> Vec<usize> {
        self.barriers.pending_inputs_for(id)
    }

    /// True once every input has closed.
    pub fn all_closed(&self) -> bool {
        self.barriers.all_closed()
    }

    /// True if an input was closed before its data ended.
    pub fn any_stopped(&self) -> bool {
        self.merge.any_stopped()
    }
}

#[cfg(test)]
mod tests;
