//! Says what the alignment of many inputs should do, by going through all that has happened.
//!
//! It keeps nothing but the history, and asks it anew for every answer: slow, and short enough to
//! be seen to be right.

use std::collections::BTreeSet;
use std::ops::Range;

use super::*;

#[derive(Clone, Copy, Debug)]
enum Event {
    Heard(usize, Item),
    Added,
}

impl Event {
    fn barrier(&self) -> Option<Barrier> {
        match self {
            Self::Heard(_, Item::Barrier(barrier)) => Some(*barrier),
            _ => None,
        }
    }
}

/// When something happened to a barrier: indices of the history.
struct Fate {
    /// Its first arrival, which says what it is.
    barrier: Barrier,
    arrived: usize,
    complete: Option<usize>,
    given_up: Option<usize>,
}

impl Fate {
    fn in_flight(&self, now: usize) -> bool {
        let settled = |at: Option<usize>| at.is_some_and(|at| at < now);
        self.arrived < now && !settled(self.complete) && !settled(self.given_up)
    }
}

/// The history of all inputs.
#[derive(Debug)]
pub(super) struct Model {
    inputs: usize,
    mode: Option<BarrierMode>,
    history: Vec<Event>,
}

/// A `now` is a number of events: those before it have happened.
impl Model {
    pub(super) fn new(inputs: usize, mode: Option<BarrierMode>) -> Self {
        Self { inputs, mode, history: Vec::new() }
    }

    pub(super) fn hear(&mut self, input: usize, item: Item) -> Vec<Action> {
        let before = self.history.len();
        if !self.is_open(input, before) {
            return Vec::new();
        }
        let item = match (item, self.mode) {
            (Item::Barrier(barrier), Some(mode)) => Item::Barrier(Barrier { mode, ..barrier }),
            (item, _) => item,
        };
        self.history.push(Event::Heard(input, item));
        let now = before + 1;

        let fates = self.fates();
        let mut actions: Vec<Action> =
            fates.iter().filter_map(|fate| passed_on(fate, before)).collect();
        actions.extend(self.words(now).into_iter().map(Action::Watermark));
        let round = self.round(now).filter(|round| self.round(before) < Some(*round));
        actions.extend(round.map(|round| Action::Probe(Probe { iteration: 0, round })));

        let was_held = self.held(&fates, before);
        let held = self.held(&fates, now);
        let release = was_held.difference(&held).any(|input| self.is_open(*input, now));
        actions.extend(release.then_some(Action::Release));
        let anew = held.iter().filter(|input| release || !was_held.contains(input));
        actions.extend(anew.map(|input| Action::Hold(*input)));

        if self.all_closed() {
            actions.push(Action::End { stopped: self.any_stopped() });
        }
        actions
    }

    pub(super) fn add_input(&mut self) -> Result<usize, Refused> {
        let now = self.history.len();
        if self.all_closed() {
            return Err(Refused::Closed);
        }
        if let Some(fate) = self.fates().iter().find(|fate| fate.in_flight(now)) {
            return Err(Refused::InFlight(fate.barrier.id));
        }
        self.history.push(Event::Added);
        Ok(self.inputs(now))
    }

    pub(super) fn pending_inputs_for(&self, id: CheckpointId) -> Vec<usize> {
        let now = self.history.len();
        let complete = self.fate(id).is_some_and(|fate| fate.complete.is_some());
        if complete || self.given_up(id).is_some() {
            return Vec::new();
        }
        self.those(now).filter(|input| !self.has_delivered(*input, id, now)).collect()
    }

    pub(super) fn all_closed(&self) -> bool {
        let now = self.history.len();
        self.those(now).all(|input| !self.is_open(input, now))
    }

    pub(super) fn any_stopped(&self) -> bool {
        let stop = Item::Close { stopped: true };
        self.history.iter().any(|event| matches!(event, Event::Heard(_, item) if *item == stop))
    }

    // What has happened.

    fn inputs(&self, now: usize) -> usize {
        let added = |event: &&Event| matches!(event, Event::Added);
        self.inputs + self.history[..now].iter().filter(added).count()
    }

    fn those(&self, now: usize) -> Range<usize> {
        0..self.inputs(now)
    }

    /// What an input has delivered, in its order.
    fn items(&self, input: usize, now: usize) -> impl Iterator<Item = Item> {
        self.history[..now].iter().filter_map(move |event| match event {
            Event::Heard(from, item) if *from == input => Some(*item),
            _ => None,
        })
    }

    fn is_open(&self, input: usize, now: usize) -> bool {
        let closed = |item| matches!(item, Item::Close { .. });
        input < self.inputs(now) && !self.items(input, now).any(closed)
    }

    // Barriers.

    /// Delivered, or closed: a closed input has delivered everything.
    fn has_delivered(&self, input: usize, id: CheckpointId, now: usize) -> bool {
        self.said(input, id, now) || !self.is_open(input, now)
    }

    fn said(&self, input: usize, id: CheckpointId, now: usize) -> bool {
        self.items(input, now).any(|item| matches!(item, Item::Barrier(b) if b.id == id))
    }

    /// When an input first delivered a newer barrier and had not delivered this one.
    fn given_up(&self, id: CheckpointId) -> Option<usize> {
        (0..self.history.len()).find(|at| match self.history[*at] {
            Event::Heard(input, Item::Barrier(b)) => b.id > id && !self.said(input, id, *at),
            _ => false,
        })
    }

