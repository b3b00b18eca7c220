//! Is what a join must do, twice: step by step with a look at all pairs, and as nested loops over
//! all records.

use super::super::*;
use super::{Event, Output, Side};

/// A record as the model keeps it.
#[derive(Clone, Debug)]
struct Held {
    side: Side,
    key: u64,
    time: i64,
    number: u64,
    matched: bool,
    came_late: bool,
}

/// A join that compares every record with every other one.
pub(super) struct Model {
    kind: JoinKind,
    interval: Interval,
    late: LatePolicy,
    pub(super) watermark: Option<i64>,
    held: Vec<Held>,
    count: u64,
    pub(super) dropped: u64,
    /// Outputs that may be late: records that came late and have left alone.
    pub(super) excused: Vec<Output>,
}

/// True if a right record of this time matches a left one of that.
fn matches(interval: Interval, left: i64, right: i64) -> bool {
    let (from, to) = interval.ends();
    let (from, to) = (from.as_millis(), to.as_millis());
    let between = i128::from(right) - i128::from(left);
    (from == -i64::MAX || between >= from.into()) && (to == i64::MAX || between <= to.into())
}

impl Model {
    pub(super) fn new(kind: JoinKind, interval: Interval, late: LatePolicy) -> Self {
        let (watermark, held, excused) = (None, Vec::new(), Vec::new());
        Self { kind, interval, late, watermark, held, count: 0, dropped: 0, excused }
    }

    fn alone(&self, side: Side) -> kind::Alone {
        match side {
            Side::Left => self.kind.left(),
            Side::Right => self.kind.right(),
        }
    }

    fn leave(&mut self, held: &Held) -> Output {
        let number = Some(held.number);
        let output = match held.side {
            Side::Left => (number, None, held.time),
            Side::Right => (None, number, held.time),
        };
        if held.came_late {
            self.excused.push(output);
        }
        output
    }

    pub(super) fn play(&mut self, event: Event) -> Vec<Output> {
        let mut output = Vec::new();
        match event {
            Event::Record(side, key, time) => self.arrive(side, key, time, &mut output),
            Event::Watermark(time) => self.watermark = self.watermark.max(Some(time)),
            Event::Idle => {}
            Event::Restart => self.watermark = None,
        }
        self.release(&mut output);
        output.sort_unstable();
        output
    }

    fn arrive(&mut self, side: Side, key: u64, time: i64, output: &mut Vec<Output>) {
        let number = self.count;
        self.count += 1;
        let came_late = self.watermark.is_some_and(|watermark| time < watermark);
        if came_late && self.late == LatePolicy::Drop {
            self.dropped += 1;
            return;
        }
        let mut come = Held { side, key, time, number, matched: false, came_late };
        let mut held = std::mem::take(&mut self.held);
        for other in held.iter_mut().filter(|other| other.side != side && other.key == key) {
            let (left, right) =
                if side == Side::Left { (&come, &*other) } else { (&*other, &come) };
            if !matches(self.interval, left.time, right.time) {
                continue;
            }
            if self.kind.pairs() {
                let later = left.time.max(right.time);
                output.push((Some(left.number), Some(right.number), later));
            }
            for matched in [&mut come, other] {
                let is_first = !std::mem::replace(&mut matched.matched, true);
                if is_first && self.alone(matched.side) == kind::Alone::Matched {
                    output.push(self.leave(matched));
                }
            }
        }
        held.push(come);
        self.held = held;
    }

    /// Lets go of what can have no match any more.
    fn release(&mut self, output: &mut Vec<Output>) {
        let Some(watermark) = self.watermark else { return };
        let (from, to) = self.interval.ends();
        let gone = |held: &Held| {
            let last = match held.side {
                Side::Left => to.as_millis(),
                Side::Right => -from.as_millis(),
            };
            let is_past = i128::from(held.time) + i128::from(last) < i128::from(watermark);
            watermark == i64::MAX || last != i64::MAX && is_past
        };
        let (left, kept) = std::mem::take(&mut self.held).into_iter().partition(gone);
        self.held = kept;
        let left: Vec<Held> = left;
        for held in left.iter().filter(|held| !held.matched) {
            if self.alone(held.side) == kind::Alone::Unmatched {
                output.push(self.leave(held));
            }
        }
    }
}

/// What nested loops over all records give.
pub(super) fn nested_loops(kind: JoinKind, interval: Interval, events: &[Event]) -> Vec<Output> {
    let records = events.iter().filter_map(|event| match event {
        Event::Record(side, key, at) => Some((*side, *key, *at)),
        _ => None,
    });
    let records: Vec<(u64, (Side, u64, i64))> = (0..).zip(records).collect();
    let of = |side: Side| records.iter().filter(move |(_, record)| record.0 == side);
    let pair = |left: &(u64, (Side, u64, i64)), right: &(u64, (Side, u64, i64))| {
        left.1.1 == right.1.1 && matches(interval, left.1.2, right.1.2)
    };
    let mut output = Vec::new();
    for left in of(Side::Left) {
        let found: Vec<_> = of(Side::Right).filter(|right| pair(left, right)).collect();
        if kind.pairs() {
            let later = |right: i64| left.1.2.max(right);
            output.extend(found.iter().map(|r| (Some(left.0), Some(r.0), later(r.1.2))));
        }
        if leaves_alone(kind.left(), !found.is_empty()) {
            output.push((Some(left.0), None, left.1.2));
        }
    }
    for right in of(Side::Right) {
        let matched = of(Side::Left).any(|left| pair(left, right));
        if leaves_alone(kind.right(), matched) {
            output.push((None, Some(right.0), right.1.2));
        }
    }
    output.sort_unstable();
    output
}

fn leaves_alone(alone: kind::Alone, matched: bool) -> bool {
    match alone {
        kind::Alone::Never => false,
        kind::Alone::Matched => matched,
        kind::Alone::Unmatched => !matched,
    }
}
