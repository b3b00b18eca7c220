//! Delivers a script for each input in any order, and holds inputs as it is told.

use std::collections::VecDeque;

use super::*;

/// What came out behind the alignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Record(usize),
    Watermark(Watermark),
    /// A cut, with the records of each input that were let through before it.
    Cut(Barrier, Vec<usize>),
    Probe(u64),
    End,
}

/// Inputs with what is still to come on each.
#[derive(Clone)]
pub(super) struct Feed {
    pub(super) align: MultiInputAlignment,
    scripts: Vec<VecDeque<Item>>,
    held: Vec<bool>,
    records: Vec<usize>,
    /// Whether held inputs wait.
    pub(super) obeys: bool,
    pub(super) said: Vec<Said>,
    /// Which inputs have delivered, in turn.
    pub(super) order: Vec<usize>,
}

impl Feed {
    pub(super) fn new<S: Into<Vec<Item>>>(
        align: MultiInputAlignment,
        scripts: impl IntoIterator<Item = S>,
    ) -> Self {
        let scripts: Vec<VecDeque<Item>> =
            scripts.into_iter().map(|script| script.into().into()).collect();
        let inputs = scripts.len();
        Self {
            align,
            scripts,
            held: vec![false; inputs],
            records: vec![0; inputs],
            obeys: true,
            said: Vec::new(),
            order: Vec::new(),
        }
    }

    /// The inputs that can deliver.
    pub(super) fn ready(&self) -> Vec<usize> {
        let waits = |input: usize| self.obeys && self.held[input];
        let inputs = self.scripts.iter().enumerate();
        let ready = inputs.filter(|(input, script)| !script.is_empty() && !waits(*input));
        ready.map(|(input, _)| input).collect()
    }

    /// How much is still to come.
    pub(super) fn left(&self) -> usize {
        self.scripts.iter().map(VecDeque::len).sum()
    }

    /// Lets an input deliver its next item; false if it cannot.
    pub(super) fn step(&mut self, input: usize) -> bool {
        if !self.ready().contains(&input) {
            return false;
        }
        self.order.push(input);
        let item = self.scripts[input].pop_front().expect("an input that is ready has an item");
        if item == Item::Record {
            self.records[input] += 1;
            self.said.push(Said::Record(input));
        }
        for action in hear(&mut self.align, input, item) {
            match action {
                Action::Complete(barrier) | Action::First(barrier) => {
                    self.said.push(Said::Cut(barrier, self.records.clone()));
                }
                Action::Watermark(watermark) => self.said.push(Said::Watermark(watermark)),
                Action::Probe(probe) => self.said.push(Said::Probe(probe.round)),
                Action::Release => self.held.fill(false),
                Action::Hold(input) => self.held[input] = true,
                Action::End { .. } => self.said.push(Said::End),
            }
        }
        true
    }

    /// Shows every order to its end.
    pub(super) fn every_order(&self, see: &mut impl FnMut(&Self)) {
        let ready = self.ready();
        if ready.is_empty() {
            assert_eq!(self.left(), 0, "all inputs wait: {:?}", self.order);
            see(self);
        }
        for input in ready {
            let mut next = self.clone();
            next.step(input);
            next.every_order(see);
        }
    }

    /// The barriers that were passed on.
    pub(super) fn cuts(&self) -> Vec<Barrier> {
        let cut = |said: &Said| match said {
            Said::Cut(barrier, _) => Some(*barrier),
            _ => None,
        };
        self.said.iter().filter_map(cut).collect()
    }

    /// The last time that was said, and whether all is idle since.
    pub(super) fn settled(&self) -> (Option<Watermark>, bool) {
        let mut settled = (None, false);
        for said in &self.said {
            match said {
                Said::Watermark(Watermark::Idle) => settled.1 = true,
                Said::Watermark(time) => settled = (Some(*time), false),
                _ => {}
            }
        }
        settled
    }
}