    /// The barriers that ever were in flight, in order of their ids.
    fn fates(&self) -> Vec<Fate> {
        let ids: BTreeSet<CheckpointId> =
            self.history.iter().filter_map(Event::barrier).map(|barrier| barrier.id).collect();
        ids.into_iter().filter_map(|id| self.fate(id)).collect()
    }

    fn fate(&self, id: CheckpointId) -> Option<Fate> {
        let mut arrivals = self.history.iter().map(Event::barrier).enumerate();
        let (arrived, barrier) =
            arrivals.find_map(|(at, barrier)| Some((at, barrier.filter(|b| b.id == id)?)))?;
        let given_up = self.given_up(id);
        if given_up.is_some_and(|at| at < arrived) {
            return None;
        }
        let complete = (arrived..given_up.unwrap_or(self.history.len())).find(|at| {
            let now = at + 1;
            self.those(now).all(|input| self.has_delivered(input, id, now))
        });
        let given_up = given_up.filter(|_| complete.is_none());
        Some(Fate { barrier, arrived, complete, given_up })
    }

    fn held(&self, fates: &[Fate], now: usize) -> BTreeSet<usize> {
        let in_flight =
            |fate: &&Fate| fate.barrier.mode == BarrierMode::Aligned && fate.in_flight(now);
        let by = |input: &usize| {
            let mut aligned = fates.iter().filter(in_flight);
            self.is_open(*input, now) && aligned.any(|fate| self.said(*input, fate.barrier.id, now))
        };
        self.those(now).filter(by).collect()
    }

    // Probes.

    /// The latest round that has been passed on.
    fn round(&self, now: usize) -> Option<u64> {
        (0..=now).filter_map(|then| self.round_delivered_by_all(then)).max()
    }

    fn round_delivered_by_all(&self, now: usize) -> Option<u64> {
        let rounds = |input| {
            self.items(input, now).filter_map(|item| match item {
                Item::Probe(round) => Some(round),
                _ => None,
            })
        };
        let by_all = |round: &u64| {
            self.those(now).all(|input| {
                !self.is_open(input, now) || rounds(input).any(|other| other >= *round)
            })
        };
        self.those(now).flat_map(rounds).filter(by_all).max()
    }

    // Time.

    /// What the last event makes us say about time.
    fn words(&self, now: usize) -> Vec<Watermark> {
        let mut starts = vec![None; self.inputs];
        let (mut emitted, mut idle) = (None, false);
        let mut words = Vec::new();
        for then in 1..=now {
            words.clear();
            match self.history[then - 1] {
                Event::Added => starts.push(emitted),
                Event::Heard(_, Item::Watermark(_) | Item::Close { .. }) => {
                    let (time, all_idle) = self.time(&starts, then);
                    let back = idle && !all_idle && time.is_some();
                    if time > emitted || back {
                        emitted = emitted.max(time);
                        words.extend(emitted.map(Watermark::At));
                    }
                    if all_idle && (!idle || !words.is_empty()) {
                        words.push(Watermark::Idle);
                    }
                    idle = all_idle || (idle && words.is_empty());
                }
                Event::Heard(..) => {}
            }
        }
        words
    }

    /// Where time stands by what each input said last, and whether all is idle.
    fn time(&self, starts: &[Option<EventTime>], now: usize) -> (Option<EventTime>, bool) {
        let inputs: Vec<Clock> =
            (0..).zip(starts).map(|(input, start)| self.clock(input, *start, now)).collect();
        let alive: Vec<&Clock> = inputs.iter().filter(|clock| !clock.ended).collect();
        if alive.is_empty() {
            return (Some(EventTime::MAX), false);
        }
        if alive.iter().all(|clock| clock.idle) {
            return (inputs.iter().filter_map(|clock| clock.furthest).max(), true);
        }
        let active = alive.iter().filter(|clock| !clock.idle);
        (active.map(|clock| clock.furthest).min().flatten(), false)
    }

    fn clock(&self, input: usize, start: Option<EventTime>, now: usize) -> Clock {
        let end = Some(EventTime::MAX);
        let said_end = start == end || self.items(input, now).any(|item| item == END);
        let closed = self.items(input, now).any(|item| item == CLOSE);
        let words: Vec<Watermark> = (self.items(input, now).take_while(|item| *item != END))
            .filter_map(|item| match item {
                Item::Watermark(watermark) => Some(watermark),
                _ => None,
            })
            .collect();
        let times = words.iter().filter_map(|word| match word {
            Watermark::At(time) => Some(*time),
            Watermark::Idle => None,
        });
        Clock {
            furthest: times.chain(start).filter(|_| start != end).max(),
            idle: words.last() == Some(&Watermark::Idle),
            ended: said_end || closed,
        }
    }
}

/// What an input has said about time.
struct Clock {
    furthest: Option<EventTime>,
    idle: bool,
    ended: bool,
}

fn passed_on(fate: &Fate, at: usize) -> Option<Action> {
    match fate.barrier.mode {
        BarrierMode::Aligned => {
            (fate.complete == Some(at)).then_some(Action::Complete(fate.barrier))
        }
        BarrierMode::Unaligned => (fate.arrived == at).then_some(Action::First(fate.barrier)),
    }
}
